"""Calls whose arguments need a word: symbols, kernel addresses, typed pointers, attributes."""

from __future__ import annotations

import re

from portgpu.findings import Edit
from portgpu.source.syntax import Source
from portgpu.translate import hipify_text
from portgpu.translate.declared import Declarations
from portgpu.translate.model import Context
from portgpu.translate.rename import foreign

# Function -> index of the argument that names a device symbol.
_SYMBOL = {
    b"cudaMemcpyToSymbol": 0,
    b"cudaMemcpyToSymbolAsync": 0,
    b"cudaMemcpyFromSymbol": 1,
    b"cudaMemcpyFromSymbolAsync": 1,
    b"cudaGetSymbolAddress": 1,
    b"cudaGetSymbolSize": 1,
    b"cudaGetTextureReference": 1,
    b"cudaGraphAddMemcpyNodeToSymbol": 4,
    b"cudaGraphAddMemcpyNodeFromSymbol": 5,
    b"cudaGraphMemcpyNodeSetParamsToSymbol": 1,
    b"cudaGraphMemcpyNodeSetParamsFromSymbol": 2,
    b"cudaGraphExecMemcpyNodeSetParamsToSymbol": 2,
    b"cudaGraphExecMemcpyNodeSetParamsFromSymbol": 3,
}
# Function -> index of the argument that is a kernel; HIP takes const void*.
_KERNEL = {
    b"cudaFuncSetAttribute": 0,
    b"cudaFuncSetCacheConfig": 0,
    b"cudaFuncSetSharedMemConfig": 0,
    b"cudaFuncGetAttributes": 1,
    b"cudaLaunchKernel": 0,
    b"cudaLaunchCooperativeKernel": 0,
}
# Function -> index of the argument that CUDA takes as T** and HIP (in some version) as void**.
_ADDRESS = {
    b"cudaHostAlloc": 0,
    b"cudaMallocHost": 0,
    b"cudaMallocAsync": 0,
    b"cudaMallocFromPoolAsync": 0,
    b"cudaHostGetDevicePointer": 0,
    b"cudaMallocPitch": 0,
    b"cudaGetSymbolAddress": 0,
    b"cudaIpcOpenMemHandle": 0,
}


# Function -> after how many arguments CUDA's declaration has defaults that HIP's (in some version)
# lacks, and which.
_DEFAULTS: dict[bytes, tuple[int, tuple[bytes, ...]]] = {
    b"cudaMalloc3DArray": (3, (b"0",)),
    b"cudaMemcpy2DArrayToArray": (8, (b"hipMemcpyDeviceToDevice",)),
    b"cudaMemcpyToSymbolAsync": (3, (b"0", b"hipMemcpyHostToDevice", b"0")),
    b"cudaMemcpyFromSymbolAsync": (3, (b"0", b"hipMemcpyDeviceToHost", b"0")),
    b"cudaStreamWaitEvent": (2, (b"0",)),
    b"cudaLaunchCooperativeKernel": (4, (b"0", b"0")),
}


# The fourth argument tells shared memory by block size; HIP's function has none.
_NO_CALLBACK = frozenset(
    (b"cuOccupancyMaxPotentialBlockSize", b"cuOccupancyMaxPotentialBlockSizeWithFlags")
)
# CUB's warp-wide class -> how many template arguments come before the number of lanes, and the
# default of the last of them.
_CUB_WARPS = {
    b"WarpReduce": (1, b""),
    b"WarpScan": (1, b""),
    b"WarpExchange": (2, b""),
    b"WarpMergeSort": (2, b""),
    b"WarpLoad": (3, b", hipcub::WARP_LOAD_DIRECT"),
    b"WarpStore": (3, b", hipcub::WARP_STORE_DIRECT"),
}
_UNSIGNED_16 = re.compile(rb"\bunsigned\s+short\b|\bshort\s+unsigned\b|\bu(?:int16_t|short)\b")
_SIGNED_64 = re.compile(rb"(?<!unsigned )\blong\s+long\b|\bint64_t\b")


def arguments(source: Source, i: int) -> list[tuple[int, int]] | None:
    """Arguments of the call whose name is at `i`, or None when `i` is not called."""
    opener = i + 1
    if source.word(opener) == b"<":
        close = source.template_close(opener, len(source.code))
        if close is None:
            return None
        opener = close + 1
    if source.word(opener) != b"(" or opener not in source.match:
        return None
    return source.split_commas(opener + 1, source.match[opener] - 1)


def rewrite(context: Context, declared: Declarations) -> None:
    """Adapts arguments of runtime calls; the names themselves are renamed by the tables."""
    source = context.source
    logical = context.options.warp == "logical" and not context.is_hip
    logical &= context.options.compat is not None or source.path.endswith(".c")
    told: set[bytes] = set()
    if context.options.hipify:
        hipify_text.names(context, declared)
    if logical:
        _cub_warps(context)
    for i in context.spots:
        if i in context.claimed or source.word(i - 1) == b"define":
            continue
        word = source.text[i]
        if word == b"cudaMallocHost" and (context.options.hipify or source.path.endswith(".c")):
            _host_malloc(context, i)  # the flags have a default in C++ alone
        if word in _SYMBOL or word in _KERNEL or word in _ADDRESS:
            found = arguments(source, i)
            if found is None or foreign(context, declared, i, told):
                continue
            _adapt(context, word, found)
            if word in _DEFAULTS:
                _complete(context, word, found)
        elif word in (b"atomicMin", b"atomicMax") and context.options.compat:
            if _SIGNED_64.search(source.data):
                context.shims.add(word.decode())  # an overload of the same name
        elif word == b"atomicCAS" and context.options.compat:
            if _UNSIGNED_16.search(source.data):
                context.shims.add(word.decode())
        elif word in _NO_CALLBACK:
            found = arguments(source, i)
            if found and len(found) > 5 and not foreign(context, declared, i, told):
                _drop_callback(context, i, found)
        elif word == b"cudaEventCreate":
            found = arguments(source, i)
            if found and len(found) == 2 and not foreign(context, declared, i, told):
                context.replace(i, b"hipEventCreateWithFlags")
        elif word in _DEFAULTS:
            found = arguments(source, i)
            if found is not None and not foreign(context, declared, i, told):
                _complete(context, word, found)
        elif word == b"CubDebugExit" and source.word(i + 1) == b"(" and i + 1 in source.match:
            # An if statement in CUB too.
            context.replace(i, b"if (HipcubDebug")
            context.insert_after(source.match[i + 1], b") exit(1)")
            context.claimed.add(i)
        elif word == b"cudaDeviceGetAttribute" and logical:
            found = arguments(source, i)
            if found and len(found) == 3 and b"cudaDevAttrWarpSize" in source.text[
                found[1][0] : found[1][1] + 1
            ]:  # fmt: skip
                _warp_size_attribute(context, i)
        elif word == b"warpSize" and logical and source.word(i - 1) in (b".", b"->"):
            _warp_size_field(context, i)


def _adapt(context: Context, word: bytes, found: list[tuple[int, int]]) -> None:
    source = context.source
    index = _SYMBOL.get(word)
    if index is not None and index < len(found):
        first, last = found[index]
        if source.word(first) != b"HIP_SYMBOL" and last >= first:
            context.wrap(first, last, b"HIP_SYMBOL(", b")")
    hipify = context.options.hipify
    in_c = source.path.endswith(".c")  # which has such conversions by itself, and no such casts
    index = None if in_c else _KERNEL.get(word)
    if index is not None and index < len(found):
        first, last = found[index]
        # HIPIFY casts whatever stands there, (void*)k too.
        cast = _is_kernel_cast(source, first) if hipify else _is_cast(source, first)
        if last >= first and not cast:
            context.wrap(first, last, b"reinterpret_cast<const void*>(", b")")
    index = None if hipify or in_c else _ADDRESS.get(word)
    if index is not None and index < len(found):
        first, last = found[index]
        if last >= first and not _is_cast(source, first):
            context.wrap(first, last, b"reinterpret_cast<void**>(", b")")


def _cub_warps(context: Context) -> None:
    """`cub::WarpReduce<T>` -> `WarpReduce<T, 32>`: hipCUB's default is the device's own width."""
    source = context.source
    if not any(word in source.data for word in _CUB_WARPS):
        return
    names = {b"cub", *re.findall(rb"\bnamespace\s+(\w+)\s*=\s*(?:::\s*)?cub\s*;", source.data)}
    opened = re.search(rb"\busing\s+namespace\s+(?:::\s*)?cub\s*;", source.data) is not None
    for i, word in enumerate(source.text):
        if word not in _CUB_WARPS or source.word(i + 1) != b"<":
            continue
        if source.word(i - 2) not in names if source.word(i - 1) == b"::" else not opened:
            continue
        close = source.template_close(i + 1, len(source.code))
        if close is None:
            continue
        before, default = _CUB_WARPS[word]
        given = len(source.split_commas(i + 2, close - 1))
        if given == before:
            context.insert_after(close - 1, b", 32")
        elif default and given == before - 1:
            context.insert_after(close - 1, default + b", 32")


def _complete(context: Context, word: bytes, found: list[tuple[int, int]]) -> None:
    needed, defaults = _DEFAULTS[word]
    missing = defaults[max(0, len(found) - needed) :]
    if missing and len(found) >= needed:
        context.insert_after(found[-1][1], b"".join(b", " + value for value in missing))


def _drop_callback(context: Context, i: int, found: list[tuple[int, int]]) -> None:
    """Leaves the callback out where it is null; as HIPIFY does, with a warning, any other too."""
    source = context.source
    first, last = found[3]
    null = first == last and source.text[first] in (b"0", b"NULL", b"nullptr")
    if not null and not context.options.hipify:
        return
    start, end = source.code[found[2][1]].end, source.code[last].end
    context.claimed.update(range(found[2][1] + 1, last + 1))
    context.edits.append(Edit(start, end, b""))
    if null:
        context.replace(i, source.text[i].replace(b"cuOccupancy", b"hipModuleOccupancy"))


def _host_malloc(context: Context, i: int) -> None:
    """HIPIFY's spelling: hipHostMalloc(p, n, hipHostMallocDefault)."""
    found = arguments(context.source, i)
    if found is not None and len(found) == 2:
        context.insert_after(found[1][1], b", hipHostMallocDefault")


def _is_kernel_cast(source: Source, first: int) -> bool:
    """Whether the argument starts with `reinterpret_cast<const void*>`, or is a null pointer."""
    words = source.text[first : first + 5]
    return words == [b"reinterpret_cast", b"<", b"const", b"void", b"*"] or words[:1] == [
        b"nullptr"
    ]


def _is_cast(source: Source, first: int) -> bool:
    """Whether the argument starts with a cast to a void pointer."""
    if source.word(first) in (b"reinterpret_cast", b"static_cast"):
        close = source.template_close(first + 1, len(source.code))
        return close is None or b"void" in source.text[first:close]
    if source.word(first) in (b"NULL", b"nullptr", b"0"):
        return True
    close = source.match.get(first)
    return source.word(first) == b"(" and close is not None and b"void" in source.text[first:close]


def _warp_size_field(context: Context, i: int) -> None:
    """`prop.warpSize` -> `pg_compat::logical_warp(prop.warpSize)`, when it is read."""
    from portgpu.source.launch import kernel_start

    source = context.source
    after = source.word(i + 1)
    if after in (b"=", b"+=", b"++", b"--") or source.word(i - 2) in (b"this",):
        return
    start = kernel_start(source, i)
    if start is None or source.word(start - 1) in (b"&", b"++", b"--"):
        return
    if source.word(start - 1) == b"(" and source.word(start - 2) == b"logical_warp":
        return
    base = source.text[start : i - 1]
    # Only structures that this file declares as cudaDeviceProp are surely the runtime's.
    if not is_device_prop(source, base):
        return
    if context.options.compat is None:
        context.replace_span(start, i, b"32")
        return
    context.wrap(start, i, context.shim("logical_warp") + b"(", b")")
    context.claimed.add(i)


def _warp_size_attribute(context: Context, i: int) -> None:
    if context.options.compat is not None:
        context.replace(i, context.shim("device_get_attribute"))
        return
    context.report(
        "PG1003",
        i,
        "the size of a warp is the device's own here, not 32",
        hint="write 32, or compile the file as C++, with another suffix",
    )


def is_device_prop(source: Source, base: list[bytes]) -> bool:
    """Whether the expression `base` is a cudaDeviceProp, by the declarations of this file."""
    depth, name = 0, b""
    for word in reversed(base):  # the last name that is no index
        depth += (word == b"]") - (word == b"[")
        if depth == 0 and word not in (b"[", b")", b"("):
            name = word
            break
    for i, word in enumerate(source.text):
        if word in (b"cudaDeviceProp", b"hipDeviceProp_t", b"hipDeviceProp"):
            for j in range(i + 1, min(i + 12, len(source.text))):
                if source.text[j] in (b";", b")", b"{"):
                    break
                if source.text[j] == name:
                    return True
    return name.lower().find(b"prop") >= 0 and b"cudaDeviceProp" not in source.data
