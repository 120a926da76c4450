"""Compares the machine code of kernels written in plain CUDA and in the dialect.

    python bench/zero_cost.py [--arch sm_80] [--show KERNEL]

Compiles bench/zero_cost/plain.cu and dialect.cu with nvcc, disassembles both with nvdisasm (of the
toolkit, the wheel nvidia-cuda-nvdisasm, or --nvdisasm) and lines their kernels up. "registers" is
the same code with other register numbers. Exit 1 if a difference has no explanation below.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from portgpu import headers  # noqa: E402

# Differences that are meant, and why.
EXPLAINED = {
    "warp_sum_8": "the mask names the 8 lanes of the group, since other groups may be elsewhere; "
    "plain code here requires the whole warp to arrive",
}


@dataclass(frozen=True)
class Result:
    """How one kernel's two codes compare: "same", "registers" (same but for names), "differs"."""

    kernel: str
    verdict: str
    plain: list[str]
    dialect: list[str]


def main() -> int:
    """Print one line a kernel."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--arch", default="sm_80")
    parser.add_argument("--nvdisasm", default=shutil.which("nvdisasm"))
    parser.add_argument("--show", metavar="KERNEL", help="print both codes of one kernel")
    options = parser.parse_args()
    if options.nvdisasm is None:
        parser.error("nvdisasm is not on the PATH: python -m pip install nvidia-cuda-nvdisasm")
    with tempfile.TemporaryDirectory() as folder:
        results = compare(options.arch, Path(folder), options.nvdisasm)
    unexplained = 0
    for r in results:
        note = "" if r.verdict != "differs" else EXPLAINED.get(r.kernel, "NOT EXPLAINED")
        unexplained += note == "NOT EXPLAINED"
        print(f"{r.kernel:18} {len(r.plain):4} {len(r.dialect):4}  {r.verdict:9} {note}".rstrip())
        if options.show == r.kernel:
            print("\n".join(["plain:", *r.plain, "dialect:", *r.dialect]))
    same = sum(r.verdict != "differs" for r in results)
    print(f"{same} of {len(results)} kernels have the same code; {unexplained} without explanation")
    return 1 if unexplained else 0


def compare(arch: str, folder: Path, nvdisasm: str) -> list[Result]:
    """One result a kernel, by name; `folder` takes the temporary files."""
    headers.render("cuda", folder / "include")
    codes = [_kernels(name, arch, folder, nvdisasm) for name in ("plain", "dialect")]
    results = []
    for kernel in sorted(codes[0]):
        plain, dialect = codes[0][kernel], codes[1][kernel]
        verdict = "same" if plain == dialect else "differs"
        if verdict == "differs" and _anonymous(plain) == _anonymous(dialect):
            verdict = "registers"
        results.append(Result(kernel, verdict, plain, dialect))
    return results


def _kernels(name: str, arch: str, folder: Path, nvdisasm: str) -> dict[str, list[str]]:
    source, output = HERE / "zero_cost" / f"{name}.cu", folder / f"{name}.cubin"
    compiler = ["nvcc", "-std=c++17", f"-arch={arch}", "-O3", "-I", str(folder / "include")]
    subprocess.run([*compiler, "-cubin", str(source), "-o", str(output)], check=True)
    done = subprocess.run([nvdisasm, "-c", str(output)], check=True, capture_output=True, text=True)
    return _split_sass(done.stdout)


def _split_sass(text: str) -> dict[str, list[str]]:
    kernels: dict[str, list[str]] = {}
    current: list[str] = []
    for line in text.splitlines():
        if found := re.match(r"\s*\.section\s+\.(?:text\.)?(\w+)", line):
            code = ".text." in line
            current = kernels.setdefault(found[1], []) if code else []
        elif found := re.match(r"\s*/\*[0-9a-f]{4}\*/\s+(.*?)\s*;", line):
            current.append(re.sub(r"\s+", " ", found[1]))
    return {kernel: _strip(code) for kernel, code in kernels.items() if code}


def _strip(code: list[str]) -> list[str]:
    """Without the padding at the end; labels numbered from 0, since they count in the file."""
    while code and code[-1] == "NOP":
        code.pop()
    labels: dict[str, str] = {}
    number = lambda found: labels.setdefault(found[0], f".L{len(labels)}")  # noqa: E731
    return [re.sub(r"\.L_x_\d+|\$__internal_\d+", number, line) for line in code]


def _anonymous(code: list[str]) -> list[str]:
    """Instructions with registers, predicates and labels numbered by their first use."""
    names: dict[str, str] = {}

    def rename(found: re.Match[str]) -> str:
        return names.setdefault(found[0], f"#{len(names)}")

    return [re.sub(r"\b(?:UR|R|P|UP|B)\d+\b|%\w+|\.?L_\w+", rename, line) for line in code]


if __name__ == "__main__":
    sys.exit(main())
