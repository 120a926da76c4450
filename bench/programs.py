"""The same programs everywhere: CUDA and its HIP translation on a card, and the CPU target.

    python bench/programs.py prepare -o DIR [--programs FOLDER ...]
    python bench/programs.py compare TABLE [--programs FOLDER ...] [--out FILE]

`prepare` writes what bench/programs.sh needs on a machine with a card: the programs (`cuda/`),
their translations (`hip/`) and the reverse headers (`reverse/`). `compare` takes its table,
runs each program on the CPU target at 32 and 64 lanes, as it is and by way of its HIP translation,
and prints a Markdown table. Exit code 1 when two checksums of a program differ.
"""

from __future__ import annotations

import argparse
import csv
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from portgpu.cli import run as portgpu
from portgpu.errors import PortgpuError
from portgpu.headers import render_reverse
from portgpu.run import find
from portgpu.run.model import Program

PROGRAMS = Path(__file__).parents[1] / "tests" / "translate" / "programs"
WAYS = tuple((via, lanes) for via in ("", "rocm") for lanes in (32, 64))
NOT_BUILT, NOT_RUN = "does not build", "not run"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    steps = parser.add_subparsers(dest="step", required=True)
    prepared = steps.add_parser("prepare")
    prepared.add_argument("-o", "--output", type=Path, required=True)
    compared = steps.add_parser("compare")
    compared.add_argument("table", type=Path)
    compared.add_argument("--out", type=Path, help="write the table there instead of stdout")
    for step in (prepared, compared):
        step.add_argument("--programs", type=Path, nargs="+", default=[PROGRAMS], metavar="FOLDER")
    options = parser.parse_args()
    if options.step == "prepare":
        return prepare(options.programs, options.output)
    text, same = compare(options.programs, options.table)
    if options.out:
        options.out.write_text(text)
    else:
        print(text, end="")
    return 0 if same else 1


def prepare(folders: Sequence[Path], out: Path) -> int:
    """Write cuda/, hip/ and reverse/ into `out`; the exit code of the translation."""
    cuda = out / "cuda"
    cuda.mkdir(parents=True, exist_ok=True)
    for folder in folders:
        for path in sorted((*folder.glob("*.cu"), *folder.glob("*.cuh"))):
            (cuda / path.name).write_bytes(path.read_bytes())
    render_reverse(out / "reverse")
    return portgpu(["translate", str(cuda), "--to", "rocm", "-o", str(out / "hip"), "-q"])


def compare(folders: Sequence[Path], table: Path) -> tuple[str, bool]:
    """The Markdown table of all checksums, and whether those of each program are equal."""
    with table.open(newline="") as file:
        device = {
            row["program"]: (row["cuda"], row["hip"])
            for row in csv.DictReader(file, delimiter="\t")
        }
    sources = sorted(path for folder in folders for path in folder.glob("*.cu"))
    heads = [f"CPU {lanes}{', via ROCm' if via else ''}" for via, lanes in WAYS]
    lines = [
        "| program | CUDA on the card | HIP on the card | " + " | ".join(heads) + " |",
        "|---" * (3 + len(WAYS)) + "|",
    ]
    different, partly = [], []
    with tempfile.TemporaryDirectory() as place:
        for source in sources:
            sums = [*device.get(source.stem, (NOT_RUN, NOT_RUN))]
            sums += [s for via in ("", "rocm") for s in on_cpu(source, via, Path(place))]
            found = {s for s in sums if s not in (NOT_BUILT, NOT_RUN)}
            if len(found) != 1:
                different.append(source.stem)
            if NOT_BUILT in sums or NOT_RUN in sums:
                partly.append(source.stem)
            first = sums[0]
            cells = [first, *("=" if s == first else s for s in sums[1:])]
            lines.append(f"| {source.stem} | " + " | ".join(cells) + " |")
    lines.append("")
    agree = len(sources) - len(different)
    lines.append(f"{agree} of {len(sources)} programs agree everywhere they run.")
    lines += [f"Somewhere not run: {', '.join(partly)}."] if partly else []
    lines += [f"Different: {', '.join(different)}."] if different else []
    return "\n".join(lines) + "\n", not different


def on_cpu(source: Path, via: str, folder: Path) -> tuple[str, str]:
    """A program's checksums on the CPU target at 32 and 64 lanes."""
    program = Program(sources=(source,), build_dir=folder, via=via, sanitize=("none",))
    try:
        built = find("cpu").build(program)
    except PortgpuError:
        return NOT_BUILT, NOT_BUILT
    clean = {k: v for k, v in os.environ.items() if not k.startswith("PORTGPU_")}
    sums = []
    for lanes in (32, 64):
        env = {**clean, **built.env, "PORTGPU_WARP_SIZE": str(lanes)}
        done = subprocess.run(
            [built.executable.resolve()], env=env, capture_output=True, text=True, check=False
        )
        words = done.stdout.split()
        sums.append(words[-1] if done.returncode == 0 and words else f"exit-{done.returncode}")
    return sums[0], sums[1]


if __name__ == "__main__":
    sys.exit(main())
