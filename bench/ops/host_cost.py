"""What a call of one small op costs on the host: by C, by the compiled binding, by ctypes.

    python bench/ops/host_cost.py cuda --lib build/cuda/libportgpu_ops_cuda.so

All lines come from one run, beside a bare launch of an empty kernel through the same library and,
where it is installed, PyTorch. On the cpu target the op itself runs within the call.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

import portgpu.ops
from portgpu.ops import abi

COUNT = 1000  # calls between two synchronisations: fewer than fill a launch queue


def best(turn: Callable[[], float], wait: Callable[[], None], repeats: int) -> float:
    """Least microseconds of one call; `turn` makes COUNT calls and returns seconds."""
    times = []
    for _ in range(repeats):
        times.append(turn())
        wait()
    return min(times) / COUNT * 1e6


def python(call: Callable[[], Any]) -> Callable[[], float]:
    """Times COUNT calls from Python, less the empty loop."""

    def turn() -> float:
        loop = range(COUNT)
        start = time.perf_counter()
        for _ in loop:
            pass
        middle = time.perf_counter()
        for _ in loop:
            call()
        return (time.perf_counter() - middle) - (middle - start)

    return turn


def measure(target: str, lib: str | None, repeats: int = 30) -> dict[str, float]:
    """Microseconds a call, by way."""
    ops = portgpu.ops.load(target, lib)  # type: ignore[arg-type]
    plain = portgpu.ops.load(target, lib, compiled=False)  # type: ignore[arg-type]
    x, y, out = ops.empty(16), ops.empty(16), ops.empty(16)
    for array in (x, y, out):
        ops.fill(0.0, out=array)
    descriptors = [abi.tensor(a.address, a.pg_dtype.code, a.shape, None) for a in (x, y, out)]
    addresses = tuple(ctypes.addressof(d) for d in descriptors)
    results: dict[str, float] = {}

    def wait() -> None:
        ops.synchronize()

    if ops._compiled is not None:
        c = ops._compiled.measure
        results["bare launch, C"] = best(lambda: c("pg_launch_empty", (0,), COUNT), wait, repeats)
        results["add, C"] = best(lambda: c("pg_add", (*addresses, 0), COUNT), wait, repeats)
        turn = python(lambda: ops.add(x, y, out=out))
        results["add(out=), compiled binding"] = best(turn, wait, repeats)
        results["add(), compiled binding"] = best(python(lambda: ops.add(x, y)), wait, repeats)
    turn = python(lambda: plain.add(x, y, out=out))
    results["add(out=), ctypes"] = best(turn, wait, max(repeats // 5, 3))
    for name, value in peers(ops, wait, repeats).items():
        results[name] = value
    return results


def peers(ops: portgpu.ops.Ops, wait: Callable[[], None], repeats: int) -> dict[str, float]:
    """The same through and in PyTorch."""
    try:
        torch = importlib.import_module("torch")
    except ImportError:
        return {}
    if ops.target != "cpu" and not torch.cuda.is_available():
        return {}
    device = "cpu" if ops.target == "cpu" else "cuda"
    a, b, c = (torch.zeros(16, device=device) for _ in range(3))
    ways: dict[str, Callable[[], Any]] = {
        "add(out=) of PyTorch tensors, compiled binding": lambda: ops.add(a, b, out=c),
        "add() of PyTorch tensors, compiled binding": lambda: ops.add(a, b),
        "torch.add(out=)": lambda: torch.add(a, b, out=c),
        "torch.add()": lambda: torch.add(a, b),
    }
    return {name: best(python(call), wait, repeats) for name, call in ways.items()}


def show(results: dict[str, float]) -> None:
    """Print the table, with the difference to a bare launch."""
    bare = results.get("bare launch, C")
    for name, us in results.items():
        more = "" if bare is None or us == bare else f"   bare launch {us - bare:+.2f}"
        print(f"{name:48} {us:8.2f} us{more}")


def main(argv: Sequence[str] | None = None) -> int:
    """Parse the command line, run, print, write JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("target", choices=("cpu", "cuda", "rocm"))
    parser.add_argument("--lib", help="the built op library (default: the build folder's)")
    parser.add_argument("--repeats", type=int, default=30)
    parser.add_argument("--json", type=Path, help="write the results here")
    args = parser.parse_args(argv)
    results = measure(args.target, args.lib, args.repeats)
    show(results)
    if args.json:
        args.json.write_text(json.dumps(results, indent=1) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
