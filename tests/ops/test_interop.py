"""Arrays of other frameworks: PyTorch and JAX where they are installed, CuPy by its protocols."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import portgpu.ops as pg
from portgpu.ops import arrays


@pytest.fixture(scope="module", params=["compiled", "ctypes"])
def ops(request: pytest.FixtureRequest, cpu_library: Path) -> pg.Ops:
    return pg.load("cpu", cpu_library, compiled=request.param == "compiled")


def test_threefry_gives_the_words_of_jax(ops: pg.Ops) -> None:
    """jax.random of JAX 0.10.2 (CPU, jax_threefry_partitionable, the default), key 42."""
    words = ops.random_bits(key=42, shape=4, dtype="u32")
    assert [hex(int(w)) for w in words] == ["0x7d1c13a2", "0xae0730d9", "0x9dc3f9f9", "0x8f9ec1d7"]
    uniforms = ops.uniform(key=42, shape=4).tolist()
    assert uniforms == [
        0.48870956897735596, 0.6797971725463867, 0.6162714958190918, 0.5610160827636719,
    ]  # fmt: skip
    # Key 0: Random123's known answer for a counter and key of zeros, both words combined.
    assert int(ops.random_bits(key=0, shape=1, dtype="u32")[0]) == 0x6B200159 ^ 0x99BA4EFE


def test_jax(ops: pg.Ops, seed: int) -> None:
    jax = pytest.importorskip("jax")
    for key in (0, 1, seed):
        bits = np.asarray(jax.random.bits(jax.random.key(key), (3, 70), "uint32"))
        assert np.array_equal(ops.random_bits(key=key, shape=(3, 70), dtype="u32"), bits)
        floats = np.asarray(jax.random.uniform(jax.random.key(key), (211,)))
        assert np.array_equal(ops.uniform(key=key, shape=211), floats)
        normal = np.asarray(jax.random.normal(jax.random.key(key), (211,)))
        assert np.abs(ops.normal(key=key, shape=211) - normal).max() < 1e-4
    x = jax.numpy.arange(12.0).reshape(3, 4)
    y = ops.softmax(x)
    assert isinstance(y, np.ndarray)
    assert np.abs(y - np.asarray(jax.nn.softmax(x))).max() < 1e-6
    with pytest.raises(pg.OpError):  # JAX's arrays are immutable
        ops.add(x, x, out=x)


class Exporter:
    """An array that speaks DLPack, with something more to say."""

    def __init__(self, device: Any = (1, 0), negated: bool = False) -> None:
        self.inner = np.ones(3, np.float32)
        self.device, self.negated = device, negated

    def is_neg(self) -> bool:
        return self.negated

    def __dlpack__(self, **more: Any) -> Any:
        return self.inner.__dlpack__(**more)

    def __dlpack_device__(self) -> Any:
        if isinstance(self.device, Exception):
            raise self.device
        return self.device


def test_what_dlpack_does_not_tell(ops: pg.Ops) -> None:
    assert ops.add(Exporter(), 1).tolist() == [2, 2, 2]
    with pytest.raises(pg.OpError, match="add: a is a negated view") as caught:
        ops.add(Exporter(negated=True), 1)
    assert "resolve_neg" in caught.value.hint
    with pytest.raises(pg.OpError, match="add: a: Exporter cannot be shared: device meta"):
        ops.add(Exporter(ValueError("device meta is unknown")), 1)


def test_torch_views_that_are_not_their_memory(ops: pg.Ops) -> None:
    torch = pytest.importorskip("torch")
    z = torch.complex(torch.randn(3, 4), torch.randn(3, 4)).conj()
    for wrong in (z.imag, z.imag.T, z[0, 0].imag, z.imag[1:2, 1:2]):
        with pytest.raises(pg.OpError, match="a is a negated view"):
            ops.add(wrong, 0)
        assert torch.equal(ops.add(wrong.resolve_neg(), 0), wrong)
    assert torch.equal(ops.add(z.real, 0), z.real)
    assert ops.sum(torch.ones(2, 3), axes=torch.tensor(0)).shape == (3,)


def test_torch(ops: pg.Ops) -> None:
    torch = pytest.importorskip("torch")
    x = torch.randn(7, 33)
    for seen in (x, x.T, x[::2, 1:], x[:1].expand(5, 33), x.to(torch.bfloat16), x.half(), x[:0]):
        y = ops.softmax(seen)
        assert isinstance(y, torch.Tensor) and y.dtype == seen.dtype and y.shape == seen.shape
        assert torch.allclose(y.double(), torch.softmax(seen.double(), -1), atol=1e-2)
        assert torch.equal(ops.add(seen, seen), seen + seen)
    out = torch.empty_like(x)
    place = out.data_ptr()
    assert ops.add(x, 1.5, out=out) is out and out.data_ptr() == place
    assert torch.equal(out, x + 1.5) and torch.allclose(ops.sum(x, axes=0), x.sum(0), atol=1e-5)
    assert ops.sum(x, axes=(0, 1), keepdims=True).shape == (1, 1)
    for wrong in (x.clone().requires_grad_(), torch.randn(3, dtype=torch.complex64)):
        with pytest.raises(pg.OpError):
            ops.add(wrong, wrong)
    graph_input = x.clone()
    with ops.capture() as graph:
        result = ops.mul(graph_input, graph_input)
    graph_input.copy_(x + 1)
    graph.replay()
    assert torch.equal(result, (x + 1) ** 2)


class Fake:
    """CuPy's array as far as protocols go; its device is the fake op library's, host memory."""

    def __init__(self, host: Any) -> None:
        self.host = host

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {
            "shape": self.host.shape, "typestr": self.host.dtype.str, "version": 3,
            "data": (self.host.ctypes.data, not self.host.flags.writeable),
            "strides": self.host.strides,
        }  # fmt: skip


Fake.__module__ = "cupy"


def test_cupy(fake_library: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    cupy = types.ModuleType("cupy")
    streams: list[int] = []

    class Device:
        def __init__(self, number: int) -> None:
            assert number == 0

        def __enter__(self) -> None: ...

        def __exit__(self, *_: object) -> None: ...

    def current() -> Any:
        streams.append(0)
        return types.SimpleNamespace(ptr=0)

    cupy.cuda = types.SimpleNamespace(Device=Device, get_current_stream=current)  # type: ignore[attr-defined]
    cupy.empty = lambda shape, dtype: Fake(np.empty(shape, dtype))  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    ops = pg.load("cuda", fake_library(target="cuda"))
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    result = ops.add(Fake(x.T), Fake(x.T))
    assert isinstance(result, Fake) and np.array_equal(result.host, 2 * x.T) and streams
    seen = arrays.view(Fake(x[:, ::2]))
    assert seen.data == x.ctypes.data and seen.strides == (4, 2) and seen.device == (2, 0)
    with pytest.raises(pg.OpStrideError, match="read-only"):
        ops.add(Fake(x), Fake(x), out=Fake(np.broadcast_to(np.float32(0), (3, 4))))
    with pytest.raises(pg.OpDeviceError, match="is in CPU memory"):
        ops.add(x, x)
