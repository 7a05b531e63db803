"""What the operating system says of a server that runs here."""

import os
from pathlib import Path
from urllib.parse import urlsplit

_TICKS = os.sysconf("SC_CLK_TCK")


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
    # The name, in parentheses, may hold spaces.
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS
