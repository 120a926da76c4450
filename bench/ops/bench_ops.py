"""Times the op library on a GPU against the byte floor, and against PyTorch where it is installed.

    python bench/ops/bench_ops.py --lib build/cuda/libportgpu_ops_cuda.so [--op softmax]
    python bench/ops/bench_ops.py --lib ... --scale        # sizes from 1 k to 1 G elements

Every figure is the median time between two device events around one call. Buffers take turns and
exceed the second-level cache. The floor is the bytes that the op must read and write, divided by
the best measured copy bandwidth of the same run.
"""

from __future__ import annotations

import argparse
import ctypes
import itertools
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parent))
import cases_dense
import cases_select
from case import Case
from device import Array, Device

KERNELS = Path(__file__).parents[2] / "kernels"
SIDE = 8192


def cases(d: Device, side: int) -> Iterator[Case]:
    """The cases of the table; a case's arrays are freed before the next one."""
    n = side * side
    f32, turns = n * 4, range(3)
    shape = (side, side)

    def pair(
        op: str, dtype: str = "f32", out: tuple[int, ...] = shape, to: str = "", **p: Any
    ) -> list[Callable[[], None]]:
        x = d.random(shape, dtype)
        sets = [(x, Array(d, out, to or dtype))]
        for _ in turns[1:]:
            y = Array(d, shape, dtype)
            d.bind("copy", x, y)()
            sets.append((y, Array(d, out, to or dtype)))
        return [d.bind(op, a, b, **p) for a, b in sets]

    def normed(op: str, dtype: str) -> list[Callable[[], None]]:
        w, b = d.random((side,), dtype, seed=5), d.random((side,), dtype, seed=6)
        affine = (w, b) if op == "layer_norm" else (w,)
        calls = []
        for t in turns:
            calls.append(
                d.bind(op, d.random(shape, dtype, seed=t), *affine, Array(d, shape, dtype))
            )
        return calls

    def tensor(t: Any, dtype: str = "float32", *size: int) -> Any:
        return (
            t.rand(size or shape, device="cuda", dtype=t.float32)
            .mul_(2)
            .sub_(1)
            .to(getattr(t, dtype))
        )

    def simple(
        fn: Callable[[Any, Any], Any], dtype: str = "float32"
    ) -> Callable[[Any], Callable[[], Any]]:
        def make(t: Any) -> Callable[[], Any]:
            xs = [tensor(t, dtype) for _ in turns]
            state = iter(range(10**9))
            return lambda: fn(t, xs[next(state) % 3])

        return make

    def sorting(*size: int) -> Callable[[Any], Callable[[], Any]]:
        def make(t: Any) -> Callable[[], Any]:
            x = tensor(t, "float32", *size)
            return lambda: t.sort(x)

        return make

    yield Case("exp_f32", pair("exp"), 2 * f32, simple(lambda t, x: t.exp(x)), 1.05)
    abc = [
        (d.random(shape, seed=1), d.random(shape, seed=2), Array(d, shape, "f32")) for _ in turns
    ]
    yield Case(
        "add_f32",
        [d.bind("add", *s) for s in abc],
        3 * f32,
        _add_two,
        1.05,
    )
    xs = [(d.random(shape, seed=t), Array(d, shape, "f32")) for t in turns]
    yield Case(
        "transpose_copy_f32",
        [d.bind("copy", x.T, o) for x, o in xs],
        2 * f32,
        simple(lambda t, x: x.t().contiguous()),
        1.15,
    )
    yield Case(
        "transpose_copy_bf16",
        [d.bind("copy", d.random(shape, "bf16", seed=t).T, Array(d, shape, "bf16")) for t in turns],
        n * 4,
        simple(lambda t, x: x.t().contiguous(), "bfloat16"),
        1.15,
    )
    yield Case("sum_all_f32", pair("sum", out=()), f32, simple(lambda t, x: x.sum()), 1.10)
    yield Case(
        "sum_rows_f32", pair("sum", out=(side,), axes=[1]), f32, simple(lambda t, x: x.sum(1)), 1.10
    )
    yield Case(
        "sum_cols_f32", pair("sum", out=(side,), axes=[0]), f32, simple(lambda t, x: x.sum(0)), 1.10
    )
    yield Case(
        "max_rows_bf16",
        pair("max", "bf16", out=(side,), axes=[1]),
        n * 2,
        simple(lambda t, x: x.amax(1), "bfloat16"),
    )
    yield Case(
        "var_rows_f32",
        pair("var", out=(side,), axes=[1]),
        f32,
        simple(lambda t, x: x.var(1, correction=0)),
    )
    yield Case(
        "argmax_rows_f32",
        pair("argmax", out=(side,), to="i64", axis=1),
        f32,
        simple(lambda t, x: x.argmax(1)),
        1.15,
    )
    yield Case("softmax_f32", pair("softmax"), 2 * f32, simple(lambda t, x: t.softmax(x, 1)), 1.10)
    yield Case(
        "softmax_bf16",
        pair("softmax", "bf16"),
        n * 4,
        simple(lambda t, x: t.softmax(x, 1), "bfloat16"),
        1.20,
    )
    yield Case(
        "logsumexp_f32",
        pair("logsumexp", out=(side,), axes=[1]),
        f32,
        simple(lambda t, x: t.logsumexp(x, 1)),
        1.15,
    )

    def layer(t: Any) -> Callable[[], Any]:
        w, b = tensor(t, "float32", side), tensor(t, "float32", side)
        return simple(lambda t, x: t.nn.functional.layer_norm(x, (side,), w, b))(t)

    def rms(dtype: str) -> Callable[[Any], Callable[[], Any]]:
        def make(t: Any) -> Callable[[], Any]:
            w = tensor(t, dtype, side)
            return simple(lambda t, x: t.nn.functional.rms_norm(x, (side,), w), dtype)(t)

        return make

    yield Case("layer_norm_f32", normed("layer_norm", "f32"), 2 * f32, layer, 1.10)
    yield Case("rms_norm_f32", normed("rms_norm", "f32"), 2 * f32, rms("float32"), 1.10)
    yield Case("rms_norm_bf16", normed("rms_norm", "bf16"), n * 4, rms("bfloat16"), 1.20)
    yield Case("cumsum_rows_f32", pair("cumsum"), 2 * f32, simple(lambda t, x: x.cumsum(1)), 1.25)
    yield Case("cumsum_cols_f32", pair("cumsum", axis=0), 2 * f32, simple(lambda t, x: x.cumsum(0)))
    flat = [(d.random((n,), seed=t), Array(d, (n,), "f32")) for t in turns]
    yield Case(
        "cumsum_flat_f32",
        [d.bind("cumsum", *s) for s in flat],
        2 * f32,
        simple(lambda t, x: x.view(-1).cumsum(0)),
    )

    keys = side * side // 4
    ins = [d.random((keys,), seed=t) for t in turns]
    outs = [(Array(d, (keys,), "f32"), Array(d, (keys,), "i64")) for _ in turns]
    yield Case(
        "sort_16m_keys_f32",
        [d.bind("sort", x, o[0]) for x, o in zip(ins, outs, strict=True)],
        keys * 8,
    )
    ins = [d.random((keys,), seed=t) for t in turns]
    outs = [(Array(d, (keys,), "f32"), Array(d, (keys,), "i64")) for _ in turns]
    yield Case(
        "sort_16m_pairs_f32",
        [d.bind("sort_with_indices", x, *o) for x, o in zip(ins, outs, strict=True)],
        keys * 16,
        sorting(keys),
    )
    ins = [d.random((side // 4, side), seed=t) for t in turns]
    yield Case(
        "sort_rows_f32",
        [d.bind("sort", x, Array(d, (side // 4, side), "f32")) for x in ins],
        keys * 8,
        sorting(side // 4, side),
    )

    index = d.indices(side, side)
    rows = [(d.random(shape, seed=t), Array(d, shape, "f32")) for t in turns]
    yield Case(
        "take_rows_f32",
        [d.bind("take", x, index, o) for x, o in rows],
        2 * f32,
        simple(lambda t, x: x.index_select(0, _index(t, side))),
        1.10,
    )
    index = d.indices(side, side)
    rows = [(d.random(shape, seed=t), d.random(shape, seed=t + 9)) for t in turns]
    yield Case(
        "scatter_add_rows_f32",
        [d.bind("scatter_add", index, u, o) for u, o in rows],
        3 * f32,
        simple(lambda t, x: x.index_add_(0, _index(t, side), _other(t, side))),
    )
    for generator, name in ((1, "normal_philox_f32"), (0, "normal_threefry_f32")):
        makes = [
            d.bind("normal", Array(d, shape, "f32"), key=7, generator=generator) for _ in turns
        ]
        yield Case(name, makes, f32, simple(lambda t, x: x.normal_()))

    # Compute-bound: the floor is that of the bytes, for orientation only.
    def square(t: Any, dtype: str, n: int) -> Callable[[], Any]:
        a, b = tensor(t, dtype, n, n), tensor(t, dtype, n, n)
        return lambda: a @ b

    half = side // 2
    for dtype, other, n in (("f32", "float32", half), ("bf16", "bfloat16", side)):
        a, b = d.random((n, n), dtype, seed=1), d.random((n, n), dtype, seed=2)
        out = Array(d, (n, n), dtype)
        yield Case(
            f"matmul_{dtype}_{n}",
            [d.bind("matmul", a, b, out)],
            3 * a.nbytes,
            lambda t, other=other, n=n: square(t, other, n),
        )
        a, b = d.random((n, n), dtype, seed=1), d.random((n, n), dtype, seed=2)
        out = Array(d, (n, n), dtype)
        portable = d.bind("matmul", a, b, out, algorithm="portable")
        yield Case(f"matmul_{dtype}_{n}_portable", [portable], 3 * a.nbytes)
    m = [d.random(shape, seed=t) for t in turns]
    v = d.random((side, 1), seed=5)
    yield Case("matvec_f32", [d.bind("matmul", x, v, Array(d, (side, 1), "f32")) for x in m], f32)


_cache: dict[str, Any] = {}


def _add_two(t: Any) -> Callable[[], Any]:
    a, b = (t.rand((SIDE, SIDE), device="cuda") for _ in range(2))
    return lambda: a + b


def _index(t: Any, side: int) -> Any:
    if "index" not in _cache:
        _cache["index"] = t.randint(0, side, (side,), device="cuda")
    return _cache["index"]


def _other(t: Any, side: int) -> Any:
    if "other" not in _cache:
        _cache["other"] = t.rand((side, side), device="cuda")
    return _cache["other"]


def copy_bandwidth(d: Device, side: int, repeats: int) -> float:
    """Bytes per microsecond of the better of the runtime's copy and the copy kernel."""
    n = side * side
    pairs = [(Array(d, (n,), "f32"), Array(d, (n,), "f32")) for _ in range(3)]
    for x, _ in pairs:
        d.bind("fill", x, value=1.0)()

    def runtime(x: Array, o: Array) -> Callable[[], None]:
        return lambda: d.check(
            d.lib.pg_memcpy(
                ctypes.c_void_p(o.data), ctypes.c_void_p(x.data), ctypes.c_size_t(x.nbytes), 2, None
            )
        )

    times = [
        d.time([runtime(x, o) for x, o in pairs], repeats),
        d.time([d.bind("copy", x, o) for x, o in pairs], repeats),
    ]
    print(f"copy of {n * 4 >> 20} MiB: runtime {times[0]:.1f} us, kernel {times[1]:.1f} us")
    d.release()
    return 2 * n * 4 / min(times)


def time_torch(t: Any, make: Callable[[Any], Callable[[], Any]], repeats: int) -> float:
    """Median microseconds of PyTorch's call between two events."""
    call = make(t)
    for _ in range(3):
        call()
    times = []
    for _ in range(repeats):
        a, b = t.cuda.Event(enable_timing=True), t.cuda.Event(enable_timing=True)
        call()  # keeps the device busy while the host enqueues
        a.record()
        call()
        b.record()
        b.synchronize()
        times.append(a.elapsed_time(b) * 1e3)
    return sorted(times)[len(times) // 2]


def table(d: Device, args: argparse.Namespace, torch: Any) -> list[dict[str, Any]]:
    """Run and print the cases."""
    bandwidth = copy_bandwidth(d, args.side, args.repeats)
    print(f"copy bandwidth {bandwidth / 1e6:.3f} TB/s\n")
    print(f"{'case':24} {'us':>9} {'floor':>8} {'ratio':>6} {'reach':>6} {'torch us':>9}")
    results = []
    sources = (cases, cases_select.cases, cases_dense.cases)
    for case in itertools.chain.from_iterable(f(d, args.side) for f in sources):
        if args.op and not any(text in case.name for text in args.op):
            d.release()
            continue
        us = d.time(case.calls, args.repeats)
        d.release()
        floor = case.nbytes / bandwidth
        row: dict[str, Any] = {
            "case": case.name,
            "us": us,
            "floor_us": floor,
            "ratio": us / floor,
            "reach": case.reach,
        }
        if torch is not None and case.torch is not None:
            row["torch_us"] = time_torch(torch, case.torch, args.repeats)
            torch.cuda.empty_cache()
        results.append(row)
        reach = f"{case.reach:.2f}" if case.reach else "-"
        peer = f"{row['torch_us']:9.1f}" if "torch_us" in row else f"{'-':>9}"
        flag = " !" if case.reach and us / floor > case.reach else ""
        print(
            f"{case.name:24} {us:9.1f} {floor:8.1f} {us / floor:6.2f} {reach:>6} {peer}{flag}",
            flush=True,
        )
    return results


def runtime(args: argparse.Namespace, target: str) -> list[dict[str, Any]]:
    """The host cost of one small op, and logistic regression, beside PyTorch's."""
    import host_cost
    import logistic

    import portgpu.ops

    print()
    costs = host_cost.measure(target, str(args.lib))
    host_cost.show(costs)
    print()
    rates = logistic.measure(portgpu.ops.load(target, args.lib))  # type: ignore[arg-type]
    logistic.show(rates, goals=target != "cpu")
    return [{"case": name, "us": us} for name, us in costs.items()] + [
        {"case": f"logistic {name}", "steps_per_s": steps} for name, steps in rates.items()
    ]


def scale(d: Device, args: argparse.Namespace) -> list[dict[str, Any]]:
    """GB/s (of the bytes that must move) from 2^10 to 2^30 elements, in rows of at most 8192."""
    ops: dict[str, tuple[str, dict[str, Any], int]] = {
        "exp": ("same", {}, 8), "sum": ("one", {}, 4), "softmax": ("same", {}, 8),
        "rms_norm": ("norm", {}, 8), "cumsum": ("same", {}, 8), "argmax": ("rows", {}, 4),
        "sort": ("same", {}, 8),
    }  # fmt: skip
    results = []
    print(f"{'elements':>12} " + " ".join(f"{op:>10}" for op in ops) + "   GB/s")
    for power in range(10, args.most + 1, 2):
        n = 1 << power
        shape = (max(n // 8192, 1), min(n, 8192))
        line: dict[str, Any] = {"elements": n}
        for op, (kind, params, per) in ops.items():
            x = d.random(shape)
            if kind == "one":
                call = d.bind(op, x, Array(d, (), "f32"), **params)
            elif kind == "rows":
                call = d.bind(op, x, Array(d, shape[:1], "i64"), **params)
            elif kind == "norm":
                call = d.bind(op, x, d.random(shape[1:]), Array(d, shape, "f32"))
            else:
                call = d.bind(op, x, Array(d, shape, "f32"), **params)
            line[op] = n * per / d.time([call], args.repeats) / 1e3
            d.release()
        results.append(line)
        print(f"{n:12d} " + " ".join(f"{line[op]:10.1f}" for op in ops), flush=True)
    return results


def main() -> int:
    """Parse the command line, run, print, write JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--lib", type=Path, required=True, help="the built op library")
    parser.add_argument("--registry", type=Path, default=KERNELS / "registry.toml")
    parser.add_argument(
        "--side", type=int, default=SIDE, help="side of the square arrays (default 8192)"
    )
    parser.add_argument("--repeats", type=int, default=50)
    parser.add_argument(
        "--op", action="append", help="only cases whose name contains this; may repeat"
    )
    parser.add_argument(
        "--scale", action="store_true", help="sizes from 1 k to 1 G elements instead"
    )
    parser.add_argument("--most", type=int, default=30, help="log2 of the largest size of --scale")
    parser.add_argument("--no-torch", action="store_true")
    parser.add_argument("--json", type=Path, help="write the results here")
    args = parser.parse_args()
    torch = None
    if not args.no_torch and not args.scale:
        try:
            import torch

            torch = torch if torch.cuda.is_available() else None
        except ImportError:
            print("PyTorch is not installed: no comparison")
    d = Device(args.lib, args.registry)
    print(
        f"target {d.lib.pg_target().decode()}" + (f", PyTorch {torch.__version__}" if torch else "")
    )
    results = scale(d, args) if args.scale else table(d, args, torch)
    if not args.scale and not args.op:
        results += runtime(args, d.lib.pg_target().decode())
    if args.json:
        args.json.write_text(json.dumps(results, indent=1) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
