"""Logistic regression as in MLX's tutorial: 1000 x 100, f32, gradient descent, one gradient a step.

    python bench/ops/logistic.py cuda --lib build/cuda/libportgpu_ops_cuda.so

Steps a second, per op and fused, each launched one by one and captured into a graph; beside PyTorch
in the same run, where it is installed. Every way is checked first: its weights after 50 steps
against NumPy's in float64. A fused step is one kernel, also where one call queues 100 of them; a
call ends with one more kernel that writes the weights.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

import portgpu.ops
from portgpu import jit
from portgpu.errors import PortgpuError

ROWS, FEATURES, RATE = 1000, 100, 0.1
PER_GRAPH = 100  # steps of a captured graph, each by its own kernels; the cpu target: a tenth
CHECKED = 50
GOALS = {"per op": 10_000, "per op, captured": 50_000, "fused, captured": 200_000}


def data(seed: int = 7) -> tuple[Any, Any]:
    """Examples and labels: random normal, labelled by the sign of a random direction."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((ROWS, FEATURES)).astype(np.float32)
    truth = rng.standard_normal(FEATURES)
    noise = 1e-2 * rng.standard_normal(ROWS)
    return x, (x @ truth + noise > 0).astype(np.float32)


def oracle(x: Any, y: Any, steps: int) -> Any:
    """Weights after `steps` from zero, in float64."""
    a, b, w = x.astype(np.float64), y.astype(np.float64), np.zeros(FEATURES)
    for _ in range(steps):
        w -= RATE / ROWS * (a.T @ (1 / (1 + np.exp(-(a @ w))) - b))
    return w


@jit.fuse
def error_of(z: Any, y: Any) -> Any:
    """Derivative of the loss by z."""
    return jit.sigmoid(z) - y


@jit.fuse
def descend(w: Any, gradient: Any, rate: Any) -> Any:
    """One step down."""
    return w - rate * gradient


class Ways:
    """The ways of one library: each is a function of one step, or of `steps`, that changes `w`."""

    def __init__(self, ops: portgpu.ops.Ops) -> None:
        self.ops = ops
        x, y = data()
        self.x, self.y = ops.array(x), ops.array(y.reshape(-1, 1))
        self.flat = ops.array(y)
        self.xt = ops.array(np.ascontiguousarray(x.T))
        self.w = ops.array(np.zeros((FEATURES, 1), np.float32))
        self.w_flat = ops.array(np.zeros(FEATURES, np.float32))

    def per_op(self) -> None:
        """Six ops, results from the allocator."""
        ops = self.ops
        error = ops.sub(ops.sigmoid(ops.matmul(self.x, self.w)), self.y)
        step = ops.mul(ops.matmul(self.xt, error), RATE / ROWS)
        ops.sub(self.w, step, out=self.w)

    def chained(self) -> None:
        """Four launches: two products, and the elementwise chains fused at run time."""
        ops = self.ops
        error = error_of(ops.matmul(self.x, self.w), self.y)
        descend(self.w, ops.matmul(self.xt, error), RATE / ROWS, out=self.w)

    def fused(self, steps: int = 1) -> None:
        """One kernel a step (and one that writes w when the call ends)."""
        self.ops.logistic_step(self.w_flat, self.x, self.flat, rate=RATE, steps=steps)

    def reset(self) -> None:
        """Weights of zero."""
        self.ops.fill(0.0, out=self.w)
        self.ops.fill(0.0, out=self.w_flat)

    def weights(self) -> Any:
        """The weights of whichever way ran since `reset`."""
        return self.w.numpy().reshape(-1) + self.w_flat.numpy()

    def captured(self, call: Callable[[], None], times: int) -> Callable[[], None]:
        """`times` calls as a graph; returns its launch."""
        call()  # warm: memory and numbers are there when the capture begins
        with self.ops.capture() as graph:
            for _ in range(times):
                call()
        return graph.replay


def check(ways: Ways, run: Callable[[], None], steps_a_call: int) -> float:
    """Largest error of the weights against float64; raises when it is too large."""
    ways.reset()
    calls = max(CHECKED // steps_a_call, 1)
    for _ in range(calls):
        run()
    x, y = data()
    want = oracle(x, y, calls * steps_a_call)
    error = float(np.abs(ways.weights() - want).max())
    if not error < 1e-5:
        raise SystemExit(f"wrong weights: off by {error}")
    return error


def rate(run: Callable[[], Any], wait: Callable[[], None], per_call: int, seconds: float) -> float:
    """Steps a second, the best of five spans."""
    run()
    wait()
    start = time.perf_counter()
    run()
    wait()
    calls = max(int(seconds / 5 / max(time.perf_counter() - start, 1e-6)), 1)
    best = 0.0
    for _ in range(5):
        start = time.perf_counter()
        for _ in range(calls):
            run()
        wait()
        best = max(best, calls * per_call / (time.perf_counter() - start))
    return best


def measure(ops: portgpu.ops.Ops, seconds: float = 1.0) -> dict[str, float]:
    """Steps a second by way."""
    many = PER_GRAPH if ops.target != "cpu" else PER_GRAPH // 10
    ways = Ways(ops)
    results: dict[str, float] = {}
    runs: list[tuple[str, Callable[[], None], int]] = [
        ("per op", ways.per_op, 1),
        ("per op, captured", ways.captured(ways.per_op, many), many),
        ("fused", ways.fused, 1),
        ("fused, captured", ways.captured(lambda: ways.fused(many), 1), many),
        (f"fused, {many} a call", lambda: ways.fused(many), many),
        ("fused, captured call by call", ways.captured(ways.fused, many), many),
    ]
    try:
        ways.chained()
        runs.append(("chains fused", ways.chained, 1))
        runs.append(("chains fused, captured", ways.captured(ways.chained, many), many))
    except PortgpuError as error:  # no run-time compiler here
        print(f"chains fused: not measured: {error.message}; next: {error.hint}")
    for name, run, per_call in runs:
        check(ways, run, per_call)
        results[name] = rate(run, ops.synchronize, per_call, seconds)
    return results | peers(ops, seconds)


def peers(ops: portgpu.ops.Ops, seconds: float) -> dict[str, float]:
    """PyTorch, eager and as a CUDA graph of as many steps."""
    try:
        torch = importlib.import_module("torch")
    except ImportError:
        return {}
    gpu = ops.target != "cpu"
    if gpu and not torch.cuda.is_available():
        return {}
    device = "cuda" if gpu else "cpu"
    x, y = (torch.from_numpy(each).to(device) for each in data())
    w = torch.zeros(FEATURES, device=device)

    def step() -> None:
        w.sub_(x.t().mv(torch.sigmoid(x.mv(w)) - y), alpha=RATE / ROWS)

    wait = torch.cuda.synchronize if gpu else (lambda: None)
    results = {"PyTorch, eager": rate(step, wait, 1, seconds)}
    if gpu:
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            step()
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for _ in range(PER_GRAPH):
                step()
        results["PyTorch, CUDA graph"] = rate(graph.replay, wait, PER_GRAPH, seconds)
    return results


def show(results: dict[str, float], *, goals: bool) -> None:
    """Print the table; goals are those for an H200."""
    for name, steps in results.items():
        goal = GOALS.get(name) if goals else None
        text = "" if goal is None else f"   goal {goal:,}" + ("" if steps > goal else "  !")
        print(f"logistic regression, {name:28} {steps:12,.0f} steps/s{text}")


def main(argv: Sequence[str] | None = None) -> int:
    """Parse the command line, run, print, write JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("target", choices=("cpu", "cuda", "rocm"))
    parser.add_argument("--lib", help="the built op library (default: the build folder's)")
    parser.add_argument("--seconds", type=float, default=1.0, help="time a way")
    parser.add_argument("--json", type=Path, help="write the results here")
    args = parser.parse_args(argv)
    ops = portgpu.ops.load(args.target, args.lib)
    results = measure(ops, args.seconds)
    show(results, goals=args.target != "cpu")
    if args.json:
        args.json.write_text(json.dumps(results, indent=1) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
