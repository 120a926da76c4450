"""Checks of what is under the Python functions: allocator, graphs, JIT, vendors' libraries.

Part of `python -m portgpu.testing.interface`; needs NumPy alone.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from portgpu import jit
from portgpu.errors import ToolchainError
from portgpu.ops import OpMemoryError, Ops, OpUnsupportedError

Check = tuple[str, Callable[[], None]]

_SCALE = """
#include "portgpu.h"
template <class T>
__global__ void PG_LAUNCH_BOUNDS(256) scale(const T* x, T* y, float by, int n) {
  __shared__ T part[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  part[threadIdx.x] = i < n ? x[i] : T(0);
  __syncthreads();
  if (i < n) y[i] = T(by) * part[threadIdx.x];
}
"""


@jit.fuse
def _chain(x: Any, y: Any, rate: Any) -> Any:
    return jit.where(x > y, jit.sigmoid(x) - rate * y, jit.maximum(x, -y))


def memory_checks(ops: Ops) -> Iterator[Check]:
    """Allocator, streams, events, graphs."""
    rng = np.random.default_rng(2)
    x = rng.standard_normal((64, 129)).astype(np.float32)
    there = ops.array(x)

    def steady() -> None:
        def step() -> None:
            ops.sum(ops.softmax(ops.add(there, there)), axes=1)

        step()
        before = ops.memory.stats()
        for _ in range(50):
            step()
        after = ops.memory.stats()
        assert after.device_allocs == before.device_allocs, "the device was asked for memory"
        assert after.in_use == before.in_use and after.allocs > before.allocs

    def limit() -> None:
        reserved = ops.memory.stats().reserved
        ops.memory.limit(reserved + (4 << 20))
        try:
            ops.empty(16 << 20, "u8")
        except OpMemoryError:
            pass
        else:
            raise AssertionError("the limit does not hold")
        finally:
            ops.memory.limit(None)
        ops.memory.trim()

    def streams() -> None:
        a, b = ops.stream(), ops.stream()
        with a:
            total = ops.empty((1 << 20,))
            ops.fill(0.0, out=total)
            for i in range(20):
                ops.add(total, float(i), out=total)
        b.wait(a)
        with b:
            result = ops.sum(total)
        assert float(result.numpy()) == 190.0 * (1 << 20)
        start, stop = a.record(), a.record()
        assert start.elapsed(stop) >= 0 and stop.done

    def graph() -> None:
        w = ops.array(np.zeros(1000, np.float32))
        one = ops.sum(ops.add(w, 1.0))  # warm
        with ops.capture() as captured:
            ops.add(w, 1.0, out=w)
            total = ops.sum(ops.mul(w, 2.0))
        before = ops.memory.stats().device_allocs
        for turn in range(1, 6):
            captured.replay()
            assert float(total.numpy()) == 2000.0 * turn
        assert ops.memory.stats().device_allocs == before and float(one.numpy()) == 1000.0

    def managed() -> None:
        shared = ops.array(np.arange(8, dtype=np.float32), managed=True)
        shared.host()[:] += 1
        assert ops.sum(shared).numpy() == 36

    yield "memory: a steady state asks the device for nothing", steady
    yield "memory: the limit holds", limit
    yield "streams and events", streams
    yield "graphs: capture and replay", graph
    yield "managed memory (8 floats)", managed


def seam_checks(ops: Ops) -> Iterator[Check]:
    """The vendors' libraries give what our own kernels give."""
    rng = np.random.default_rng(3)

    def have(call: Callable[[], Any]) -> bool:
        try:
            call()
        except OpUnsupportedError as error:
            print(f"  not here: {error.message}")
            return False
        return True

    def matmul() -> None:
        for m, n, k in ((65, 33, 129), (1, 40, 70), (40, 1, 70), (256, 256, 256)):
            for dtype, room in (("f32", 1e-4), ("f16", 2e-2), ("bf16", 2e-1)):
                a = ops.cast(ops.array(rng.standard_normal((3, m, k)).astype(np.float32)), dtype)
                b = ops.cast(ops.array(rng.standard_normal((k, n)).astype(np.float32)), dtype)
                if not have(partial(ops.matmul, a, b, algorithm="library")):
                    return
                by = [
                    ops.cast(ops.matmul(a, b, algorithm=w), "f32").numpy()
                    for w in ("library", "portable", "auto")
                ]
                assert max(np.abs(by[0] - by[1]).max(), np.abs(by[2] - by[1]).max()) < room

    def captured() -> None:
        a = ops.array(rng.standard_normal((64, 64)).astype(np.float32))
        want = ops.matmul(a, a).numpy()
        with ops.capture() as graph:
            result = ops.matmul(a, a)
        graph.replay()
        assert np.array_equal(result.numpy(), want)

    def fft() -> None:
        for n in (1, 64, 1000, 1024, 4096):
            x = ops.array(rng.standard_normal((5, n)).astype(np.float32))
            if not have(partial(ops.rfft, x, algorithm="library")):
                return
            room = 1e-5 * n
            half = [ops.rfft(x, algorithm=w) for w in ("library", "portable")]
            assert np.abs(half[0].numpy() - half[1].numpy()).max() < room
            back = [ops.irfft(half[0], n=n, algorithm=w) for w in ("library", "portable")]
            for each in back:
                assert np.abs(each.numpy() - x.numpy()).max() < 1e-4
            full = [ops.fft(half[1], inverse=i, algorithm="library") for i in (False, True)]
            same = [ops.fft(half[1], inverse=i, algorithm="portable") for i in (False, True)]
            for one, other in zip(full, same, strict=True):
                assert np.abs(one.numpy() - other.numpy()).max() < room

    yield "matmul: library and portable agree", matmul
    yield "matmul: in a graph", captured
    yield "fft: library and portable agree", fft


def jit_checks(ops: Ops) -> Iterator[Check]:
    """User kernels and fused functions, where the run-time compiler is installed."""
    rng = np.random.default_rng(4)
    x = rng.standard_normal(100_003).astype(np.float32)
    there, y = ops.array(x), ops.array(x[::-1].copy())

    def available() -> bool:
        if ops.target == "cpu":
            return True
        if importlib.util.find_spec("jinja2") is None:
            print("  not here: jinja2, which renders the dialect's headers")
            return False
        try:
            jit.rtc.find("nvrtc" if ops.target == "cuda" else "hiprtc")
        except ToolchainError as error:
            print(f"  not here: {error.message}; next: {error.hint}")
            return False
        return True

    def kernel() -> None:
        if not available():
            return
        scale = jit.kernel(_SCALE, "scale<float>", target=ops.target)  # type: ignore[arg-type]
        out = ops.empty(x.shape)
        scale((x.size + 255) // 256, 256, there, out, 2.5, x.size)
        assert np.array_equal(out.numpy(), np.float32(2.5) * x)

    def fused() -> None:
        if not available():
            return
        a, b = x.astype(np.float64), x[::-1].astype(np.float64)
        want = np.where(a > b, 1 / (1 + np.exp(-a)) - 0.5 * b, np.maximum(a, -b))
        assert np.abs(_chain(there, y, 0.5).numpy() - want).max() < 1e-6
        out = ops.empty(x.shape)
        with ops.capture() as graph:
            _chain(there, y, 0.5, out=out)
        graph.replay()
        assert np.abs(out.numpy() - want).max() < 1e-6

    yield "jit: a user's kernel", kernel
    yield "jit: a fused function, also in a graph", fused
