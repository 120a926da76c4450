"""Runs other programs. Compilers, CMake, Ninja and device tools are called through `run` only.

A call keeps its command line and output, so that an error can show both, ready to copy. Children
live in a session of their own: an interrupt ends the whole tree below them, never half of it.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import shlex
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import TypeVar

from portgpu.errors import BuildError, OutputError, PortgpuError, ToolchainError

_GRACE = 5.0  # seconds between asking a child tree to stop and killing it
_STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_Item = TypeVar("_Item")
_children: set[subprocess.Popen[bytes]] = set()  # what runs now, of all threads


@dataclass(frozen=True, slots=True)
class Completed:
    """One finished call: what ran, how it ended (`code`), its stdout and stderr, and the time."""

    command: tuple[str, ...]
    code: int
    output: str
    seconds: float

    def display(self) -> str:
        """The command line, quoted for a shell."""
        return shlex.join(self.command)

    def transcript(self) -> str:
        """Command and output as text for `PortgpuError.detail`."""
        return f"$ {self.display()}\n{self.output.rstrip()}\n"


def run(
    command: Sequence[str | Path],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float | None = None,
    check: bool = True,
    error: type[PortgpuError] = BuildError,
    what: str = "",
    hint: str = "",
    on_line: Callable[[str], None] | None = None,
    pass_fds: Sequence[int] = (),
    stdin: bytes | None = None,
) -> Completed:
    """Run `command` and wait. `env` is added to this process's environment.

    stdout and stderr come back merged in `Completed.output`; `on_line` sees each line as it
    arrives. With `check`, a non-zero exit raises `error` with the transcript as detail. A missing
    program is a `ToolchainError`; a call that takes longer than `timeout` seconds raises `error`.
    """
    args = tuple(str(part) for part in command)
    started = time.monotonic()
    try:
        with _deferred() as caught:
            child = subprocess.Popen(
                args,
                cwd=cwd,
                env={**os.environ, **env} if env else None,
                stdin=subprocess.PIPE if stdin is not None else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                pass_fds=tuple(pass_fds),
            )
    except FileNotFoundError as missing:
        if cwd is not None and not cwd.is_dir():
            raise OutputError(f"{cwd}: no such folder") from missing
        raise ToolchainError(
            f"{args[0]}: no such program",
            hint=hint or "portgpu doctor says what is installed and how to install what is not",
        ) from missing
    except PermissionError as denied:
        raise ToolchainError(
            f"{args[0]}: cannot be executed", hint=f"chmod +x {args[0]}"
        ) from denied
    deadline = None if timeout is None else started + timeout
    _children.add(child)
    try:
        if caught:
            raise KeyboardInterrupt
        output = _collect(child, stdin, on_line, deadline)
        code = child.wait()
    except TimeoutError:
        _end(child)
        raise error(f"{what or args[0]}: no answer within {timeout:g} s", hint=hint) from None
    except BaseException:
        _end(child)
        raise
    finally:
        _children.discard(child)
        if child.stdout is not None:
            child.stdout.close()
    done = Completed(args, code, output, time.monotonic() - started)
    if check and code != 0:
        how = f"ended by signal {-code}" if code < 0 else f"exit code {code}"
        raise error(
            f"{what or Path(args[0]).name} failed ({how})", hint=hint, detail=done.transcript()
        )
    return done


def each(work: Callable[[_Item], None], items: Iterable[_Item]) -> None:
    """Call `work` for every item, as many at once as there are cores.

    The first error is raised when those that run are through; an interrupt ends their children.
    """
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        futures = [pool.submit(work, item) for item in items]
        try:
            for future in futures:
                future.result()
        except BaseException as error:
            pool.shutdown(wait=False, cancel_futures=True)
            if not isinstance(error, Exception):
                for child in tuple(_children):
                    _end(child)
            raise


def attached(command: Sequence[str | Path], env: Mapping[str, str]) -> int:
    """Run `command` with this process's stdin, stdout and stderr, and all of `env`.

    Returns its exit code, 128 + n for an end by signal n. A signal that asks this process to stop
    goes on to the child, which ends in its own way.
    """
    asked: list[int] = []
    child: subprocess.Popen[bytes] | None = None

    def forward(number: int, _frame: FrameType | None) -> None:
        asked.append(number)
        if child is None:
            return
        if number == signal.SIGINT and len(asked) == 1 and _in_foreground():
            # Ctrl-C reaches the child by itself; a signal to this process alone does not.
            again = threading.Timer(1.0, child.send_signal, (number,))
            again.daemon = True
            again.start()
        else:
            child.send_signal(number)

    before = {}
    for kind in _STOPS:
        with contextlib.suppress(ValueError):  # only the main thread may set handlers
            if signal.getsignal(kind) is not signal.SIG_IGN:
                before[kind] = signal.signal(kind, forward)
    try:
        child = subprocess.Popen([str(part) for part in command], env=env)
        for number in asked:
            child.send_signal(number)
        code = child.wait()
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)
    return 128 - code if code < 0 else code


def _in_foreground() -> bool:
    """Whether the terminal's Ctrl-C reaches this process and its children."""
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)


def _collect(
    child: subprocess.Popen[bytes],
    stdin: bytes | None,
    on_line: Callable[[str], None] | None,
    deadline: float | None,
) -> str:
    assert child.stdout is not None
    if stdin is not None and child.stdin is not None:
        # Inputs are small (a probe source); they fit the pipe's buffer.
        with contextlib.suppress(BrokenPipeError), child.stdin:
            child.stdin.write(stdin)
    chunks: list[bytes] = []
    pending = b""
    with selectors.DefaultSelector() as ready:
        ready.register(child.stdout, selectors.EVENT_READ)
        while True:
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and (left <= 0 or not ready.select(left)):
                raise TimeoutError
            chunk = os.read(child.stdout.fileno(), 65536)
            if not chunk:
                break
            chunks.append(chunk)
            if on_line is not None:
                *lines, pending = (pending + chunk).split(b"\n")
                for line in lines:
                    on_line(line.decode("utf-8", "replace"))
    if on_line is not None and pending:
        on_line(pending.decode("utf-8", "replace"))
    return b"".join(chunks).decode("utf-8", "replace")


def _end(child: subprocess.Popen[bytes]) -> None:
    """Stop a child and everything below it: interrupt first, kill after a grace period."""
    with _deferred():
        for sent, wait in ((signal.SIGINT, _GRACE), (signal.SIGKILL, None)):
            _signal_group(child.pid, sent)
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(wait)
        # The child may be gone while a grandchild still holds on.
        until = time.monotonic() + 1
        while _kill_session(child.pid) and time.monotonic() < until:
            time.sleep(0.01)


def _signal_group(group: int, number: int) -> bool:
    """Send a signal to a process group; returns whether anybody is left in it."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _kill_session(leader: int) -> bool:
    """Kill what is left of a child's session; returns whether anybody was.

    Ninja gives each of its commands a group of its own, so that the child's group is not all.
    Field 6 of /proc/PID/stat is the session (proc(5)); without /proc only the group is known.
    """
    left = _signal_group(leader, signal.SIGKILL)
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            # The name, in brackets, may hold anything: fields are counted from its end.
            state, _, _, session = (entry / "stat").read_text().rpartition(")")[2].split()[:4]
            if int(session) == leader and state != "Z":
                os.kill(int(entry.name), signal.SIGKILL)
                left = True
    return left


@contextlib.contextmanager
def _deferred() -> Iterator[list[int]]:
    """Within this block a signal that asks to stop is only noted in the yielded list.

    A child that has been started but is not known yet, or is being ended, would otherwise be left.
    """
    caught: list[int] = []
    before = {}
    for kind in _STOPS:
        # Signals that nobody here handles keep their default; only the main thread may set any.
        if callable(signal.getsignal(kind)):
            with contextlib.suppress(ValueError):
                before[kind] = signal.signal(kind, lambda number, frame: caught.append(number))
    try:
        yield caught
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)


@contextlib.contextmanager
def signals_interrupt() -> Iterator[None]:
    """Within this block SIGTERM and SIGHUP act like Ctrl-C: children end, the exit code is 130."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    kinds = [signal.SIGTERM, signal.SIGHUP]
    before = {}
    for kind in kinds:
        with contextlib.suppress(ValueError):  # only the main thread may set handlers
            if signal.getsignal(kind) is not signal.SIG_IGN:  # nohup
                before[kind] = signal.signal(kind, interrupt)
    try:
        yield
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)
