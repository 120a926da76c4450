"""Calls of other programs."""

from __future__ import annotations

import os
import signal
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


def test_timeout_ends_grandchildren(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    started = time.monotonic()
    with pytest.raises(BuildError, match=r"no answer within 0\.5 s"):
        process.run(["sh", "-c", f"sleep 60 & echo $! > {pid_file}; wait"], timeout=0.5)
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
