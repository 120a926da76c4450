"""Kernel launches: kept, or written as hipLaunchKernelGGL, or as the CPU target's macro."""

from __future__ import annotations

import bisect

from portgpu.findings import Edit
from portgpu.source.launch import Launch, launches
from portgpu.source.syntax import Directive, Source
from portgpu.translate import launch_macros
from portgpu.translate.hipify_text import is_kernel_template
from portgpu.translate.model import Context
from portgpu.translate.scope import brace_kind, enclosing_heads


def rewrite(context: Context) -> None:
    """Handles every `<<<>>>` of the file; one that cannot be understood is PG1301."""
    found, unclear = launches(context.source)
    if found:
        context.uses.add("launch")
    convert = context.options.to == "cpu" or context.options.launches == "convert"
    done: set[int] = set()
    if convert and context.options.hipify:
        single = [launch for launch in found if len(launch.config) == 1]
        done = launch_macros.rewrite(context, single, unclear)
    if convert:
        for i in (i for i in unclear if i not in context.claimed and i not in done):
            context.report(
                "PG1301",
                i,
                "this launch could not be understood and is left as it is",
                hint="write it as kernel<<<grid, block, shared, stream>>>(arguments)",
            )
    for launch in found:
        if launch.open in context.claimed or launch.open in done:
            continue
        if not convert:
            _close_up(context, launch)
        kept = not convert or context.options.to == "cpu"
        if len(launch.config) < 2 and not (kept and _from_macro(context.source, launch)):
            context.report("PG1301", launch.open, "a launch needs at least a grid and a block size")
        elif len(launch.config) > 4:
            context.report(
                "PG1301", launch.open, "a launch takes at most four configuration values"
            )
        elif context.options.to == "rocm" and _in_device_code(context.source, launch.open):
            context.report(
                "PG1304",
                launch.open,
                "a kernel is launched from device code, which AMD GPUs cannot do",
                symbol=context.source.text[launch.kernel[0]].decode("utf-8", "replace"),
            )
        elif convert and _holds_directive(context.source, launch):
            context.report(
                "PG1301", launch.open, "a preprocessor directive stands inside of this launch"
            )
        elif convert and _launched(context, range(launch.kernel[0], launch.open)):
            context.report("PG1301", launch.open, "the kernel is the result of another launch")
        elif context.options.to == "cpu":
            _cpu(context, launch)
        elif convert:
            _hip(context, launch)


def _close_up(context: Context, launch: Launch) -> None:
    """`k<< <g, b>> >(a)` -> `k<<<g, b>>>(a)`: Clang wants the brackets in one piece."""
    code = context.source.code
    opener, close = code[launch.open], launch.close
    if opener.end - opener.start > 3:
        context.edits.append(Edit(opener.start, opener.end, b"<<<"))
    for i in (close, close + 1):
        if code[i].end < code[i + 1].start:
            context.edits.append(Edit(code[i].end, code[i + 1].start, b""))


def _holds_directive(source: Source, launch: Launch) -> bool:
    """Whether a directive lies in the launch, where it would be a macro's argument."""
    return has_directive(source, launch.kernel[0], launch.arguments[1])


def has_directive(source: Source, first: int, last: int) -> bool:
    """Whether a directive lies between two tokens."""
    k = bisect.bisect_right(source.directives, first, key=lambda d: d.first)
    return k < len(source.directives) and source.directives[k].last < last


def _launched(context: Context, kernel: range) -> bool:
    """Whether a kernel expression holds a launch itself, converted now or before."""
    return bool(context.claimed.intersection(kernel)) or (
        b"hipLaunchKernelGGL" in context.source.text[kernel.start : kernel.stop]
    )


def _from_macro(source: Source, launch: Launch) -> bool:
    """Whether the configuration is one name, as in `k<<<CONFIG>>>(x)`: a macro's."""
    if len(launch.config) != 1:
        return False
    first, last = launch.config[0]
    return source.is_ident(first) and (last == first or source.match.get(first + 1) == last)


def _in_device_code(source: Source, i: int) -> bool:
    """Whether `i` lies in the body of a `__global__` or device-only function."""
    return any(
        b"__global__" in words or (b"__device__" in words and b"__host__" not in words)
        for brace, words in enclosing_heads(source, i)
        if brace_kind(source, brace) == "function"
    )


def _cpu(context: Context, launch: Launch) -> None:
    context.insert_before(launch.kernel[0], b"PGCPU_LAUNCH((")
    context.replace(launch.open, b"), ")
    context.replace_span(launch.close, launch.close + 2, b")")


def _hip(context: Context, launch: Launch) -> None:
    """hipLaunchKernelGGL(kernel, dim3(grid), dim3(block), shared, stream, arguments...)"""
    source = context.source
    first, last = launch.kernel
    name_open, name_close = kernel_marks(context, first, last)
    context.insert_before(first, b"hipLaunchKernelGGL(" + name_open)
    _between(context, last, launch.open, launch.config[0][0], name_close + b", ")
    for number, (a, b) in enumerate(launch.config):
        if number < 2 and not is_dim3(source, a, b):
            context.wrap(a, b, b"dim3(", b")")
        elif number >= 2 and _bare_comma(context, a, b):
            context.wrap(a, b, b"(", b")")
        if number + 1 < len(launch.config):
            _between(context, b, b + 1, launch.config[number + 1][0], b", ")
    filler = b", 0" * (4 - len(launch.config))
    paren, end = launch.arguments
    after = paren + 1
    _between(
        context, launch.config[-1][1], launch.close, after, filler + b", " * (not launch.empty)
    )
    if not launch.empty:
        _between(context, end - 1, end, end, b"")
    # Commas inside an argument do no harm: the macro is variadic and joins them again.


def kernel_marks(context: Context, first: int, last: int) -> tuple[bytes, bytes]:
    """What stands before and behind the kernel `code[first..last]` in hipLaunchKernelGGL."""
    source = context.source
    words = source.text[first : last + 1]
    # The preprocessor splits macro arguments at commas that no round bracket protects.
    template = b"<" in words or b"," in words
    if first == last and context.options.hipify != "perl":
        body = launch_macros.bodies(source).get(words[0], (1, 0))
        template = b"<" in source.text[body[0] : body[1] + 1]
    if context.options.hipify == "clang" and not template and source.is_ident(last):
        # hipify-clang asks whether the kernel is an instance of a template, deduced or not.
        inside = source.directive_at(last)
        parameter = inside is not None and words[-1] in _parameters(source, inside)
        template = not parameter and is_kernel_template(source, words[-1])
    return (b"HIP_KERNEL_NAME(", b")") if template else (b"", b"")


def _parameters(source: Source, define: Directive) -> list[bytes]:
    """Names of a macro's parameters."""
    opener = define.first + 3
    has = source.word(opener) == b"(" and source.code[opener - 1].end == source.code[opener].start
    return source.text[opener : source.match.get(opener, opener)] if has else []


def _between(context: Context, before: int, first: int, after: int, text: bytes) -> None:
    """Puts `text` in the place of all tokens between `before` and `after`, blanks too.

    Comments stay, and lines unless HIPIFY's text is wanted: then only the tokens are replaced.
    """
    source = context.source
    start, end = source.code[before].end, source.code[after].start
    gap = source.data[start:end]
    context.claimed.update(range(first, after))
    keeps = (b"/*", b"//", b"\\") if context.options.hipify else (b"/*", b"//", b"\\", b"\n", b"\r")
    if not any(sign in gap for sign in keeps):
        context.edits.append(Edit(start, end, text))
        return
    if source.text[first:after] == [b","] and text == b", ":
        return
    for k in range(first, after):
        context.replace(k, text if k == first else b"")


def is_dim3(source: Source, first: int, last: int) -> bool:
    """Whether the expression is exactly one `dim3(...)`."""
    return (
        source.text[first] == b"dim3"
        and source.word(first + 1) == b"("
        and source.match.get(first + 1) == last
    )


def _bare_comma(context: Context, first: int, last: int) -> bool:
    """Whether a comma of the expression is visible to the preprocessor."""
    i = first
    while i <= last:
        word = context.source.text[i]
        if word == b"(":
            i = context.source.match.get(i, last)
        elif word == b",":
            return True
        i += 1
    return False
