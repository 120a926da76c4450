"""Which vendor names of a program the CPU target does not have, from the compiler's errors."""

from __future__ import annotations

import re

from portgpu import mapping
from portgpu.errors import BuildError

# What GCC and Clang say about names, types, members and headers that are not there.
_ERROR = re.compile(r"^(.+?):(\d+)(?::(\d+))?: (?:fatal )?error: (.+)$", re.M)
_NAME = re.compile(
    r"[\u2018'](?P<name>[\w:]+)(?:\([^\u2019']*\))?[\u2019'] (?:was not declared"
    r"|does not name a type|is not a member|has not been declared|in namespace)"
    r"|(?:undeclared identifier|unknown type name|unknown type|unknown class name|no type named"
    r"|no template named|no member named|use of undeclared) '(?P<clang>[\w:]+)'"
    r"|(?P<header>[\w/.+-]+): No such file or directory"
    r"|'(?P<clang_header>[\w/.+-]+)' file not found"
)
_VENDOR = re.compile(
    r"(?:cuda|cu|hip|cublas|cufft|curand|cusparse|cusolver|cudnn|nvrtc|nccl|nvml|hipblas|hipfft|roc|"
    r"CU|HIP|CUDA|NVRTC)(?:[A-Z_]\w*)|__\w+|(?:cub|thrust|nvcuda|hipcub|rocprim|rocwmma|cuda)::\w[\w:]*"
)
_SPACE = re.compile(
    r"(?:member of|namespace) [\u2018'](?:::)?"
    r"((?:cub|thrust|nvcuda|hipcub|rocprim|rocwmma|cooperative_groups|cuda)(?:::\w+)*)[\u2019']"
)
_HEADERS = re.compile(
    r"(?:cuda|cu\w*|hip\w*|nv\w*|nccl\w*|cub|thrust|roc\w*|cooperative_groups|cutlass|mma)(?:[/.].*)?\Z"
)


def located(transcript: str) -> list[str]:
    """`file:line: PG4023: …`, one for each vendor's name or header that a compiler did not find."""
    known = mapping.load()
    found: dict[tuple[str, str], str] = {}
    for error in _ERROR.finditer(transcript):
        path, line, _, text = error.groups()
        named = _NAME.search(text)
        if not named:
            continue
        header = named["header"] or named["clang_header"]
        name = header or named["name"] or named["clang"]
        if header:
            ours = bool(_HEADERS.match(header))
        else:
            last = name.rpartition("::")[2]
            if space := _SPACE.search(text):
                name = f"{space[1]}::{last}"
            ours = bool(_VENDOR.fullmatch(name) or known.find(last))
        if ours:
            what = "the header " if header else ""
            found.setdefault(
                (path, name), f"{path}:{line}: PG4023: the CPU target does not have {what}{name}"
            )
    return list(found.values())


def explain(error: BuildError) -> BuildError:
    """The same error, which names what is missing; unchanged when it is about something else."""
    lines = located(error.detail)
    if not lines:
        return error
    more = f" and {len(lines) - 1} more" if len(lines) > 1 else ""
    return BuildError(
        f"{lines[0]}{more}",
        hint="portgpu explain PG4023; docs/cpu-target.md lists what the CPU target has",
        detail=error.detail.rstrip("\n") + "\n\n" + "\n".join(lines),
    )
