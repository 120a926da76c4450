"""Names by the tables, and the residue: every CUDA-only name that is left is a finding."""

from __future__ import annotations

from portgpu.findings import Severity
from portgpu.mapping import Entry, Kind, Status
from portgpu.translate import api, hipify_text, libcudacxx, newer, targets, warp
from portgpu.translate.declared import Declarations
from portgpu.translate.model import Context

_LIBRARY_FAMILIES = frozenset(
    (
        "blas",
        "blaslt",
        "fft",
        "rand",
        "sparse",
        "solver",
        "dnn",
        "nccl",
        "nvrtc",
        "nvtx",
        "cub",
        "thrust",
    )
)
# Fields and functions are found by their own rules when something stands before them.
_MEMBER = (b".", b"->", b".*", b"->*")


def rewrite(context: Context, declared: Declarations) -> None:
    """Renames what the tables rename; reports what they do not know or cannot rename."""
    names = api.forward()
    shims = api.shims()
    told: set[bytes] = set()
    for i in context.spots:
        if i in context.claimed:
            continue
        word = context.source.text[i]
        if _is_tested(context, i) and api.renamed_by_a_path(word):
            continue  # no macro in CUDA either
        if word == b"cuda":
            libcudacxx.rewrite(context, i, _NO_OWNERS)
        elif word in _QUALIFIED and context.source.word(i + 1) == b"::":
            if _is_wrapped(context, declared, i):
                context.replace_span(i - 2, i - 1, b"")
                _qualified(context, i)
            elif not foreign(context, declared, i, told):
                _qualified(context, i)
        elif word in shims:
            if context.source.word(i - 1) == b"::" and shims[word][:2] == ("text", ""):
                _shim(context, i, word)  # a macro, which no class can own: `void A::CUDART_CB f()`
            elif not foreign(context, declared, i, told) and not declared.is_prototype(i):
                _shim(context, i, word)
        elif word in names:
            if not foreign(context, declared, i, told):
                found = api.entry(word)
                assert found is not None
                _entry(context, i, found)
        elif api.CUDA_LIKE.match(word):
            _unknown(context, declared, i, word)


# Words before "::" that name no class or namespace: `typename ::cuda::std::x`, `const ::cub::y`.
_NO_OWNERS = frozenset(
    b"return else case typename const volatile constexpr static inline new delete throw struct"
    b" class enum union using typedef extern sizeof mutable public private protected virtual"
    b" explicit friend operator not and or do auto thread_local __device__ __host__ __global__"
    b" __shared__ __constant__ __forceinline__ template decltype co_return goto".split()
)
# Thrust's templates that ask what a functor returns, or hand it a tuple: see our header for them.
_ASKS_RESULT = frozenset(
    b"make_transform_iterator transform_iterator make_transform_output_iterator transform_reduce"
    b" transform_inclusive_scan transform_exclusive_scan make_zip_iterator zip_iterator".split()
)
# Namespaces whose members have rows of their own, such as "thrust::cuda::par".
_QUALIFIED = frozenset((b"thrust", b"cub"))
_TESTS = frozenset((b"ifdef", b"ifndef", b"undef", b"defined", b"elifdef", b"elifndef"))
_PARTS = 8  # more than any name of the tables has


def _is_wrapped(context: Context, declared: Declarations, i: int) -> bool:
    """`mine::cub::DeviceScan` of a CUB that CUB_WRAPPED_NAMESPACE puts into another namespace.

    hipCUB has no such thing. The file opens no namespace cub, and the table has the name.
    """
    source = context.source
    owner = source.word(i - 2)
    return (
        source.text[i] == b"cub"
        and source.word(i - 1) == b"::"
        and source.is_ident(i - 2)
        and owner not in api.API_NAMESPACES
        and owner not in _NO_OWNERS
        and api.entry(b"cub::" + source.word(i + 2)) is not None
        and any(include.name.startswith("cub/") for include in source.includes)
        and b"namespace" not in {source.word(k - 1) for k in source.places[b"cub"]}
    )


def _qualified(context: Context, i: int) -> None:
    """Renames `a::b::c` by the longest name that the tables have, part by part."""
    source = context.source
    places = [i]
    while (
        len(places) < _PARTS
        and source.word(places[-1] + 1) == b"::"
        and source.is_ident(places[-1] + 2)
    ):
        places.append(places[-1] + 2)
    if source.word(i + 2) in _ASKS_RESULT and context.options.compat:
        context.shims.add("result_of_adaptable_function")
    for length in range(len(places), 0, -1):
        name = b"::".join(source.text[k] for k in places[:length])
        found = api.entry(name)
        if found is None:
            continue
        if found.status is Status.UNSUPPORTED or not found.target:
            _entry(context, places[length - 1], found)
            found = api.entry(source.text[i])
            if found is None or not found.hip:
                return
        target = found.target if context.options.compat else found.hip
        if not target:
            context.report(
                "PG1601",
                places[length - 1],
                f"{found.cuda} has no counterpart in HIP",
                hint=f"our compat header has one: {_with_header(context)}",
                symbol=found.cuda,
            )
            return
        if target.startswith("pg_compat::"):
            context.shims.add(target.removeprefix("pg_compat::"))
        if length == 1 and len(places) > 1 and source.text[i] == b"cub":
            _unlisted(context, places[1])
        if found.family == "cub" and length > 1 and context.options.compat:
            context.needs_part_of_cub(source.text[places[1]])
        newer.since(context, places[length - 1], found)
        parts = target.encode().split(b"::")
        if len(parts) < length:  # one name of ours for a longer one
            context.replace_span(places[0], places[length - 1], target.encode())
            return
        for place, part in zip(places, parts, strict=False):
            context.replace(place, part)
        return


def _unlisted(context: Context, i: int) -> None:
    """A member of `cub` that no table has: hipCUB lacks most of these."""
    name = context.source.text[i].decode("utf-8", "replace")
    context.report(
        "PG1002",
        i,
        f"cub::{name} is in no table, and probably not in hipCUB",
        hint="write it by other parts of CUB, or allow PG1002 for it",
        symbol=f"cub::{name}",
        confidence="likely",
    )


def foreign(context: Context, declared: Declarations, i: int, told: set[bytes]) -> bool:
    """Whether the name at `i` is not the API's: a member, or declared by other code."""
    source = context.source
    before = source.word(i - 1)
    if before in _MEMBER and not (before == b"->" and _is_trailing_return(context, i)):
        return True
    if before == b"goto" or (source.word(i + 1) == b":" and before in (b";", b"{", b"}")):
        return True  # a label
    if before == b"::" and source.is_ident(i - 2):
        owner = source.text[i - 2]
        if _is_api_enum(owner):
            return declared.covers(i - 2)  # "cudaMemcpyKind::cudaMemcpyHostToDevice"
        if owner not in api.API_NAMESPACES and owner not in _NO_OWNERS:
            return True
        return source.text[i] not in (b"std",) and owner == b"std"
    if before == b"::" and source.word(i - 2) == b">":
        return True
    word = source.text[i]
    if word in context.options.known:
        return True
    whole = before == b"::"  # "::cudaFree"
    if not (declared.covers_global(i) if whole else declared.covers(i)):
        return False
    if word in _OVERLOADED and declared.only_functions(i):
        # An overload for a type of the program's own; ours takes every type.
        return False
    if word in told:
        return True
    told.add(word)
    if _stays(word):
        return True
    if word in _SHARED_WITH_HIP and word.startswith(b"__"):
        if word == b"__ldg" or _takes_own_type(context, declared.ranges(word)[0][0]):
            return True
        context.report(
            "PG1402",
            i,
            f"{word.decode()} is defined here, and newer HIP defines it too",
            hint="remove the definition: the translation brings one where HIP has none",
        )
    else:
        context.report(
            "PG1505" if source.word(declared.ranges(word)[0][0] - 1) == b"define" else "PG1008",
            i,
            f"{word.decode('utf-8', 'replace')} is declared by this file and was left alone",
        )
    return True


def _is_trailing_return(context: Context, i: int) -> bool:
    """`auto f() -> cudaError_t`: a type behind an arrow that no member access has."""
    source = context.source
    if source.word(i - 2) not in (
        b")",
        b"const",
        b"noexcept",
        b"mutable",
        b"override",
        b"&",
        b"&&",
    ):
        return False
    found = api.entry(source.text[i])
    return found is not None and found.kind in (Kind.TYPE, Kind.STRUCT)


def _is_api_enum(word: bytes) -> bool:
    """Whether the word is a type of the API, whose enumerators may be written behind it."""
    found = api.entry(word)
    return found is not None and found.kind in (Kind.TYPE, Kind.ENUM, Kind.STRUCT)


def _stays(word: bytes) -> bool:
    """Whether HIP spells the API's name like CUDA, so that nothing was left out."""
    if word in api.shims():
        return False
    found = api.entry(word)
    return found is not None and found.target.encode() == word


# Types that HIP's own functions of warps take, in some version.
_TAKEN_BY_HIP = frozenset(
    b"int unsigned signed long short char float double bool half half2 __half __half2 __nv_bfloat16"
    b" __nv_bfloat162 nv_bfloat16 nv_bfloat162 uint ulong size_t int32_t uint32_t int64_t uint64_t"
    b" void".split()
)


def _takes_own_type(context: Context, i: int) -> bool:
    """Whether the function defined at `i` has a parameter that HIP's has not: an overload."""
    source = context.source
    close = source.match.get(i + 1)
    if source.word(i + 1) != b"(" or close is None:
        return False
    head = i
    while head > 0 and source.text[head - 1] not in (b";", b"}", b"{"):
        head -= 1
    if b"template" in source.text[head:i] or b"define" in source.text[head:i]:
        return False
    for first, last in source.split_commas(i + 2, close - 1):
        words = [w for w in source.text[first : last + 1] if w not in (b"const", b"volatile")]
        if b"::" in words[1:3] or (words and words[0] not in _TAKEN_BY_HIP):
            return True
    return False


# Shims whose names HIP has too, with a meaning of its own that a HIP file wants.
_SHARED_WITH_HIP = frozenset(
    b"__shfl __shfl_up __shfl_down __shfl_xor __ballot __any __all __activemask warpSize __ffs"
    b" __ffsll __syncwarp __shfl_sync __shfl_up_sync __shfl_down_sync __shfl_xor_sync"
    b" __ballot_sync __any_sync __all_sync __match_any_sync __match_all_sync"
    b" atomicAdd_system __ldg".split()
)

# What a program of its own has for a type more: our shims take every type.
_OVERLOADED = _SHARED_WITH_HIP | frozenset(
    b"__ldcs __ldcg __ldca __ldcv __ldlu __stcs __stcg __stwb __stwt".split()
)


def _with_header(context: Context) -> str:
    """What to do to get our header, which is C++."""
    in_c = context.source.path.endswith(".c")
    return "compile the file as C++, with another suffix" if in_c else "leave out --compat none"


def _shim(context: Context, i: int, word: bytes) -> None:
    kind, shim, note = api.shims()[word]
    if context.is_hip and word in _SHARED_WITH_HIP:
        return
    row = api.entry(word)
    if context.options.roc and row is not None and row.family in targets.BELOW:
        _entry(context, i, row)  # our shims call the hip* libraries
    elif context.options.compat is None:
        if kind == "text" and not (context.options.hipify and row is not None and row.hip):
            context.replace(i, shim.encode())
        elif row is not None and (name := targets.target(context, row)).isidentifier():
            context.uses.add(row.family)
            context.replace(i, name.encode())
            if api.version(row.hip_added) > (5, 2, 0):
                context.report("PG1004", i, f"{row.hip} exists from HIP {row.hip_added} on")
            elif row.hip != row.cuda and not context.options.hipify:
                context.report(
                    "PG1003",
                    i,
                    f"{row.cuda} and {row.hip} differ in some versions",
                    hint=f"our compat header has CUDA's form: {_with_header(context)}",
                )
        elif word not in _SHARED_WITH_HIP and word != b"cooperative_groups":
            context.report(
                "PG1001",
                i,
                f"{word.decode()} has no counterpart in HIP",
                hint=f"our compat header has one: {_with_header(context)}",
            )
    elif kind == "warp" and context.options.warp == "native":
        warp.native(context, i, word, shim)
    else:
        if kind == "macro":
            context.shims.add(shim)
        text = shim.encode() if kind in ("text", "macro") else context.shim(shim)
        context.replace(i, text)
        if note:
            special = word.startswith(b"cudaLaunchAttribute")
            context.report("PG1303" if special else "PG1003", i, note)


def _entry(context: Context, i: int, found: Entry) -> None:
    name = found.cuda
    if found.kind is Kind.NAMESPACE and not _is_namespace(context, i):
        return
    if found.kind is Kind.FUNCTION or found.kind is Kind.DEVICE_FUNCTION:
        context.uses.add("device" if found.kind is Kind.DEVICE_FUNCTION else found.family)
    else:
        context.uses.add(found.family)
    if found.family == "dnn" and hipify_text.wants_hipdnn(context):
        hipdnn = hipify_text.hipdnn_names().get(name)
        if hipdnn is not None:
            context.replace(i, hipdnn.encode())
        else:
            context.report("PG1601", i, f"{name} has no counterpart in hipDNN", hint="try --miopen")
        return
    target = targets.target(context, found)
    if not target:
        default = "PG1601" if found.family in _LIBRARY_FAMILIES else "PG1001"
        where = "AMD's own library" if found.hip and context.options.roc else "HIP"
        context.report(
            found.finding or default,
            i,
            f"{name} has no counterpart in {where}" + (f": {found.note}" if found.note else ""),
            hint=f"portgpu mapping {name}",
        )
        return
    if target.startswith("pg_compat::"):
        context.shims.add(target.removeprefix("pg_compat::"))
    if (
        newer.is_brought(found)
        and api.version(found.hip_added) > (5, 2, 0)
        and context.options.compat
    ):
        context.shims.add(target)  # our header names it where HIP does not
    context.replace(i, target.encode())
    if found.status is Status.DIFFERS:
        context.report(
            found.finding or "PG1003",
            i,
            f"{name} and {target} differ" + (f": {found.note}" if found.note else ""),
            hint=f"portgpu mapping {name}",
        )
    elif found.note.startswith("compile with -D"):
        context.report("PG1003", i, f"{target}: {found.note}", severity=Severity.NOTE)
    if target != found.roc or target == found.hip:
        newer.since(context, i, found)


def _is_tested(context: Context, i: int) -> bool:
    """Whether `i` is the name in `#ifdef`, `#undef` or `defined(...)`."""
    source = context.source
    before = source.word(i - 1)
    if before == b"(":
        before = source.word(i - 2)
    return before in _TESTS and source.directive_at(i) is not None


def _is_namespace(context: Context, i: int) -> bool:
    source = context.source
    if source.word(i - 1) == b"namespace":
        return source.word(i + 1) != b"="  # "namespace cub = hipcub;" stays
    return source.word(i + 1) == b"::" or source.word(i - 1) == b"="


def _unknown(context: Context, declared: Declarations, i: int, word: bytes) -> None:
    source = context.source
    if source.word(i - 1) in _MEMBER or word in context.options.known or declared.anywhere(word):
        return
    qualified = source.word(i - 1) == b"::" and source.is_ident(i - 2)
    owner = source.text[i - 2] if qualified else b""
    if (
        qualified
        and owner not in _NO_OWNERS
        and owner not in api.API_NAMESPACES
        and not _is_api_enum(owner)
    ):
        return
    name = word.decode("utf-8", "replace")
    context.report(
        "PG1002",
        i,
        f"{name} looks like a CUDA name, but no table has it and no file here declares it",
        hint=api.nearest_name(name)
        or "if it is yours, pass its header's folder with -I or allow PG1002 for it",
        confidence="likely",
    )
