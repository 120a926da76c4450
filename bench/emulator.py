"""Speed of the CPU target: softmax of 1M elements and a block sort of 1M keys.

    python bench/emulator.py [--out FILE]

Prints a Markdown table: seconds on 1, 2, … OS threads, at 32 and 64 lanes, with the checker, and
the naive way (one operating system thread a lane; a few blocks, scaled to all).
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from portgpu import toolchain
from portgpu.run import find
from portgpu.run.model import Program

HERE = Path(__file__).parent
BLOCKS = 1024
REPEATS = 3


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, help="write the table there instead of stdout")
    out: Path | None = parser.parse_args().out
    with tempfile.TemporaryDirectory() as folder:
        text = report(Path(folder))
    if out:
        out.write_text(text)
    else:
        print(text, end="")
    return 0


def report(folder: Path) -> str:
    source = HERE / "emulator.cu"
    fast = build(folder, source, sanitize=("none",))
    checked = build(folder, source, race=True)
    cores = os.cpu_count() or 1
    counts = [n for n in (1, 2, 4, 8, 16, 32, 64) if n <= cores]
    rows: list[tuple[str, float, float]] = []
    for n in counts:
        name = f"CPU target, {n} OS thread{'s' if n > 1 else ''}"
        rows.append((name, *seconds(fast, PORTGPU_CPU_THREADS=str(n))))
    rows.append(("CPU target, all cores, 64 lanes", *seconds(fast, PORTGPU_WARP_SIZE="64")))
    rows.append(("CPU target, all cores, --race", *seconds(checked, PORTGPU_CPU_RACE="1")))
    soft, sort = naive(folder)
    rows.append(("one OS thread a lane (scaled from a few blocks)", soft * BLOCKS, sort * BLOCKS))
    lines = ["| way | softmax, s | sort, s |", "|---|---|---|"]
    lines += [f"| {name} | {a:.3g} | {b:.3g} |" for name, a, b in rows]
    compiler = toolchain.find_host().name
    lines.append("")
    lines.append(
        f"{platform.machine()}, {cores} cores, {compiler}, median of {REPEATS}; "
        "1024 rows of 1024 floats in blocks of 256, 1024 sorts of 1024 keys in blocks of 512 "
        "(55 barriers each)."
    )
    return "\n".join(lines) + "\n"


def build(
    folder: Path, source: Path, *, race: bool = False, sanitize: tuple[str, ...] = ()
) -> Path:
    program = Program(sources=(source,), build_dir=folder, race=race, sanitize=sanitize)
    return find("cpu").build(program).executable.resolve()


def seconds(executable: Path, **env: str) -> tuple[float, float]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith("PORTGPU_")}
    times = [
        [float(v) for v in subprocess.check_output([executable], env={**clean, **env}).split()]
        for _ in range(REPEATS)
    ]
    return statistics.median(t[0] for t in times), statistics.median(t[1] for t in times)


def naive(folder: Path) -> tuple[float, float]:
    executable = folder / "naive"
    host = toolchain.find_host()
    source = HERE / "emulator_naive.cpp"
    subprocess.check_call(
        [host.compiler, "-std=c++17", "-O2", "-pthread", source, "-o", executable]
    )
    soft, sort = (float(v) for v in subprocess.check_output([executable, "4"]).split())
    return soft, sort


if __name__ == "__main__":
    sys.exit(main())
