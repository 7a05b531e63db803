"""How long a page takes when 1, 10, 30 and 60 sessions type a new sentence of 12 words every 4 s.

Run as `python -m tests.benchmarks.sessions`, with other numbers of sessions as arguments if wanted; prints one JSON line a
number. Each number has a server of its own on 127.0.0.1, and the visitors a process of their own.
"""

import subprocess
import sys

from tests.browser.conftest import ROOT, serving

NUMBERS = (1, 10, 30, 60)


def main(numbers: tuple[int, ...]) -> None:
    """Measure every number and print it."""
    for number in numbers:
        with serving() as server:
            command = [
                sys.executable,
                "-m",
                "tests.benchmarks.visitors",
                server.address,
                str(number),
            ]
            done = subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        print(done.stdout.strip(), flush=True)


if __name__ == "__main__":
    main(tuple(map(int, sys.argv[1:])) or NUMBERS)
