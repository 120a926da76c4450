"""Calls of other programs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from portgpu import process
from portgpu.errors import BuildError, OutputError, ToolchainError


def test_output_lines_and_transcript() -> None:
    lines: list[str] = []
    script = "import sys; print('one'); sys.stderr.write('two'); sys.exit(3)"
    done = process.run([sys.executable, "-c", script], check=False, on_line=lines.append)
    assert done.code == 3
    assert sorted(lines) == ["one", "two"] or lines == ["twoone"]
    assert done.transcript().startswith(f"$ {sys.executable} -c ")
    with pytest.raises(BuildError, match="exit code 3") as error:
        process.run([sys.executable, "-c", script], what="a script")
    assert "one" in error.value.detail


def test_bytes_that_are_no_text() -> None:
    done = process.run([sys.executable, "-c", "import os; os.write(1, b'a\\xff\\nb')"])
    assert done.output == "a\ufffd\nb"


def test_missing_program_folder_and_permission(tmp_path: Path) -> None:
    with pytest.raises(ToolchainError, match="no such program"):
        process.run(["/nonexistent/tool"])
    with pytest.raises(OutputError, match="no such folder"):
        process.run(["true"], cwd=tmp_path / "none")
    (tmp_path / "tool").write_text("x")
    with pytest.raises(ToolchainError, match="cannot be executed"):
        process.run([tmp_path / "tool"])


@pytest.mark.parametrize("group", ["same", "own"])
def test_timeout_ends_grandchildren(tmp_path: Path, group: str) -> None:
    pid_file = tmp_path / "pid"
    started = time.monotonic()
    # `set -m` gives a command a process group of its own, as Ninja does.
    monitor = "set -m; " if group == "own" else ""
    with pytest.raises(BuildError, match=r"no answer within 0\.5 s"):
        process.run(
            ["bash", "-c", f"{monitor}sleep 60 & echo $! > {pid_file}; wait"],
            timeout=0.5,
        )
    assert time.monotonic() - started < 10
    pid = int(pid_file.read_text())
    time.sleep(0.1)
    state = Path(f"/proc/{pid}/stat")
    assert not state.exists() or state.read_text().split()[2] == "Z"


def test_stubborn_child_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_GRACE", 0.3)
    started = time.monotonic()
    with pytest.raises(BuildError):
        process.run(["sh", "-c", "trap '' INT; while :; do sleep 0.1; done"], timeout=0.5)
    assert time.monotonic() - started < 5


def test_sigterm_is_an_interrupt() -> None:
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGTERM)).start()
    with process.signals_interrupt(), pytest.raises(KeyboardInterrupt):
        process.run(["sleep", "30"])
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
@pytest.mark.parametrize("build", [False, True])
def test_signals_to_this_process_alone_end_what_it_runs(
    tmp_path: Path, number: signal.Signals, build: bool
) -> None:
    """`portgpu run` hands a signal on to the program; compilers that it started end with it."""
    mark = tmp_path / "pid"
    child = f"import os, time; open({str(mark)!r}, 'w').write(str(os.getpid())); time.sleep(60)"
    work = f"process.each(process.run, [[sys.executable, '-c', {child!r}]])"
    if not build:
        work = f"sys.exit(process.attached([sys.executable, '-c', {child!r}], dict(os.environ)))"
    code = (
        "import os, sys\nfrom portgpu import cli, process\n"
        f"cli.run = lambda: {work}\n"
        "try:\n    cli.main()\nexcept KeyboardInterrupt:\n    sys.exit(130)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL)
    until = time.monotonic() + 20
    while not (mark.is_file() and mark.read_text()) and time.monotonic() < until:
        time.sleep(0.02)
    pid = int(mark.read_text())
    parent.send_signal(number)
    assert parent.wait(20) == (130 if build else 128 + number)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
