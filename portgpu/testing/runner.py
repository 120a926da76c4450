"""Runs legs of the test plan in child processes and turns their events into results."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import IO, Any

from portgpu import errors
from portgpu.errors import InputError, NoDeviceError, PortgpuError
from portgpu.run import executors
from portgpu.testing.cases import Case
from portgpu.testing.child import Job
from portgpu.testing.results import CaseResult, Leg

MAX_CRASHES = 20
_TAIL = 1500  # characters of a crashed child's output that are shown


@dataclass(frozen=True, slots=True)
class LegSpec:
    """What to run: a library on an executor, at one of its warp widths (0: the device's own)."""

    executor: str
    lib: Path
    width: int = 0

    @property
    def name(self) -> str:
        return f"{self.executor}, {self.width} lanes" if self.width else self.executor


Progress = Callable[[int, int, str], None]


class _Run:
    """One leg in progress."""

    def __init__(
        self, spec: LegSpec, job: Job, timeout: float, tick: Callable[[str], None]
    ) -> None:
        self.spec, self.job, self.timeout, self.tick = spec, job, timeout, tick
        self.cases: list[Case] = job.plan()
        self.executor = executors.find(spec.executor)
        self.leg = Leg(spec.name, spec.executor, str(spec.lib), len(self.cases))
        self.next = 0
        self.current: int | None = None
        self.done = False
        self.child: subprocess.Popen[bytes] | None = None
        self.stop = False

    def run(self) -> None:
        began = time.monotonic()
        crashes = 0
        while not self.done and not self.stop:
            before = self.next
            code, output, hung = self._child()
            if self.done or self.stop:
                break
            if self.current is not None:
                crashes += 1
                self._crashed(code, output, hung)
            elif self.next == before:
                self.leg.note = f"the test process ended before its first case ({_ending(code)})"
                self.leg.note += f": {output}" if output else ""
                break
            if crashes >= MAX_CRASHES and self.next < len(self.cases):
                self.leg.note = f"given up after {crashes} crashes"
                break
            self.done = self.next >= len(self.cases)
        self.leg.seconds = time.monotonic() - began

    def _child(self) -> tuple[int, str, bool]:
        """Run one child to its end; returns exit code, last output, and whether it hung."""
        self.current = None
        job = replace(self.job, begin=self.next)
        read, write = os.pipe()
        env = executors.environment(self.executor, self.spec.width)
        env["PYTHONPATH"] = os.pathsep.join(
            [str(Path(errors.__file__).resolve().parent.parent), env.get("PYTHONPATH", "")]
        ).rstrip(os.pathsep)
        if self.executor.accepts == "cpu":
            env.setdefault("PORTGPU_CPU_THREADS", "1")  # legs run side by side
        with tempfile.TemporaryFile() as output:
            self.child = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "portgpu.testing.child",
                    json.dumps(asdict(job)),
                    str(write),
                ],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                pass_fds=(write,),
                env=env,
            )
            os.close(write)
            try:
                hung = self._listen(read)
            finally:
                os.close(read)
                if self.child.poll() is None and (self.stop or self.current is not None):
                    self.child.kill()
                code = self.child.wait()
            return code, _tail(output), hung

    def _listen(self, pipe: int) -> bool:
        pending = b""
        with selectors.DefaultSelector() as ready:
            ready.register(pipe, selectors.EVENT_READ)
            while True:
                if not ready.select(self.timeout):
                    return True
                chunk = os.read(pipe, 1 << 16)
                if not chunk:
                    return False
                *lines, pending = (pending + chunk).split(b"\n")
                for line in lines:
                    self._event(json.loads(line))

    def _event(self, event: dict[str, Any]) -> None:
        kind = event.pop("event")
        if kind == "hello":
            self.leg.hello = event
            self._check(event)
        elif kind == "error":
            known = getattr(errors, event["kind"], None)
            error = known if isinstance(known, type) else InputError
            raise error(event["message"], hint=event["hint"])
        elif kind == "case":
            self.current = event["index"]
            self.tick(self.cases[self.current].id)
        elif kind == "end":
            self.current = None
            self.next = event["index"] + 1
            case = self.cases[event["index"]]
            self._record(case, event["message"], event["ulp"], event["used"], event["seconds"])
        elif kind == "done":
            self.done = True

    def _record(
        self, case: Case, message: str, ulp: float, used: float, seconds: float, crash: bool = False
    ) -> None:
        self.leg.results.append(
            CaseResult(case.id, case.op, case.dtype, case.describe(), message, ulp, used, seconds,
                       crash, bool(case.statuses))
        )  # fmt: skip

    def _crashed(self, code: int, output: str, hung: bool) -> None:
        assert self.current is not None
        how = f"no answer within {self.timeout:g} s" if hung else f"crashed ({_ending(code)})"
        case = self.cases[self.current]
        inf = float("inf")
        self._record(case, f"{how}\n{output}".rstrip(), inf, inf, 0.0, crash=True)
        self.next = self.current + 1
        self.current = None

    def _check(self, hello: dict[str, Any]) -> None:
        name, target = self.executor.name, self.executor.accepts
        if hello["target"] != target:
            raise InputError(
                f"{self.spec.lib} is a {hello['target']} library, not {target}",
                hint=f"pass --target {hello['target']}, or the library of {target}",
            )
        if self.job.types == "all" and hello["types"] != "all":
            raise InputError(
                f"{self.spec.lib} was built with the core types only",
                hint="portgpu build --types all, or test with --types core",
            )
        if not hello["devices"]:
            vendor = {"cuda": "NVIDIA", "rocm": "AMD"}.get(name, name)
            reason = f" ({hello['reason']})" if hello["reason"] else ""
            raise NoDeviceError(
                f"no {vendor} device is here, so the {name} tests cannot run{reason}",
                hint=f"run on a machine with one, or portgpu test --target {name} --build-only",
            )
        if target == "cpu":
            return
        hello["archs"] = list(held_archs(self.spec.lib)) or hello["archs"]
        self.executor.check(self.spec.lib, hello["archs"], hello["device"]["arch"])


def held_archs(lib: Path) -> tuple[str, ...]:
    """Device architectures read back from the library; empty for one without device code."""
    from portgpu import binary

    try:
        return tuple(dict.fromkeys(image.arch for image in binary.read(lib).images))
    except InputError:
        return ()


def run_legs(
    specs: Sequence[LegSpec],
    job: Job,
    *,
    timeout: float = 300.0,
    progress: Progress | None = None,
) -> tuple[list[Leg], list[PortgpuError]]:
    """Run all legs, CPU widths side by side; returns results and why legs could not start.

    Those reasons are `NoDeviceError`, `UnprovenError` or `InputError`; their legs are in the
    results too, with nothing run.
    """
    lock = threading.Lock()
    done = 0
    runs: list[_Run] = []

    def tick(label: str) -> None:
        nonlocal done
        with lock:
            if progress:
                progress(done, total, label)
            done += 1

    for spec in specs:
        runs.append(
            _Run(spec, replace(job, executor=spec.executor, lib=str(spec.lib)), timeout, tick)
        )
    total = sum(len(run.cases) for run in runs)
    try:
        with ThreadPoolExecutor(max_workers=max(len(runs), 1)) as pool:
            futures = [pool.submit(_guarded, run) for run in runs]
            try:
                outcomes = [future.result() for future in futures]
            except BaseException:
                for run in runs:
                    _end(run)
                raise
    finally:
        if progress:
            progress(total, total, "")
    return [run.leg for run in runs], [error for error in outcomes if error is not None]


def _guarded(run: _Run) -> PortgpuError | None:
    try:
        run.run()
    except PortgpuError as error:
        _end(run)
        run.leg.note = error.message
        return error
    return None


def _end(run: _Run) -> None:
    run.stop = True
    if run.child is not None and run.child.poll() is None:
        run.child.kill()


def _ending(code: int) -> str:
    if code < 0:
        try:
            return signal.Signals(-code).name
        except ValueError:
            return f"signal {-code}"
    return f"exit code {code}"


def _tail(output: IO[bytes]) -> str:
    size = output.seek(0, os.SEEK_END)
    output.seek(max(0, size - _TAIL))
    return output.read().decode("utf-8", "replace").strip()
