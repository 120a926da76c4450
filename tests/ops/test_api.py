"""`portgpu.ops.load("cpu")`: NumPy and DLPack arrays in and out, and what bad arguments raise."""

from __future__ import annotations

import array
import inspect
import subprocess
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import portgpu.ops as pg
from portgpu.errors import InputError, NoDeviceError, UsageError
from portgpu.ops import abi, arrays, registry, shapes


@pytest.fixture(scope="module", params=["compiled", "ctypes"])
def ops(request: pytest.FixtureRequest, cpu_library: Path) -> pg.Ops:
    found = pg.load("cpu", cpu_library, compiled=request.param == "compiled")
    assert found.binding.startswith(request.param)
    return found


class Dlpack:
    """An array that speaks DLPack only."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __dlpack__(self, **kwargs: Any) -> Any:
        return self._inner.__dlpack__(**kwargs)

    def __dlpack_device__(self) -> tuple[int, int]:
        return tuple(int(x) for x in self._inner.__dlpack_device__())  # type: ignore[return-value]


def softmax(x: Any, axis: int) -> Any:
    x = x.astype(np.float64)
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_softmax_of_views(ops: pg.Ops, dtype: str, axis: int, seed: int) -> None:
    kind = np.dtype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)
    base = np.random.default_rng(seed).standard_normal((30, 40)).astype(kind)
    for x in (base, base.T, base[::-2, 3:], base[:, ::-1], np.broadcast_to(base[:1], (30, 40))):
        y = ops.softmax(x, axis=axis)
        assert isinstance(y, np.ndarray) and y.dtype == kind and y.shape == x.shape
        error = np.abs(y.astype(np.float64) - softmax(x, axis)).max()
        assert error < {"float32": 1e-6, "float16": 1e-3, "bfloat16": 1e-2}[dtype]


def test_reductions_follow_numpy(ops: pg.Ops, seed: int) -> None:
    x = np.random.default_rng(seed).integers(-9, 9, (3, 4, 5)).astype(np.float32)
    for axes in (None, 0, -1, (0, 2), (1, -1)):
        for keep in (False, True):
            got = ops.sum(x, axes=axes, keepdims=keep)
            want = x.sum(axis=axes, keepdims=keep)
            assert got.shape == want.shape and np.array_equal(got, want)


def test_numbers_and_broadcasting(ops: pg.Ops) -> None:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert np.array_equal(ops.add(x, 1.5), x + np.float32(1.5))
    assert np.array_equal(ops.mul(2, x), 2 * x)
    assert np.array_equal(ops.add(x, x[:1]), x + x[:1])
    assert ops.add(x[:, :0], x[:, :0]).shape == (2, 0)
    half = x.astype(ml_dtypes.bfloat16)
    assert ops.add(half, 1).dtype == half.dtype


def test_out_is_written_and_returned(ops: pg.Ops) -> None:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    base = np.full((3, 9), -1, np.float32)
    out = base[::2, 1:7:2]
    assert ops.add(x, x, out=out) is out
    assert np.array_equal(out, 2 * x) and np.count_nonzero(base == -1) == 27 - 6
    same = x.copy()
    ops.add(same, same, out=same)
    assert np.array_equal(same, 2 * x)


def test_buffers_and_dlpack(ops: pg.Ops) -> None:
    values = array.array("f", [1, 2, 3])
    assert ops.add(values, values).tolist() == [2, 4, 6]
    x = np.arange(12, dtype=np.float32).reshape(3, 4).T
    assert np.array_equal(ops.sum(Dlpack(x), axes=0), x.sum(0))
    seen = arrays.view(Dlpack(x))
    assert seen.data == x.ctypes.data and seen.strides == (1, 4)  # no copy


def test_device_array(ops: pg.Ops) -> None:
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    there = ops.array(x)
    result = ops.add(there, there)
    assert isinstance(result, pg.DeviceArray) and result.dtype == "f32"
    assert np.array_equal(result.numpy(), 2 * x)
    shared = np.from_dlpack(result)
    del result
    assert np.array_equal(shared, 2 * x)  # the export keeps the memory
    half = ops.array(x.astype(ml_dtypes.bfloat16))
    assert half.numpy().dtype == ml_dtypes.bfloat16
    unused = there.__dlpack__()
    del unused, there


def test_types_can_be_chosen(ops: pg.Ops) -> None:
    x = np.array([0.0, 1.5, -2.5, 3e9, np.nan], np.float32)
    assert ops.cast(x, "i32").tolist() == [0, 1, -2, 2**31 - 1, 0]
    assert ops.cast(x, np.bool_).tolist() == [False, True, True, True, True]
    assert ops.cast(x, np.float16).dtype == np.float16
    assert ops.cast(x, bool).dtype == bool and ops.cast(x, int).dtype == np.int64
    with pytest.raises(pg.OpDtypeError, match="dtype complex64 is not one of"):
        ops.cast(x, np.complex64)


def test_indices_are_checked_on_the_cpu(ops: pg.Ops) -> None:
    x = np.arange(10, dtype=np.float32).reshape(5, 2)
    assert ops.take(x, np.array([4, -5])).tolist() == [[8, 9], [0, 1]]
    for wrong in (5, -6, 2**40):
        out = np.full((1, 2), 7, np.float32)
        with pytest.raises(pg.OpIndexError, match=f"index {wrong} is outside an axis of 5"):
            ops.take(x, np.array([wrong]), out=out)
        assert (out == 7).all()


def test_numbers_are_exact_or_refused(ops: pg.Ops) -> None:
    """NumPy, PyTorch and MLX would promote; taking 2.5 as 2 would be a silent wrong result."""
    x = np.arange(4, dtype=np.int32)
    assert ops.add(x, 2.0).tolist() == [2, 3, 4, 5]
    assert ops.add(x, True).tolist() == [1, 2, 3, 4]
    half = ops.add(x.astype(np.float16), 0.1)  # floats round
    assert np.array_equal(half, x.astype(np.float16) + np.float16(0.1))
    flags = np.array([True, False])
    assert ops.where(flags, flags, 1).tolist() == [True, True]
    for number in (2.5, -0.5, 2**31, float("nan"), float("inf"), 10**400):
        with pytest.raises(pg.OpValueError, match="does not fit into i32") as caught:
            ops.add(x, number)
        assert "cast" in caught.value.hint and len(caught.value.message) < 120
    with pytest.raises(pg.OpValueError, match="2 does not fit into bool"):
        ops.where(flags, flags, 2)


def test_numbers_take_the_type_that_the_op_names(ops: pg.Ops) -> None:
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    assert np.array_equal(ops.take(x, 1), x[1]) and np.array_equal(ops.take(x, -1), x[-1])
    assert np.array_equal(ops.where(True, x, -x), x)
    with pytest.raises(pg.OpIndexError, match="index 3 is outside an axis of 3"):
        ops.take(x, 3)


def test_no_axes(ops: pg.Ops) -> None:
    """NumPy's rule: over no axes, every element is reduced on its own."""
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    for axes in ((), [], np.array([], int)):
        for keep in (False, True):
            assert np.array_equal(ops.sum(x.T, axes=axes, keepdims=keep), x.T)
    assert np.array_equal(ops.mean(x, axes=()), x) and ops.prod(x[:0], axes=()).shape == (0, 3)
    out = np.zeros((2, 3), np.float32)
    assert ops.prod(x, axes=(), out=out) is out and np.array_equal(out, x)
    assert ops.sum(np.float32(3), axes=()) == 3


def test_concatenate_takes_a_list(ops: pg.Ops) -> None:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    for parts in ([x], [x, 2 * x], (x, x[:, :1], x[:, :0])):
        want = np.concatenate(parts, axis=1)
        assert np.array_equal(ops.concatenate(parts, axis=1), want)
        assert np.array_equal(ops.concatenate(parts, 1), want)
        assert np.array_equal(ops.concatenate(*parts, axis=1), want)
    with pytest.raises(pg.OpShapeError, match="9 arrays"):
        ops.concatenate([x] * 9)


X = np.ones((5, 7), np.float32)
READ_ONLY = np.broadcast_to(np.float32(0), (5, 7))


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda o: o.add(X, X[:3]), pg.OpShapeError, "(5, 7) and (3, 7) do not broadcast"),
        (lambda o: o.add(X, X, out=X[:, :6]), pg.OpShapeError, "does not broadcast"),
        (lambda o: o.softmax(X, axis=2), pg.OpAxisError, "axis 2 is out of range"),
        (lambda o: o.softmax(X, axis="x"), pg.OpError, "axis is 'x'"),
        (lambda o: o.sum(X, axes=(0, -2)), pg.OpAxisError, "named twice"),
        (lambda o: o.softmax(X.astype(np.int32)), pg.OpError, "i32"),
        (lambda o: o.softmax(X.astype(np.complex64)), pg.OpDtypeError, "complex64"),
        (lambda o: o.softmax(X.astype(">f4")), pg.OpDtypeError, "not supported"),
        (lambda o: o.add(X, X.astype(np.float16)), pg.OpDtypeError, "f16"),
        (lambda o: o.softmax([1, 2]), pg.OpError, "list is not an array"),
        (lambda o: o.softmax(None), pg.OpError, "x is None"),
        (lambda o: o.softmax(X, out=READ_ONLY), pg.OpStrideError, "read-only"),
        (lambda o: o.softmax(X, out=(X, X)), pg.OpShapeError, "out has 2 arrays, 1 are needed"),
        (lambda o: o.add(X[:, 1:], X[:, 1:], out=X[:, :-1]), pg.OpStrideError, "overlaps"),
        (lambda o: o.add(1, 2), pg.OpError, "Python number"),
        (lambda o: o.take(X, X), pg.OpDtypeError, "must be i32 or i64"),
        (lambda o: o.softmax(X, stream="s"), pg.OpError, "softmax: stream: str is not a stream"),
        (lambda o: o.add(X, X, out=3), pg.OpError, "add: out: int is not an array"),
        (lambda o: o.add(np.ma.array(X), X), pg.OpError, "a is a masked array"),
        (
            lambda o: o.exp(X.astype(int)),
            pg.OpDtypeError,
            "i64 is not supported; f32",
        ),
        (lambda o: o.exp(X.astype(float)), pg.OpUnsupportedError, "core types, f32, f16, bf16"),
        (lambda o: o.sum(X, axis=0), TypeError, "'axis'; did you mean axes?"),
        (lambda o: o.fill(0, shape=(2, -1)), pg.OpShapeError, "fill: shape has -1"),
        (lambda o: o.softmax(), TypeError, "softmax: missing a required argument"),
        (lambda o: o.softmax(X, axes=1), TypeError, "softmax: got an unexpected keyword"),
        (lambda o: o.sofmax(X), AttributeError, "did you mean softmax"),
    ],
)
def test_bad_arguments(ops: pg.Ops, call: Any, kind: type[Exception], message: str) -> None:
    before = X.copy()
    with pytest.raises(kind) as caught:
        call(ops)
    assert message in str(caught.value)
    assert (
        isinstance(caught.value, TypeError | AttributeError)
        or caught.value.hint
        or (
            caught.value.status  # type: ignore[attr-defined]
        )
    )
    assert np.array_equal(X, before)


@pytest.mark.parametrize("wrong", [{"stride": 0}, {"padding": (0, -1)}, {"dilation": -2}])
def test_steps_of_convolutions(wrong: dict[str, Any]) -> None:
    op = registry.load().ops["conv"]
    shapes.outputs(op, [(1, 9, 9, 2), (3, 2, 2, 2)], {"groups": 1})
    with pytest.raises(pg.OpValueError, match=f"conv: {next(iter(wrong))} is -?\\d$"):
        shapes.outputs(op, [(1, 9, 9, 2), (3, 2, 2, 2)], {"groups": 1, **wrong})


def test_negative_extent() -> None:
    with pytest.raises(pg.OpShapeError, match="permutation: n has -2"):
        shapes.outputs(registry.load().ops["permutation"], [], {"n": -2})


def test_memory_of_another_device(ops: pg.Ops) -> None:
    class Elsewhere(Dlpack):
        def __dlpack__(self, **kwargs: Any) -> Any:
            return self._inner.__dlpack__()

        def __dlpack_device__(self) -> tuple[int, int]:
            return 2, 0

    with pytest.raises(pg.OpDeviceError, match="is in CUDA memory") as caught:
        ops.add(Elsewhere(X), Elsewhere(X))
    assert 'load("cuda")' in caught.value.hint


def test_workspace_is_kept(ops: pg.Ops) -> None:
    ops.release_workspaces()
    x = np.ones((3, 200_000), np.float32)
    ops.sum(x, axes=1)
    before = ops.memory.stats()
    ops.sum(x, axes=1)
    after = ops.memory.stats()
    assert after.device_allocs == before.device_allocs and after.allocs > before.allocs
    assert after.in_use == before.in_use


def test_signatures_and_documentation(ops: pg.Ops) -> None:
    assert str(inspect.signature(ops.softmax)) == "(x, axis=-1, *, out=None, stream=None)"
    assert str(inspect.signature(ops.sum)) == (
        "(x, axes=None, *, keepdims=False, out=None, stream=None)"
    )
    for op in registry.load():
        assert op.summary and op.name in dir(ops)
    assert "Element types: f32" in (ops.softmax.__doc__ or "")


def test_loading(
    cpu_library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fake_library: Any
) -> None:
    assert pg.load("cpu", cpu_library) is pg.load("cpu", str(cpu_library))
    monkeypatch.setenv("PORTGPU_OPS_CPU", str(cpu_library))
    assert pg.load("cpu").library.path == cpu_library.resolve()
    with pytest.raises(UsageError, match="no target is called 'cdua'") as caught:
        pg.load("cdua")  # type: ignore[arg-type]
    assert "cuda" in caught.value.hint
    with pytest.raises(InputError, match="no such library"):
        pg.load("cuda", tmp_path / "absent.so")
    with pytest.raises(InputError, match="is a cuda library, not cpu"):
        pg.load("cpu", fake_library(target="cuda"))
    with pytest.raises(NoDeviceError, match="no cuda device"):
        pg.load("cuda", fake_library("DEVICES=0", target="cuda"))
    monkeypatch.delenv("PORTGPU_OPS_CPU")
    monkeypatch.setenv("PORTGPU_BUILD_DIR", str(tmp_path))
    with pytest.raises(InputError, match="portgpu_ops_rocm") as missing:
        pg.load("rocm")
    assert "portgpu build --target rocm" in missing.value.hint


def test_part_of_a_library(tmp_path: Path) -> None:
    (tmp_path / "part.c").write_text(f"int pg_abi_version(void) {{ return {abi.ABI_VERSION}; }}\n")
    library = tmp_path / "part.so"
    subprocess.run(
        ["cc", "-shared", "-fPIC", str(tmp_path / "part.c"), "-o", str(library)], check=True
    )
    with pytest.raises(InputError, match="only part of an op library: it has no pg_") as caught:
        pg.load("cpu", library)
    assert "rebuild" in caught.value.hint


def test_codes_agree_with_the_c_header(cpu_library: Path) -> None:
    """The enums of pg_ops_abi.h, read from its text."""
    import re

    from portgpu import resources
    from portgpu.ops.dtypes import DTYPES

    text = resources.kernels("pg_ops_abi.h").read_text()
    codes = {name: int(value) for name, value in re.findall(r"(PG_\w+) = (-?\d+)", text)}
    assert {f"PG_{d.name.upper()}": d.code for d in DTYPES.values()} == {
        name: code for name, code in codes.items() if re.fullmatch(r"PG_(BOOL|B?[UIF]\d+)", name)
    }
    errors = {name: code for name, code in codes.items() if name.startswith("PG_ERR_")}
    assert errors == {name: code for code, (name, _) in abi.STATUS.items()}
    assert re.search(rf"#define PG_ABI_VERSION {abi.ABI_VERSION}\b", text)
    assert abi.Library(cpu_library).device_info().warp_size == 32


def test_stubs_are_fresh() -> None:
    """`python -m portgpu.ops.stubs` writes portgpu/ops/typed.pyi."""
    from portgpu.ops import stubs

    assert stubs.main(["--check"]) == 0


def test_interface_checks(
    cpu_library: Path,
    jit_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("PORTGPU_CACHE_DIR", str(jit_folder))
    from portgpu.testing import interface

    assert interface.main(["cpu", "--lib", str(cpu_library)]) == 0
    assert "checks passed on cpu" in capsys.readouterr().out
