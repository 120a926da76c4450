"""Checks of the Python functions: `python -m portgpu.testing.interface cuda --lib PATH`.

Needs NumPy; with PyTorch installed and a device that it sees, its tensors, streams and errors are
checked too. Prints a line a check and exits with 0, 6 (a check failed) or 7 (no device).
"""

from __future__ import annotations

import argparse
import importlib
import secrets
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from portgpu.errors import Exit, PortgpuError
from portgpu.ops import DeviceArray, OpAxisError, OpDeviceError, OpError, Ops, OpShapeError, load
from portgpu.testing import fuzz_python, interface_runtime

Check = tuple[str, Callable[[], None]]
WRONG_CALLS = 20  # of each op


def softmax(x: Any) -> Any:
    """The oracle, in float64 along the last axis."""
    e = np.exp(x.astype(np.float64) - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def raises(kind: type[Exception], call: Callable[[], Any]) -> None:
    """Fail unless `call` raises `kind`."""
    try:
        call()
    except kind:
        return
    raise AssertionError(f"{kind.__name__} was not raised")


def plain_checks(ops: Ops) -> Iterator[Check]:
    """Checks without any framework."""
    x = np.random.default_rng(1).standard_normal((33, 257)).astype(np.float32)
    there = ops.array(x)

    def result() -> None:
        y = ops.softmax(there)
        assert isinstance(y, DeviceArray) and y.shape == x.shape
        assert np.allclose(y.numpy(), softmax(x), atol=1e-6)

    def workspace() -> None:
        for _ in range(3):
            total = ops.sum(there)
            assert isinstance(total, DeviceArray)
            assert np.allclose(total.numpy(), x.sum(dtype=np.float64), atol=1e-2)

    def bad() -> None:
        raises(OpAxisError, lambda: ops.softmax(there, axis=2))
        raises(OpShapeError, lambda: ops.add(there, ops.array(x[:3])))
        if ops.target != "cpu":
            raises(OpDeviceError, lambda: ops.softmax(x))

    yield "device arrays", result
    yield "workspace is reused", workspace
    yield "bad arguments", bad


def torch_checks(ops: Ops, torch: Any) -> Iterator[Check]:
    """Checks on PyTorch tensors of the device."""
    device = torch.device("cuda" if ops.target != "cpu" else "cpu")
    x = torch.randn(257, 129, device=device)

    def near(a: Any, b: Any, room: float) -> None:
        assert a.shape == b.shape and a.dtype == b.dtype and a.device == b.device
        assert torch.allclose(a.double(), b.double(), atol=room, rtol=room)

    def views() -> None:
        for seen in (x, x.T, x[::2, 1:], x[:1].expand(5, 129)):
            near(ops.softmax(seen, axis=-1), torch.softmax(seen, -1), 1e-6)
            near(ops.sum(seen, axes=0), seen.sum(0), 1e-4)

    def types() -> None:
        for dtype, room in ((torch.float16, 1e-3), (torch.bfloat16, 1e-2)):
            near(ops.softmax(x.to(dtype)), torch.softmax(x.to(dtype), -1), room)

    def out() -> None:
        target = torch.empty_like(x)
        place = target.data_ptr()
        assert ops.add(x, x, out=target) is target and target.data_ptr() == place
        near(target, x + x, 0.0)
        near(ops.add(x, 1.5), x + 1.5, 0.0)

    def streams() -> None:
        if device.type == "cpu":
            return
        side = torch.cuda.Stream()
        big = torch.zeros(1 << 24, device=device)
        torch.cuda.synchronize()
        with torch.cuda.stream(side):
            for i in range(20):  # each step sees the one before only on the same stream
                big = ops.add(big, torch.full((1,), float(i), device=device))
            total = ops.sum(big)
        side.synchronize()
        assert total.item() == 190.0 * (1 << 24)

    def bad() -> None:
        raises(OpError, lambda: ops.softmax(x.clone().requires_grad_()))
        raises(OpAxisError, lambda: ops.softmax(x, axis=5))
        if device.type != "cpu":
            raises(OpDeviceError, lambda: ops.softmax(x.cpu()))
            raises(OpDeviceError, lambda: ops.add(x, x, out=torch.empty(x.shape)))

    yield "torch: views without copies", views
    yield "torch: half types", types
    yield "torch: out and numbers", out
    yield "torch: current stream", streams
    yield "torch: bad arguments", bad


def wrong_call_checks(ops: Ops) -> Iterator[Check]:
    """Random wrong calls of every function; the seed is in the name of the check."""
    seed = secrets.randbits(32)

    def wrong() -> None:
        problems = [
            f"{said}: {problem}"
            for op in ops.library.registry
            if ops.library.has(op)
            for said, _, problem in fuzz_python.outcomes(ops, op, seed, WRONG_CALLS)
            if problem
        ]
        assert not problems, "; ".join(problems[:5])

    yield f"random wrong calls, seed {seed}", wrong


def main(argv: Sequence[str] | None = None) -> int:
    """Run all checks; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m portgpu.testing.interface")
    parser.add_argument("target", choices=("cpu", "cuda", "rocm"))
    parser.add_argument("--lib", help="the library (default: the build folder's)")
    args = parser.parse_args(argv)
    try:
        ops = load(args.target, args.lib)
    except PortgpuError as error:
        print(f"portgpu: error: {error.message}\n  next: {error.hint}", file=sys.stderr)
        return int(error.exit_code)
    print(f"binding: {ops.binding}")
    checks = [
        *plain_checks(ops),
        *interface_runtime.memory_checks(ops),
        *interface_runtime.seam_checks(ops),
        *interface_runtime.jit_checks(ops),
        *wrong_call_checks(ops),
    ]
    try:
        torch = importlib.import_module("torch")
    except ImportError:
        print("PyTorch is not installed: its checks do not run")
    else:
        if args.target == "cpu" or torch.cuda.is_available():
            checks += torch_checks(ops, torch)
        else:
            print("PyTorch sees no device: its checks do not run")
    failed = 0
    for name, check in checks:
        try:
            check()
        except Exception as error:
            failed += 1
            print(f"FAILED {name}: {type(error).__name__}: {error}")
        else:
            print(f"passed {name}")
    print(f"{len(checks) - failed} of {len(checks)} checks passed on {args.target}")
    return int(Exit.TEST if failed else Exit.OK)


if __name__ == "__main__":
    sys.exit(main())
