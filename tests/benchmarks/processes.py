"""What the operating system says of a server that runs here."""

import time
from pathlib import Path
from urllib.parse import urlsplit


def server_process(address: str) -> int:
    """The process that serves an address of this machine: the one that was started with its port."""
    wanted = f"--server.port={urlsplit(address).port}".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if wanted in (folder / "cmdline").read_bytes().split(b"\0"):
                return int(folder.name)
        except OSError:  # it ended meanwhile
            continue
    raise LookupError(f"expected a server that was started for {address}, and found none")


def processor_seconds(process: int) -> float:
    """The processor time that a process has used so far, all its threads together."""
    # The clock of a process, as Linux numbers them.
    return time.clock_gettime(~process << 3 | 2)
