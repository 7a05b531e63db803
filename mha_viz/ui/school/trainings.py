"""Trainings that run on this server, each in a process of its own, and every reason for one to end.

A training ends when it is done, when the person stops it, when nobody has asked about it for a while (the page was left, the
browser closed, the connection lost), when it takes too long, and when the server ends, which it notices by itself.
"""

import atexit
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any

import mha_viz
from mha_viz.errors import BusyError
from mha_viz.school.live import Measurement, Plan, WithoutHead, arguments_of, nulls

# Each takes one core and about 400 MB.
MOST_AT_ONCE = 2
LONGEST_SECONDS = 300
UNWATCHED_SECONDS = 20
LOOK_EVERY = 0.5
MODULE = "mha_viz.school.live"

RUNNING, DONE, STOPPED, UNWATCHED, TOO_LONG, DIED = (
    "running",
    "done",
    "stopped",
    "unwatched",
    "too long",
    "died",
)


def command(plan: Plan) -> list[str]:
    """What is run for a plan."""
    return [sys.executable, "-m", MODULE, *arguments_of(plan)]


class RunningTraining:
    """One training in a process of its own, and what it has said so far.

    Args:
        plan: What was chosen.
        started_by: The process as a list of arguments.
        unwatched: Seconds after which it ends if nobody asks about it.
        longest: Seconds after which it ends in any case.
    """

    def __init__(
        self,
        plan: Plan,
        started_by: Sequence[str],
        *,
        unwatched: float = UNWATCHED_SECONDS,
        longest: float = LONGEST_SECONDS,
    ) -> None:
        self.plan = plan
        self.nulls = nulls()
        self.measurements: list[Measurement] = []
        self.without_heads: list[WithoutHead] = []
        self._why: str | None = None
        self._unwatched, self._longest = unwatched, longest
        self._started = self._asked = monotonic()
        self._lock, self._ended = Lock(), Event()
        # What the process writes to its error stream goes to the server's; it holds nothing that a person typed.
        self.process = subprocess.Popen(
            list(started_by),
            cwd=Path(mha_viz.__file__).parents[1],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        self._listener = Thread(target=self._listen, daemon=True)
        self._listener.start()
        Thread(target=self._watch, daemon=True).start()

    @property
    def state(self) -> str:
        """Whether it runs, or why it does no more."""
        return self._why or RUNNING

    @property
    def is_running(self) -> bool:
        """Whether its process is there."""
        return not self._ended.is_set()

    def ask(self) -> None:
        """Note that somebody is watching."""
        self._asked = monotonic()

    def stop(self, why: str = STOPPED) -> None:
        """End the process if it is there, and wait until it is gone."""
        with self._lock:
            self._why = self._why or why
        self.process.kill()
        self._listener.join()

    def _listen(self) -> None:
        """Take down what the process says, until it says no more."""
        output = self.process.stdout
        for line in output or ():
            # A process that is ended may leave half a line.
            with suppress(json.JSONDecodeError):
                self._take(json.loads(line))
        code = self.process.wait()
        with self._lock:
            finished = code == 0 and bool(self.without_heads)
            self._why = self._why or (DONE if finished else DIED)
        for pipe in (self.process.stdin, output):
            if pipe is not None:
                pipe.close()
        self._ended.set()

    def _take(self, said: dict[str, Any]) -> None:
        if "measured" in said:
            self.measurements.append(Measurement(**said["measured"]))
        else:
            self.without_heads = [
                WithoutHead(
                    None if row["head"] is None else tuple(row["head"]),
                    row["loss"],
                    row["continued"],
                )
                for row in said["without"]
            ]

    def _watch(self) -> None:
        """End the process when nobody asks about it any more, or when it takes too long."""
        while not self._ended.wait(LOOK_EVERY):
            now = monotonic()
            if now - self._asked > self._unwatched:
                self.stop(UNWATCHED)
            elif now - self._started > self._longest:
                self.stop(TOO_LONG)


class Trainings:
    """All trainings of a server.

    Args:
        most: How many may run at once.
        command: What is run for a plan.
    """

    def __init__(
        self, most: int = MOST_AT_ONCE, command: Callable[[Plan], list[str]] = command
    ) -> None:
        self.most = most
        self.command = command
        self._running: list[RunningTraining] = []
        self._lock = Lock()

    def start(self, plan: Plan, instead_of: RunningTraining | None = None) -> RunningTraining:
        """Start a training.

        Args:
            plan: What was chosen.
            instead_of: The same person's training before, which ends.

        Raises:
            BusyError: If as many run as may.
        """
        if instead_of is not None:
            instead_of.stop()
        with self._lock:
            self._running = [training for training in self._running if training.is_running]
            if len(self._running) >= self.most:
                raise BusyError(
                    f"at most {self.most} trainings run on this server at once, and {len(self._running)} are running for "
                    "other people; try again in a minute"
                )
            training = RunningTraining(plan, self.command(plan))
            self._running.append(training)
            return training

    def end_all(self) -> None:
        """End every training: the server is about to end."""
        with self._lock:
            for training in self._running:
                training.stop()


TRAININGS = Trainings()
atexit.register(TRAININGS.end_all)
