"""The process that loads the library and runs cases; its parent reads one JSON line an event.

A crash of the library ends this process only: the parent knows which case was running. Events:
`hello` (library, device, number of cases), `case` (a case starts), `end` (its outcome), `done`,
`error` (nothing can run: kind, message, hint).
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from portgpu import run
from portgpu.errors import PortgpuError
from portgpu.ops import registry
from portgpu.testing.cases import Case, plan


@dataclass(frozen=True, slots=True)
class Job:
    """What a child has to do; `begin` skips cases that an earlier child has done."""

    executor: str
    lib: str
    registry: str
    level: str
    types: str
    ops: tuple[str, ...]
    match: str
    seed: int
    heavy: bool
    torch: bool
    device: int = 0
    begin: int = 0
    large: bool = False
    fuzz: int = 0
    sample: int = 0

    def plan(self) -> list[Case]:
        """The cases, the same in parent and child."""
        return plan(
            registry.load(Path(self.registry)),
            level=self.level,
            types=self.types,
            ops=self.ops,
            match=self.match,
            seed=self.seed,
            heavy=self.heavy,
            large=self.large,
            fuzz=self.fuzz,
            sample=self.sample,
        )


def main() -> int:
    """Run the job given as JSON in argv[1]; events go to the file descriptor argv[2]."""
    given = json.loads(sys.argv[1])
    job = Job(**{**given, "ops": tuple(given["ops"])})
    events = int(sys.argv[2])

    def emit(**event: Any) -> None:
        data = (json.dumps(event) + "\n").encode()
        while data:
            data = data[os.write(events, data) :]

    try:
        return _run(job, emit)
    except PortgpuError as error:
        emit(event="error", kind=type(error).__name__, message=error.message, hint=error.hint)
        return int(error.exit_code)


def _run(job: Job, emit: Any) -> int:
    from portgpu.testing.executor import Cases

    library = run.find(job.executor).open(Path(job.lib), registry.load(Path(job.registry)))
    count = library.device_count()
    hello: dict[str, Any] = {
        "target": library.target,
        "version": library.version,
        "archs": library.archs,
        "types": library.types,
        "devices": count,
        "missing": [op.name for op in library.registry if not library.has(op)],
        "reason": library.last_error() if count == 0 else "",
    }
    if count:
        library.set_device(job.device)
        hello["device"] = asdict(library.device_info(job.device))
    second = None
    if job.torch:
        from portgpu.testing import second_oracle

        second = second_oracle.load()
        hello["second_oracle"] = second_oracle.version() if second else ""
    emit(event="hello", **hello)
    if not count:
        return 0
    cases = Cases(library, job.seed, second)
    for index, case in enumerate(job.plan()):
        if index < job.begin:
            continue
        emit(event="case", index=index)
        outcome = cases.run(case)
        emit(event="end", index=index, **asdict(outcome))
        if outcome.lost:
            return 0
    emit(event="done")
    return 0


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    # Skip destructors of a device runtime whose state may be broken.
    os._exit(code)
