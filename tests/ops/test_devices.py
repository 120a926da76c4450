"""Several devices: ops run where their inputs are, and the caller's current device stays.

The fake library has two devices, and refuses work on one while the other is the current one.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import portgpu.ops as pg
from portgpu.build import binding


@pytest.fixture(scope="module", params=["compiled", "ctypes"])
def ops(request: pytest.FixtureRequest, fake_library: Callable[..., Path]) -> pg.Ops:
    library = fake_library("DEVICES=2", 'DEVICE_ARCH="sm_90"', target="cuda")
    assert binding.build(library) is not None
    found = pg.load("cuda", library, compiled=request.param == "compiled")
    assert found.binding.startswith(request.param)
    return found


def array(ops: pg.Ops, device: int, *values: float) -> pg.DeviceArray:
    with ops.on_device(device):
        made = ops.array(np.array(values, np.float32))
    assert made.device_id == device
    return made


@pytest.mark.parametrize("device", [0, 1])
@pytest.mark.parametrize("current", [0, 1])
def test_ops_run_where_their_inputs_are(ops: pg.Ops, device: int, current: int) -> None:
    a, b = array(ops, device, 1, 2, 3), array(ops, device, 10, 20, 30)
    with ops.on_device(current):
        total = ops.add(a, b)
        assert total.device_id == device and ops.library.get_device() == current
        ops.add(total, b, out=total)
        assert ops.add(a, 2.5).numpy().tolist() == [3.5, 4.5, 5.5]  # a number goes there too
        assert total.numpy().tolist() == [21, 42, 63]
        assert ops.sum(total).numpy() == 126  # with scratch memory
        assert ops.library.get_device() == current
    assert ops.library.get_device() == 0


def test_arrays_of_two_devices_are_refused(ops: pg.Ops) -> None:
    a, b = array(ops, 0, 1, 2), array(ops, 1, 3, 4)
    with pytest.raises(pg.OpDeviceError, match="the inputs are on different devices"):
        ops.add(a, b)
    with pytest.raises(pg.OpError, match="another device"):
        ops.add(a, a, out=b)
    assert b.numpy().tolist() == [3, 4] and ops.library.get_device() == 0


def test_a_failing_call_leaves_the_device(ops: pg.Ops) -> None:
    a, b = array(ops, 1, 1, 2), array(ops, 1, 1, 2, 3)
    with pytest.raises(pg.OpShapeError):
        ops.add(a, b)
    assert ops.library.get_device() == 0
    with pytest.raises(pg.OpDeviceError), ops.on_device(2):
        pass
    assert ops.library.get_device() == 0
