"""PG2070: GPU architectures fixed in CMake files."""

from __future__ import annotations

import re
from collections.abc import Iterator

from portgpu.findings import Severity
from portgpu.lint.options import Options
from portgpu.lint.rule import Example, Report, Rule

_COMMENT = re.compile(r"#\[(=*)\[.*?\]\1\]|#[^\n]*", re.DOTALL)
_SET = re.compile(
    r"\bset\s*\(\s*(CMAKE_(?:CUDA|HIP)_ARCHITECTURES|CUDA_ARCHITECTURES|CUDA_ARCH_LIST|GPU_TARGETS|"
    r"AMDGPU_TARGETS|TORCH_CUDA_ARCH_LIST)\s+((?:\"[^\"]*\"|[^)\"])*)\)",
    re.IGNORECASE,
)
_PROPERTY = re.compile(
    r"\b(CUDA_ARCHITECTURES|HIP_ARCHITECTURES)\s+"
    r"(\"?(?:\d{2,3}[af]?(?:-(?:real|virtual))?|gfx\w+)[\w;\- ]*\"?)"
)
_FLAG = re.compile(
    r"-gencode[ =,]*arch=compute_\w+,code=\\?\[?\w+|-arch=sm_\w+|--offload-arch=gfx\w+"
)
_VALUE = re.compile(r"\d{2,3}|gfx\w+|\bsm_\d+")


class CmakeArchs(Rule):
    id = "PG2070"
    title = "GPU architectures fixed in a CMake file"
    severity = Severity.WARNING
    language = "cmake"
    explain = """
A list that is set unconditionally overrides what the person who builds asks for, ages with every
GPU generation, and knows one vendor. The binary then lacks code for the card it runs on: "invalid
device function" on AMD, or a slow just-in-time compilation on NVIDIA.

Set a default only where nothing was given: `if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)`, keep one
variable a vendor, and let `CMAKE_HIP_ARCHITECTURES` and `CMAKE_CUDA_ARCHITECTURES` come from
outside.
"""
    invalid = (
        Example(
            """
            set(CMAKE_CUDA_ARCHITECTURES 70 80)  # // finding
            set(CMAKE_CUDA_FLAGS "-gencode arch=compute_80,code=sm_80")  # // finding
            set_target_properties(k PROPERTIES CUDA_ARCHITECTURES "80")  # // finding
            """,
            path="CMakeLists.txt",
        ),
    )
    valid = (
        Example(
            """
            if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
              set(CMAKE_CUDA_ARCHITECTURES 70 80)
            endif()
            # set(CMAKE_CUDA_ARCHITECTURES 70)
            set(CMAKE_CUDA_ARCHITECTURES "80" CACHE STRING "GPUs")
            set_target_properties(k PROPERTIES CUDA_ARCHITECTURES "${MY_ARCHS}")
            """,
            path="CMakeLists.txt",
        ),
    )

    def check_text(self, text: str, options: Options) -> Iterator[Report]:
        bare = _COMMENT.sub(lambda m: " " * len(m[0]), text)
        guarded = list(_guards(bare))
        hint = "set it only where it is not defined, and let it come from outside"
        for found in _SET.finditer(bare):
            value = found[2]
            if not _VALUE.search(value) or re.search(r"\bCACHE\b|\$\{", value):
                continue
            if any(a <= found.start() < b for a, b in guarded):
                continue
            message = f"{found[1]} is fixed here, whatever the builder asks for"
            yield Report(found.start(), found.end(), message, hint, symbol=found[1])
        for found in _PROPERTY.finditer(bare):
            if not any(a <= found.start() < b for a, b in guarded):
                message = f"{found[1]} is fixed for this target"
                yield Report(found.start(), found.end(), message, hint, symbol=found[1])
        for found in _FLAG.finditer(bare):
            if not any(a <= found.start() < b for a, b in guarded):
                message = f"{found[0]} fixes an architecture in the flags"
                yield Report(found.start(), found.end(), message, hint, symbol=found[0])


def _guards(text: str) -> Iterator[tuple[int, int]]:
    """Ranges of `if(NOT …ARCH…)` blocks, which are taken only where nothing was asked for."""
    stack: list[tuple[bool, int]] = []
    for found in re.finditer(r"\b(if|else|elseif|endif)\s*\(([^)]*)\)", text, re.IGNORECASE):
        word = found[1].lower()
        if word == "if":
            wanted = re.search(r"NOT\b.*(?:ARCH|TARGETS)|ARCH\w*\"?\s+STREQUAL\s+\"\"", found[2])
            stack.append((wanted is not None, found.end()))
        elif word == "endif" and stack:
            guard, start = stack.pop()
            if guard:
                yield start, found.start()
