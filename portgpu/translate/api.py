"""The mapping tables as the translator reads them: byte names, and what each becomes."""

from __future__ import annotations

import csv
import difflib
import functools
import re
from collections.abc import Iterable

from portgpu import mapping, resources
from portgpu.mapping import Entry
from portgpu.source.lexer import GAP

# Names that no table knows, but that are spelt like NVIDIA's.
CUDA_LIKE = re.compile(
    rb"(?:cuda[A-Z]|cublas[A-Z]|cufft[A-Z]|curand[A-Z_]|cusparse[A-Z]|cusolver[A-Z]|cudnn[A-Z]"
    rb"|nvrtc[A-Z]|nvml[A-Z]|nvjpeg[A-Z]|cutensor[A-Z]|npp[is][A-Z]|nvshmem|__nv_[a-z]|__NV_"
    rb"|(?:CUDNN|CUBLAS|CUSPARSE|CUSOLVER|CUFFT|CURAND|CUB)_(?!\w*(?:CHECK|CALL|SAFE|ASSERT|TRY|THROW)))"
    rb"\w*\Z"
)
UNANSWERED = re.compile(rb"__CUDA_ARCH_(?:FEAT|SPECIFIC|FAMILY_SPECIFIC|LIST|HAS)\w*\Z")
# Words that rules look at besides the names of the tables.
_WORDS = frozenset(
    b"__CUDACC__ __NVCC__ __CUDA_ARCH__ CUDA_VERSION CUDART_VERSION asm __asm__ __asm"
    b" __launch_bounds__ register texture surface warpSize thrust cub cuda".split()
)
_COMMON = frozenset((b"register", b"texture", b"surface", b"cuda"))
_INCLUDE = re.compile(
    (
        rb"(?:#GAP(?:include|include_next|import)|__has_include\w*GAP\(|#GAPdefine[ \t]+\w+)"
        rb'GAP[<"]([^>"\r\n]+)'
    ).replace(b"GAP", GAP)
)
LOOKUPS = frozenset(
    b"dlsym dlopen GetProcAddress cuGetProcAddress cudaGetDriverEntryPoint LoadLibraryA".split()
)
# In `Options.known`: "#paste:" and the definition of a macro of a local header.
PASTE = b"#paste:"
# And "#address:" with a name that a local header declares as a CUdeviceptr, functions with "()".
ADDRESS = b"#address:"
# And what `portgpu.translate.defaults` has to do: add a default to a declaration, or drop all.
DEFAULT, NO_DEFAULT = b"#default:", b"#no-default:"
_IDENT = re.compile(rb"[A-Za-z_][A-Za-z0-9_]*+")
# Namespaces of NVIDIA's whose members the tables or shims know.
API_NAMESPACES = frozenset(
    (b"cub", b"thrust", b"cooperative_groups", b"nvcuda", b"cuda", b"hipcub", b"std")
)


@functools.cache
def forward() -> dict[bytes, str]:
    """Every CUDA identifier of the tables, as bytes -> text (the key of `entry`)."""
    return {name.encode(): name for name in mapping.load().names}


def entry(name: bytes) -> Entry | None:
    """The table row of a CUDA identifier."""
    text = forward().get(name)
    return mapping.load().get(text) if text is not None else None


@functools.cache
def shims() -> dict[bytes, tuple[str, str, str]]:
    """CUDA name -> (kind, shim, note) of `portgpu/data/translate/compat.csv`.

    Kinds: "call" and "value" are renamed to `pg_compat::shim`; "warp" too, unless the native warp
    is asked for; "text" is replaced by the words in `shim`; "macro" by a macro of that name.
    """
    path = resources.data("translate", "compat.csv")
    with path.open(encoding="utf-8", newline="") as file:
        return {
            row["cuda"].encode(): (row["kind"], row["shim"], row["note"])
            for row in csv.DictReader(file)
        }


def renamed_by_a_path(name: bytes) -> bool:
    """Whether an API's name becomes `pg_compat::name`, which `#ifdef` and `#define` cannot take."""
    kind, _, _ = shims().get(name, ("", "", ""))
    found = entry(name)
    if kind:
        return kind not in ("text", "macro")
    return found is not None and "::" in found.target


@functools.cache
def nearest_name(name: str) -> str:
    """ "did you mean cudaMalloc?" for a misspelt name, or "": of names that start alike."""
    start = name[:5].lower()
    alike = [
        known
        for known in mapping.load().names
        if abs(len(known) - len(name)) < 4 and known[:5].lower() == start
    ]
    close = difflib.get_close_matches(name, alike, n=1, cutoff=0.85)
    return f"did you mean {close[0]}?" if close else ""


class _Interesting(dict[bytes, bool]):
    """Whether a word concerns any rule; each word is looked up once and remembered."""

    def __missing__(self, word: bytes) -> bool:
        found = (
            word in forward()
            or word in shims()
            or word in _WORDS
            or word in LOOKUPS
            or CUDA_LIKE.match(word) is not None
            or UNANSWERED.match(word) is not None
        )
        if len(self) < 1_000_000:
            self[word] = found
        return found


interesting = _Interesting()  # whether any rule looks at an identifier


def concerns(data: bytes, given: Iterable[bytes] = ()) -> bool:
    """Whether a file can hold anything to translate; a quick look that never says no wrongly.

    `given` is `Options.known`: macros of local headers that paste names together count too.
    """
    from portgpu.translate.headers import is_cuda_header, looks_cuda

    if any(
        sign in data
        for sign in (
            b"<<<",
            b"<< <",
            b"__global__",
            b"__device__",
            b"__shared__",
            b"##",
            b"\\\n",
            b"\\\r",
        )
    ):
        return True
    known = interesting
    if b"cuda::std" in data:
        return True
    if any(known[word] and word not in _COMMON for word in set(_IDENT.findall(data))):
        return True
    names = (m.decode("utf-8", "surrogateescape") for m in _INCLUDE.findall(data))
    if any(is_cuda_header(name) or looks_cuda(name) for name in names):
        return True
    if any(word.startswith((ADDRESS, DEFAULT, NO_DEFAULT)) for word in given):
        return True
    pasting = (word[len(PASTE) :] for word in given if word.startswith(PASTE))
    return any(macro.partition(b"(")[0] in data for macro in pasting)


def version(text: str) -> tuple[int, ...]:
    """ "6.2.0" -> (6, 2, 0)"""
    return tuple(int(part) for part in re.findall(r"\d+", text)) if text else ()
