"""Allocator, streams, events and graphs of the op library, on the CPU target."""

from __future__ import annotations

import gc
import itertools
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import portgpu.ops as pg


@pytest.fixture(scope="module")
def ops(cpu_library: Path) -> pg.Ops:
    return pg.load("cpu", cpu_library)


@pytest.fixture
def settled(ops: pg.Ops) -> Iterator[pg.Ops]:
    gc.collect()
    ops.memory.trim()
    yield ops
    ops.memory.limit(None)


def test_memory_comes_back_without_asking_the_device(settled: pg.Ops, seed: int) -> None:
    library, rng = settled.library, random.Random(seed)
    sizes = [rng.randrange(1 << rng.randrange(1, 22)) for _ in range(40)]

    def turn() -> None:
        held = [library.alloc(size) for size in sizes]
        assert len(set(held)) == len(held) and all(address % 256 == 0 for address in held)
        spans = sorted(zip(held, sizes, strict=True))
        for (low, size), (high, _) in itertools.pairwise(spans):
            assert low + size <= high
        rng.shuffle(held)
        for address in held:
            library.release(address)

    turn()
    before = library.memory_stats()
    for _ in range(5):
        turn()
    after = library.memory_stats()
    assert after.device_allocs == before.device_allocs and after.reserved == before.reserved
    assert after.reused - before.reused == after.allocs - before.allocs == 5 * len(sizes)
    assert after.in_use == before.in_use
    library.memory_trim()
    trimmed = library.memory_stats()
    assert trimmed.reserved < after.reserved and trimmed.device_frees > after.device_frees


@pytest.mark.parametrize("size", [1, 256, 257, 2048, 2049, 4096, 4097, 1 << 20, (1 << 20) + 1])
def test_size_classes_waste_little(settled: pg.Ops, size: int) -> None:
    library = settled.library
    before = library.memory_stats().in_use
    address = library.alloc(size)
    taken = library.memory_stats().in_use - before
    library.release(address)
    assert size <= taken <= max(size + 256, size * 9 // 8 + 1)


def test_limit_holds_and_says_so(settled: pg.Ops) -> None:
    library = settled.library
    reserved = library.memory_stats().reserved
    library.memory_limit(reserved + (8 << 20))
    first = library.alloc(4 << 20)
    with pytest.raises(pg.OpMemoryError, match="the limit is reached") as caught:
        library.alloc(6 << 20)
    assert "trim" in caught.value.hint
    library.release(first)
    second = library.alloc(6 << 20)  # idle memory made room
    library.release(second)
    assert library.memory_stats().reserved <= reserved + (8 << 20)


def test_bad_addresses(ops: pg.Ops) -> None:
    with pytest.raises(pg.OpValueError, match="is not an address of pg_alloc"):
        ops.library.release(4096)
    address = ops.library.alloc(10)
    ops.library.release(address)
    with pytest.raises(pg.OpValueError, match="in use"):
        ops.library.release(address)
    with pytest.raises(pg.OpError, match="more than any device has"):
        ops.library.alloc(1 << 60)


def test_arrays_free_their_memory_in_stream_order(settled: pg.Ops) -> None:
    x = settled.array(np.ones(1000, np.float32))
    with settled.stream() as s:
        y = settled.add(x, x)  # x is used on another stream than it was made on
        assert isinstance(y, pg.DeviceArray) and y.stream == s.handle
    in_use = settled.memory.stats().in_use
    del x
    assert settled.memory.stats().in_use < in_use
    again = settled.empty(1000)
    assert again.shape == (1000,)
    s.synchronize()
    del s
    assert np.array_equal(y.numpy(), np.full(1000, 2, np.float32))  # outlives its stream
    del y, again


def test_streams_and_events(ops: pg.Ops) -> None:
    first, second = ops.stream(), ops.stream()
    with first:
        x = ops.array(np.arange(5, dtype=np.float32))
        with second:
            assert ops.library.current_stream() == second.handle
        assert ops.library.current_stream() == first.handle
    assert ops.library.current_stream() == 0
    start = first.record()
    with first:
        ops.add(x, x, out=x)
    stop = first.record()
    second.wait(stop)
    second.wait(first)
    assert stop.done and start.elapsed(stop) >= 0
    assert ops.add(x, 1, stream=second).numpy().tolist() == [1, 3, 5, 7, 9]
    handle = stop.handle
    del stop
    assert ops.event().handle == handle  # pooled


def test_capture_records_and_replays(ops: pg.Ops) -> None:
    w = ops.array(np.zeros(4, np.float32))
    with ops.capture() as graph:
        ops.add(w, 1.5, out=w)
        doubled = ops.mul(w, 2)
        total = ops.sum(doubled)
    assert graph.ops == 3 and w.numpy().tolist() == [0] * 4  # nothing ran
    for turn in range(1, 4):
        graph.replay()
        assert w.numpy().tolist() == [1.5 * turn] * 4
        assert float(total.numpy()) == 12 * turn
    with ops.stream() as s:
        graph.replay()
        s.synchronize()
    assert w.numpy()[0] == 6


def test_memory_of_a_graph_is_its_own(settled: pg.Ops) -> None:
    x = settled.array(np.full(300, 3, np.float32))
    with settled.capture() as graph:
        result = settled.mul(settled.add(x, x), x)
    for _ in range(20):  # arrays of the same size class, which must not get the graph's
        settled.add(settled.array(np.full(300, -1, np.float32)), x)
    graph.replay()
    assert np.array_equal(result.numpy(), np.full(300, 18, np.float32))
    del graph
    assert np.array_equal(result.numpy(), np.full(300, 18, np.float32))
    in_use = settled.memory.stats().in_use
    del result
    assert settled.memory.stats().in_use < in_use


def test_capture_of_numpy(ops: pg.Ops) -> None:
    x, out = np.arange(6, dtype=np.float32), np.zeros(6, np.float32)
    with ops.capture() as graph:
        ops.mul(x, x, out=out)
    assert not out.any()
    x += 1
    graph.replay()
    assert np.array_equal(out, x * x)


def test_failing_captures(ops: pg.Ops) -> None:
    x = ops.array(np.ones(3, np.float32))
    with pytest.raises(pg.OpShapeError, match="do not broadcast"), ops.capture() as graph:
        ops.add(x, ops.empty(2))
    with pytest.raises(pg.OpError, match="no complete capture"):
        graph.replay()
    with pytest.raises(pg.OpError, match="stream of its own"), ops.capture():
        ops.add(x, x, stream=ops.stream())
    assert ops.add(x, x).numpy().tolist() == [2, 2, 2]  # outside, all is as before
    with ops.capture() as outer, pytest.raises(pg.OpError, match="during a capture"), ops.capture():
        pass
    assert outer.ops == 0
    with pytest.raises(pg.OpValueError, match="default stream cannot be captured"):
        ops.library.graph_begin(0)


def test_managed_memory_is_shared_with_the_host(ops: pg.Ops) -> None:
    x = ops.array(np.arange(4, dtype=np.float32), managed=True)
    seen = x.host()
    seen[:] += 1
    assert x.managed and ops.add(x, 0).numpy().tolist() == [1, 2, 3, 4]
    x.prefetch(-1)
    del x
    assert seen.tolist() == [1, 2, 3, 4]  # the view keeps the memory
    assert not ops.empty((2, 3), "f16").managed


def test_numbers_are_kept(ops: pg.Ops) -> None:
    x = ops.array(np.array([1, 2], np.int32))
    assert ops.add(x, 7).numpy().tolist() == [8, 9]
    before = ops.memory.stats().in_use
    assert ops.add(x, 7).numpy().tolist() == [8, 9]
    assert ops.memory.stats().in_use == before
    with pytest.raises(pg.OpValueError, match="does not fit into i32"):
        ops.add(x, 1 << 40)
    zeros = ops.array(np.zeros(2, np.float32))
    for value in (0.0, -0.0, 0.0):  # equal, but not the same
        got = ops.mul(zeros, value).numpy()
        assert np.signbit(got).tolist() == np.signbit(np.zeros(2) * value).tolist()


def test_several_devices(ops: pg.Ops) -> None:
    with ops.on_device(0):
        assert ops.empty(3).device_id == 0
    with pytest.raises(pg.OpDeviceError, match="set_device"), ops.on_device(7):
        pass
