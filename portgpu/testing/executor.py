"""Runs one case on a loaded library: buffers with guard bytes, the call, and all checks."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from portgpu.ops import abi
from portgpu.ops.dtypes import DTYPES
from portgpu.ops.errors import OpError
from portgpu.ops.registry import Op
from portgpu.run.model import OpLibrary
from portgpu.testing import fuzz, reference, tolerance
from portgpu.testing.cases import Case
from portgpu.testing.numeric import Array
from portgpu.testing.reference import Call, Expected
from portgpu.testing.values import GUARD, OUTPUT_GUARD, Placed, fill, place

_EXACT = tolerance.Tolerance(
    {"f16": 0.5, "bf16": 0.5, "f32": 0.5, "f64": 0.5}, 0.0, 0.0, "integer-valued: exact"
)
SecondOracle = Callable[[Call, Sequence[Expected]], str]


@dataclass(slots=True)
class Outcome:
    """Result of one case. `message` is empty when it passed."""

    message: str = ""
    ulp: float = 0.0
    used: float = 0.0
    seconds: float = 0.0
    lost: bool = False  # the device does not answer any more; a fresh process has to go on


class _Buffer:
    """Device memory that mirrors a host image."""

    def __init__(self, library: OpLibrary, image: Array) -> None:
        self.library, self.image = library, image
        self.address = library.malloc(max(image.nbytes, 1))
        self.upload()

    def upload(self) -> None:
        source = self.image.ctypes.data
        self.library.memcpy(self.address, source, self.image.nbytes, abi.H2D)

    def download(self) -> Array:
        host = np.empty_like(self.image)
        self.library.memcpy(host.ctypes.data, self.address, host.nbytes, abi.D2H)
        self.library.synchronize()
        return host

    def free(self) -> None:
        self.library.free(self.address)


class Cases:
    """Runs cases one after another on one library and device."""

    def __init__(self, library: OpLibrary, seed: int, second: SecondOracle | None = None) -> None:
        self.library, self.seed, self.second = library, seed, second

    def run(self, case: Case) -> Outcome:
        """Run a case; failures of the library become an outcome, never an exception."""
        began = time.perf_counter()
        buffers: list[_Buffer] = []
        try:
            outcome = self._run(case, buffers)
        except OpError as error:
            outcome = Outcome(error.message, lost=error.status == abi.ERR_DEVICE)
        if not outcome.lost:
            try:
                for buffer in buffers:
                    buffer.free()
            except OpError as error:
                outcome = Outcome(outcome.message or error.message, lost=True)
        outcome.seconds = time.perf_counter() - began
        return outcome

    def _run(self, case: Case, buffers: list[_Buffer]) -> Outcome:
        op = self.library.registry.get(case.op)
        rng = case.rng(self.seed)
        params = {p.name: p.default for p in op.params} | dict(case.params)
        if case.fuzz:
            return self._fuzz(case, op, params, rng, buffers)
        inputs = [None if s is None else place(s, fill(s, rng)) for s in case.inputs]
        outputs = [place(s, fill(s, rng) if op.inout else None) for s in case.outputs]
        placed = [*inputs, *outputs]
        tensors: list[abi.PgTensor | None] = []
        by_name: dict[str, tuple[abi.PgTensor, Placed]] = {}
        for declared, item in zip((*op.inputs, *op.outputs), placed, strict=True):
            if item is None:
                tensors.append(None)
                continue
            buffer = _Buffer(self.library, item.image)
            buffers.append(buffer)
            address = buffer.address + item.start
            code = DTYPES[item.spec.dtype].code
            descriptor = abi.tensor(address, code, item.spec.shape, item.strides)
            tensors.append(descriptor)
            by_name[declared.name] = (descriptor, item)
        mirrors = list(buffers)
        query, size = self.library.workspace_size(op, tensors, params)
        if query and not case.statuses:
            return Outcome(f"pg_{op.name}_workspace: {self._status(query)}")
        workspace = _Buffer(self.library, np.full(size + 2 * GUARD, OUTPUT_GUARD, np.uint8))
        buffers.append(workspace)
        if case.statuses:
            return self._refused(case, op, tensors, by_name, params, mirrors, workspace, size)
        present = [p for p in placed if p is not None]
        call = Call(
            op.reference,
            [None if p is None else p.values for p in inputs],
            case.dtype,
            params,
            [(s.shape, s.dtype) for s in case.outputs],
            [p.values for p in outputs],
        )
        results = self._execute(op, tensors, params, mirrors, workspace, size)
        if isinstance(results, str):
            return Outcome(results)
        outcome = self._judge(case, op, call, present, results, len(case.outputs))
        if not outcome.message and case.repeat and op.deterministic:
            outcome.message = self._again(op, tensors, params, mirrors, workspace, size, results)
        return outcome

    def _execute(
        self,
        op: Op,
        tensors: Sequence[abi.PgTensor | None],
        params: dict[str, Any],
        buffers: Sequence[_Buffer],
        workspace: _Buffer,
        size: int,
    ) -> list[Array] | str:
        """Call the op and fetch all buffers, or say what went wrong."""
        at = workspace.address + GUARD
        status = self.library.call(op, tensors, params, at, size)
        if status:
            text = self._status(status)
            if status == abi.ERR_DEVICE:
                raise OpError(text, status=status)
            return f"a good call was refused: {text}"
        self.library.synchronize()
        after = workspace.download()
        before, behind = after[:GUARD], after[GUARD + size :]
        if (before != OUTPUT_GUARD).any() or (behind != OUTPUT_GUARD).any():
            return f"wrote outside its workspace of {size} bytes"
        return [buffer.download() for buffer in buffers]

    def _judge(
        self,
        case: Case,
        op: Op,
        call: Call,
        placed: Sequence[Placed],
        results: Sequence[Array],
        outputs: int,
    ) -> Outcome:
        split = len(placed) - outputs
        for item, after in zip(placed[:split], results[:split], strict=True):
            if not np.array_equal(item.image, after):
                return Outcome(f"changed its input ({item.spec.describe()})")
        expected = reference.find(op.reference)(call)
        if self.second:
            disagreement = self.second(call, expected)
            if disagreement:
                return Outcome(f"the oracles disagree: {disagreement}")
        allowed = _EXACT if case.exact else tolerance.find(op)
        worst = Outcome()
        for item, after, want, declared in zip(
            placed[split:], results[split:], expected, op.outputs, strict=True
        ):
            rest = after.copy()
            item.view(rest)[...] = item.view(item.image)
            if not np.array_equal(rest, item.image):
                at = int(np.argmax(rest != item.image)) - GUARD
                return Outcome(f"{declared.name}: wrote outside its elements, at byte {at}")
            if op.shape == "elementwise" and want.value.shape != item.spec.shape:
                want = reference.broadcast(want, item.spec.shape)
            verdict = tolerance.compare(item.view(after), want, item.spec.dtype, allowed)
            worst.ulp = max(worst.ulp, verdict.ulp)
            worst.used = max(worst.used, verdict.used)
            if verdict.message:
                worst.message = f"{declared.name}: {verdict.message}"
                return worst
        return worst

    def _again(
        self,
        op: Op,
        tensors: Sequence[abi.PgTensor | None],
        params: dict[str, Any],
        buffers: Sequence[_Buffer],
        workspace: _Buffer,
        size: int,
        first: Sequence[Array],
    ) -> str:
        for buffer in (*buffers, workspace):
            buffer.upload()
        second = self._execute(op, tensors, params, buffers, workspace, size)
        if isinstance(second, str):
            return f"second run: {second}"
        same = all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))
        return "" if same else "two runs differ in their bits, and the op is not documented so"

    def _refused(
        self,
        case: Case,
        op: Op,
        tensors: list[abi.PgTensor | None],
        by_name: dict[str, tuple[abi.PgTensor, Placed]],
        params: dict[str, Any],
        buffers: Sequence[_Buffer],
        workspace: _Buffer,
        size: int,
    ) -> Outcome:
        """Make the call wrong, and check that it says so and writes nothing."""
        names = [t.name for t in (*op.inputs, *op.outputs)]
        keep: list[Any] = []  # arrays that descriptors point into
        at, given = workspace.address + GUARD, size
        for defect in case.defects:
            if defect.target == "workspace":
                if size == 0:
                    return Outcome()  # this call needs none
                at = {"data": 0, "shift": at + 4}.get(defect.field, at)
                given -= 1 if defect.field == "short" else 0
            elif defect.field == "tensor":
                tensors[names.index(defect.target)] = None
            else:
                keep.append(_spoil(by_name, defect.target, defect.field, defect.value))
        status = self.library.call(op, tensors, params, at, given)
        allowed = {abi.STATUS_CODES[name] for name in case.statuses}
        wanted = " or ".join(sorted(case.statuses))
        if status not in allowed:
            if status == 0:
                self.library.synchronize()
                return Outcome(f"accepted bad input; {wanted} is right")
            return Outcome(f"returned {self._status(status)}; {wanted} is right")
        sentence = self.library.last_error()
        if len(sentence.split()) < 3:
            return Outcome(f"{wanted} came without a sentence: pg_last_error() is {sentence!r}")
        self.library.synchronize()
        for buffer in (*buffers, workspace):
            if not np.array_equal(buffer.download(), buffer.image):
                return Outcome(f"refused the call ({sentence}) but wrote to memory")
        return Outcome()

    def _fuzz(
        self,
        case: Case,
        op: Op,
        params: dict[str, Any],
        rng: np.random.Generator,
        buffers: list[_Buffer],
    ) -> Outcome:
        wrong = fuzz.draw(op, (*case.inputs, *case.outputs), params, rng)
        if wrong is None:
            return Outcome()
        buffers += [_Buffer(self.library, it.image) for it in wrong.places]
        made = {it.name: fuzz.descriptor(it, buffers[it.buffer].address) for it in wrong.places}
        tensors = [made[t.name][0] if t.name in made else None for t in (*op.inputs, *op.outputs)]
        mirrors = list(buffers)
        query, size = self.library.workspace_size(op, tensors, wrong.params)
        if size > fuzz.MOST_WORKSPACE:
            return Outcome()
        size = 4096 if query else size
        workspace = _Buffer(self.library, np.full(size + 2 * GUARD, OUTPUT_GUARD, np.uint8))
        buffers.append(workspace)
        at = workspace.address + GUARD
        if size:
            at = {"null": 0, "shift": at + 4}.get(wrong.workspace, at)
        given = max(size - (wrong.workspace == "short"), 0)
        status = self.library.call(op, tensors, wrong.params, at, given)
        sentence = self.library.last_error() if status else ""
        if status != abi.ERR_DEVICE:
            self.library.synchronize()
        message = fuzz.judge(op, wrong, status, sentence, [m.download() for m in mirrors])
        after = workspace.download()
        inside = after[GUARD : GUARD + given] if status == 0 else after[:0]
        if not message and (after != OUTPUT_GUARD).sum() != (inside != OUTPUT_GUARD).sum():
            message = "wrote to workspace that it was not given"
        if message:
            message = f"{'; '.join(wrong.changes)}: {message}"
        return Outcome(message, lost=status == abi.ERR_DEVICE)

    def _status(self, status: int) -> str:
        name = abi.STATUS.get(status, (f"status {status}", OpError))[0]
        return f"{name}: {self.library.last_error() or 'no sentence'}"


def _spoil(
    by_name: dict[str, tuple[abi.PgTensor, Placed]], target: str, field: str, value: Any
) -> Any:
    """Change one field of a descriptor; returns what must stay alive."""
    descriptor, placed = by_name[target]
    if field == "data":
        descriptor.data = None
    elif field == "alias":
        other = by_name[value][0]
        descriptor.data = (other.data or 0) + DTYPES[placed.spec.dtype].size
    elif field == "shape":
        descriptor.shape = None
    elif field == "extent":
        shape = (ctypes.c_int64 * len(placed.spec.shape))(*placed.spec.shape)
        shape[0] = value
        descriptor.shape = ctypes.cast(shape, ctypes.POINTER(ctypes.c_int64))
        return shape
    elif field == "ndim" and value > 0:
        ones = (ctypes.c_int64 * value)(*[1] * value)
        descriptor.shape = ctypes.cast(ones, ctypes.POINTER(ctypes.c_int64))
        descriptor.strides = ctypes.cast(ones, ctypes.POINTER(ctypes.c_int64))
        descriptor.ndim = value
        return ones
    else:
        setattr(descriptor, field, value)
    return None
