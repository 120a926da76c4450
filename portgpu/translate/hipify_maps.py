"""What hipify-clang generates besides translations: documentation, a Python map, hipify-perl."""

from __future__ import annotations

from portgpu import mapping
from portgpu.mapping import Status, pages
from portgpu.translate.hipify_stats import type_of

# Family -> the stem of hipify-clang's page about it.
STEMS = {
    "runtime": "CUDA_Runtime_API_functions",
    "driver": "CUDA_Driver_API_functions",
    "device": "CUDA_Device_API",
    "errors": "CUDA_Error_API",
    "half": "CUDA_Half_API",
    "complex": "cuComplex_API",
    "blas": "CUBLAS_API",
    "blaslt": "CUBLASLt_API",
    "rand": "CURAND_API",
    "dnn": "CUDNN_API",
    "fft": "CUFFT_API",
    "sparse": "CUSPARSE_API",
    "solver": "CUSOLVER_API",
    "cub": "CUB_API",
    "nvrtc": "CUDA_RTC_API",
    "nccl": "NCCL_API",
}
_APIS = {
    "runtime": "API_RUNTIME", "errors": "API_RUNTIME", "device": "API_RUNTIME",
    "half": "API_RUNTIME", "driver": "API_DRIVER", "complex": "API_COMPLEX", "blas": "API_BLAS",
    "blaslt": "API_BLAS", "rand": "API_RAND", "dnn": "API_DNN", "fft": "API_FFT",
    "sparse": "API_SPARSE", "solver": "API_SOLVER", "cub": "API_CUB", "nvrtc": "API_RTC",
    "nccl": "API_NCCL", "nvtx": "API_ROCTX", "thrust": "API_THRUST",
    "cooperative_groups": "API_RUNTIME",
}  # fmt: skip
_PERL = """#!/usr/bin/env perl
# Written by portgpu hipify --perl; do not edit. Hands everything on to the translator.
use strict;
use warnings;
exec('portgpu', 'hipify-perl', @ARGV) or die "hipify-perl: cannot start portgpu: $!\\n";
"""


def documentation(form: str, layout: str, roc: str) -> dict[str, str]:
    """File name -> text of the support pages. Raises `UsageError` for an unknown choice."""
    tables = mapping.load()
    made: dict[str, str] = {}
    for family, stem in STEMS.items():
        has_roc = any(row.roc for row in tables.family(family))
        if roc == "joint" and has_roc:
            made[f"{stem}_supported_by_HIP_and_ROC.{form}"] = pages.page(
                tables, family, form, layout, "joint"
            )
            continue
        made[f"{stem}_supported_by_HIP.{form}"] = pages.page(tables, family, form, layout, "skip")
        if roc == "separate" and has_roc:
            made[f"{stem}_supported_by_ROC.{form}"] = pages.page(
                tables, family, form, layout, "separate"
            )
    return made


def perl_script() -> str:
    """A program with hipify-perl's name and options that starts ours."""
    return _PERL


def python_map() -> str:
    """`cuda_to_hip_mappings.py`: ordered maps CUDA name -> (HIP name, type, API)."""
    tables = mapping.load()
    kinds: dict[str, list[str]] = {"TYPE": [], "IDENTIFIER": []}
    names: set[str] = set()
    for family in tables.families:
        if family not in _APIS:
            continue
        for row in tables.family(family):
            if row.status is Status.UNSUPPORTED or not row.hip or "::" in row.cuda:
                continue
            kind = "CONV_" + type_of(row).upper().replace("+", "P")
            names |= {kind, _APIS[family]}
            part = "TYPE" if kind.endswith("TYPE") else "IDENTIFIER"
            kinds[part].append(f'    ("{row.cuda}", ("{row.hip}", {kind}, {_APIS[family]})),\n')
    headers = [
        f'    ("{row.cuda}", ("{row.hip}", CONV_INCLUDE, API_RUNTIME)),\n'
        for row in tables.family("headers")
        if row.hip and row.status is not Status.UNSUPPORTED
    ]
    text = "# Written by portgpu hipify --python; do not edit.\n\nimport collections\n\n"
    text += "".join(f'{name} = "{name}"\n' for name in sorted(names | {"CONV_INCLUDE"}))
    for part, rows in (*kinds.items(), ("INCLUDE", headers)):
        text += f"\nCUDA_{part}_MAP = collections.OrderedDict([\n{''.join(rows)}])\n"
    lists = ", ".join(f"CUDA_{part}_MAP" for part in ("TYPE", "IDENTIFIER", "INCLUDE"))
    return text + f"\nCUDA_TO_HIP_MAPPINGS = [{lists}]\n"
