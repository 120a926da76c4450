"""Calls of AMD's own libraries (`--roc`): what they take more, less or in another place.

`portgpu/data/translate/roc_calls.csv` says for each CUDA function how many arguments it has, what
is inserted behind which one ("9:a|b"; "=3" repeats argument 3) and which are dropped. The forms are
those of AMD's hipSPARSE, hipBLAS and hipSOLVER, which call these libraries; a row without a form
says why the call does not fit.
"""

from __future__ import annotations

import csv
import functools
from dataclasses import dataclass

from portgpu import resources
from portgpu.findings import Edit
from portgpu.translate import api, targets
from portgpu.translate.calls import arguments
from portgpu.translate.declared import Declarations
from portgpu.translate.model import Context
from portgpu.translate.rename import foreign

# rocBLAS takes the type of computation as a type of data.
_COMPUTE = {
    b"CUBLAS_COMPUTE_16F": b"rocblas_datatype_f16_r",
    b"CUBLAS_COMPUTE_16F_PEDANTIC": b"rocblas_datatype_f16_r",
    b"CUBLAS_COMPUTE_32F": b"rocblas_datatype_f32_r",
    b"CUBLAS_COMPUTE_32F_PEDANTIC": b"rocblas_datatype_f32_r",
    b"CUBLAS_COMPUTE_32F_FAST_16F": b"rocblas_datatype_f32_r",
    b"CUBLAS_COMPUTE_32F_FAST_16BF": b"rocblas_datatype_f32_r",
    b"CUBLAS_COMPUTE_32F_FAST_TF32": b"rocblas_datatype_f32_r",
    b"CUBLAS_COMPUTE_64F": b"rocblas_datatype_f64_r",
    b"CUBLAS_COMPUTE_64F_PEDANTIC": b"rocblas_datatype_f64_r",
    b"CUBLAS_COMPUTE_32I": b"rocblas_datatype_i32_r",
    b"CUBLAS_COMPUTE_32I_PEDANTIC": b"rocblas_datatype_i32_r",
}


# Types of data in calls of rocSPARSE.
_SPARSE_TYPES = {
    f"CUDA_{cuda}".encode(): f"rocsparse_datatype_{roc}".encode()
    for cuda, roc in (
        ("R_32F", "f32_r"), ("R_64F", "f64_r"), ("C_32F", "f32_c"), ("C_64F", "f64_c"),
        ("R_8I", "i8_r"), ("R_8U", "u8_r"), ("R_32I", "i32_r"), ("R_32U", "u32_r"),
    )
}  # fmt: skip


@dataclass(frozen=True)
class _Form:
    arguments: int
    insert: dict[int, list[str]]
    drop: frozenset[int]
    differs: str


@functools.cache
def forms() -> dict[bytes, _Form]:
    """CUDA name -> how its call is adapted."""
    found: dict[bytes, _Form] = {}
    path = resources.data("translate", "roc_calls.csv")
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            insert = {}
            for part in row["insert"].split():
                place, _, texts = part.partition(":")
                insert[int(place)] = texts.split("|")
            drop = frozenset(map(int, row["drop"].split()))
            form = _Form(int(row["arguments"]), insert, drop, row["differs"])
            found[row["cuda"].encode()] = form
    return found


def rewrite(context: Context, declared: Declarations) -> None:
    """Adapts the arguments of calls that become one of AMD's own libraries; the rest is PG1003."""
    source = context.source
    told: set[bytes] = set()
    for i in context.spots:
        if source.text[i].startswith(b"cusparse"):
            _sparse_types(context, i)
        form = forms().get(source.text[i])
        if form is None or i in context.claimed or foreign(context, declared, i, told):
            continue
        row = api.entry(source.text[i])
        found = arguments(source, i)
        if row is None or not row.roc:
            continue
        why = form.differs
        if not why and (found is None or len(found) != form.arguments):
            why = "its arguments could not be adapted here"
        if (
            not why
            and found is not None
            and any(
                _calls(context, *found[int(text[1:]) - 1])
                for texts in form.insert.values()
                for text in texts
                if text.startswith("=")
            )
        ):
            why = "an argument that it takes twice is a call"
        if why:
            context.report("PG1003", i, f"{row.cuda} and {row.roc} differ: {why}")
            continue
        assert found is not None
        _adapt(context, form, found)


def _sparse_types(context: Context, i: int) -> None:
    close = context.source.match.get(i + 1, i) if context.source.word(i + 1) == b"(" else i
    for k in range(i + 2, close):
        word = context.source.text[k]
        if word in _SPARSE_TYPES and k not in context.claimed and not context.options.hip_types:
            context.replace(k, _SPARSE_TYPES[word])


def _adapt(context: Context, form: _Form, found: list[tuple[int, int]]) -> None:
    source = context.source
    for place, texts in form.insert.items():
        values = [
            targets.translated(context, *found[int(text[1:]) - 1])
            if text.startswith("=")
            else text.encode()
            for text in texts
        ]
        context.insert_after(found[place - 1][1], b"".join(b", " + value for value in values))
    for place in sorted(form.drop):
        first, last = found[place - 1]
        start, end = source.code[found[place - 2][1]].end, source.code[last].end
        context.edits.append(Edit(start, end, b""))
        context.claimed.update(range(first, last + 1))
    for first, last in found:
        for k in range(first, last + 1):
            if source.text[k] in _COMPUTE and not context.options.hip_types:
                context.replace(k, _COMPUTE[source.text[k]])


def _calls(context: Context, first: int, last: int) -> bool:
    source = context.source
    return any(
        source.is_ident(k) and source.word(k + 1) == b"(" and k < last
        for k in range(first, last + 1)
    )
