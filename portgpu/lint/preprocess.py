"""Turns a file into tokens with macros expanded and one branch of every condition chosen.

A linter sees files without their SDK headers, so conditions are three-valued: what is known of the
vendor is decided by the mode (`cuda`, `hip` or `dialect`), and where nothing is known the first
branch is taken, so that optional features are looked at too.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from portgpu.lint.conditions import Condition
from portgpu.lint.nodes import Directive, Macro, Tok
from portgpu.source import Kind, Token, tokenize
from portgpu.source.lexer import has_newline, spell

_KINDS = {
    int(Kind.IDENT): "id",
    int(Kind.PUNCT): "op",
    int(Kind.NUMBER): "num",
    int(Kind.STRING): "str",
    int(Kind.CHAR): "char",
    int(Kind.OTHER): "op",
    int(Kind.HASH): "op",
}
_MAX_EXPANSION = 20_000  # tokens one file may grow by; stops macro bombs
_OTHER_VENDOR = re.compile(r"HIP|ROCM|AMD|MUSA|SYCL|__gfx", re.IGNORECASE)
_NVIDIA = re.compile(r"CUDA|NVCC|CUDNN|CUBLAS", re.IGNORECASE)
_CUDA_VALUES = {
    "__CUDACC__": 1,
    "__NVCC__": 1,
    "__CUDA_ARCH__": 900,
    "CUDA_VERSION": 12040,
    "CUDART_VERSION": 12040,
    "__CUDACC_VER_MAJOR__": 12,
    "__CUDACC_VER_MINOR__": 4,
}
_HIP_VALUES = {"__HIP__": 1, "__HIPCC__": 1, "__HIP_PLATFORM_AMD__": 1, "__HIP_DEVICE_COMPILE__": 1}
_COMMON_VALUES = {"__cplusplus": 201703, "__linux__": 1, "__GNUC__": 11, "NDEBUG": 1}
_UNDEFINED = {"_WIN32", "_MSC_VER", "WIN32", "__APPLE__", "__INTELLISENSE__", "__CUDACC_RTC__"}


@dataclass(slots=True)
class Scanned:
    """A file's tokens and directives before any expansion, and its quoted includes."""

    items: list[Tok | Directive] = field(default_factory=list)
    directives: list[Directive] = field(default_factory=list)
    includes: list[tuple[str, Directive]] = field(default_factory=list)
    comments: list[tuple[int, int]] = field(default_factory=list)


def scan(data: bytes) -> Scanned:
    """Tokens, directives, includes and comments of a file."""
    out = Scanned()
    tokens = tokenize(data)
    previous_end = 0
    line_start = True
    index = 0
    count = len(tokens)
    directive_tokens = (int(Kind.HASH), int(Kind.INCLUDE))
    while index < count:
        token = tokens[index]
        if not line_start:
            line_start = has_newline(data, previous_end, token.start)
        if token.kind == Kind.COMMENT:
            out.comments.append((token.start, token.end))
            # A line comment leaves the line end to the next gap; a block comment may hold one.
            if b"\n" in data[token.start : token.end]:
                line_start = True
            previous_end = token.end
            index += 1
            continue
        if line_start and token.kind in directive_tokens:
            index = _directive(data, tokens, index, out)
            previous_end = out.directives[-1].end
            line_start = True
            continue
        line_start = False
        previous_end = token.end
        out.items.append(_token(data, token, out.items[-1] if out.items else None))
        index += 1
    return out


def _token(data: bytes, token: Token, before: Tok | Directive | None) -> Tok:
    text = spell(data, token).decode("latin-1")
    glued = (
        text in (">", "=")
        and isinstance(before, Tok)
        and before.text == ">"
        and before.end == token.start
    )
    return Tok(_KINDS.get(token.kind, "op"), text, token.start, token.end, "", glued)


def _directive(data: bytes, tokens: list[Token], index: int, out: Scanned) -> int:
    first = tokens[index]
    end = first.end
    line: list[Tok] = []
    name = ""
    if first.kind == Kind.INCLUDE:
        name = "include"
        text = data[first.start : first.end].decode("latin-1")
        found = re.search(r'[<"](.*)[>"]', text)
        path = found.group(1) if found else ""
        line.append(Tok("str", text[text.find(path) - 1 :].strip(), first.start, first.end))
    index += 1
    while index < len(tokens) and not has_newline(data, end, tokens[index].start):
        token = tokens[index]
        end = token.end
        index += 1
        if token.kind == Kind.COMMENT:
            out.comments.append((token.start, token.end))
            continue
        piece = _token(data, token, line[-1] if line else None)
        if not name:
            name = piece.text
        else:
            line.append(piece)
    directive = Directive(name, line, first.start, end)
    if first.kind == Kind.INCLUDE:
        directive.path = path
        out.includes.append((path, directive))
    out.directives.append(directive)
    out.items.append(directive)
    return index


class Preprocessor:
    """Expands one file. `macros` holds what included headers define, and grows while it runs."""

    def __init__(
        self,
        mode: str,
        macros: dict[str, Macro],
        path: str = "",
        include: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.mode = mode
        self.macros = macros
        self.path = path
        self.include = include  # called for each include of a branch that is taken
        self.undefined: frozenset[str] = frozenset()  # names known not to be defined
        self.own: list[Macro] = []
        self.left_out: set[str] = set()  # functions and macros of branches that are not taken
        self._grown = 0
        self._before: Tok | None = None  # the token before, in the head of a device function

    def run(self, scanned: Scanned) -> list[Tok]:
        """The file's tokens. Marks directives in branches that were not taken as inactive."""
        out: list[Tok] = []
        pending: list[Tok] = []
        # Each level: [taken already, active now, parent active]
        levels: list[list[bool]] = []
        active = True
        for item in scanned.items:
            if isinstance(item, Tok):
                if active:
                    pending.append(item)
                else:
                    self._leave_out(item)
                continue
            item.active = active
            if not active and item.name == "define" and item.tokens:
                self.left_out.add(item.tokens[0].text)
            if active and item.name in ("define", "undef"):
                # Uses before a definition must not see it.
                out += self.expand(pending, frozenset())
                pending = []
                self._define(item)
            elif active and item.name == "include":
                out += self.expand(pending, frozenset())
                pending = []
                self.include(item.path)
            elif item.name in ("if", "ifdef", "ifndef"):
                value = self.condition(item) if active else False
                take = value is not False
                levels.append([take, active and take, active])
                active = levels[-1][1]
            elif item.name in ("elif", "elifdef", "elifndef") and levels:
                level = levels[-1]
                take = not level[0] and level[2] and self.condition(item) is not False
                level[0] = level[0] or take
                level[1] = active = take and level[2]
            elif item.name == "else" and levels:
                level = levels[-1]
                level[1] = active = not level[0] and level[2]
                level[0] = True
            elif item.name == "endif" and levels:
                active = levels.pop()[2]
        out += self.expand(pending, frozenset())
        return out

    def _leave_out(self, token: Tok) -> None:
        """Notes the names of device functions in code that is not looked at."""
        if token.text == "__device__":
            self._before = token
        elif token.text == "(" and self._before is not None and self._before.kind == "id":
            self.left_out.add(self._before.text)
            self._before = None
        elif token.text in ("{", ";", "}"):
            self._before = None
        elif self._before is not None:
            self._before = token

    def _define(self, item: Directive) -> None:
        if not item.tokens or item.tokens[0].kind != "id":
            return
        head = item.tokens[0]
        if item.name == "undef":
            self.macros.pop(head.text, None)
            return
        rest = item.tokens[1:]
        params: list[str] | None = None
        if rest and rest[0].text == "(" and rest[0].start == head.end:
            close = next((i for i, t in enumerate(rest) if t.text == ")"), 0)
            params = [t.text for t in rest[1:close] if t.text != ","]
            rest = rest[close + 1 :]
        macro = Macro(head.text, params, rest, item.start, item.end, self.path)
        self.own.append(macro)
        self.macros[head.text] = macro

    def expand(self, tokens: list[Tok], hidden: frozenset[str]) -> list[Tok]:
        """`tokens` with macros replaced; replaced tokens carry the span of the macro's use."""
        macros = self.macros
        out: list[Tok] = []
        index = 0
        count = len(tokens)
        while index < count:
            token = tokens[index]
            index += 1
            macro = macros.get(token.text) if token.kind == "id" else None
            if macro is None or token.text in hidden or self._grown > _MAX_EXPANSION:
                out.append(token)
                continue
            end = token.end
            args: list[list[Tok]] = []
            if macro.params is not None:
                if index >= count or tokens[index].text != "(":
                    out.append(token)
                    continue
                args, after = _arguments(tokens, index)
                end = max(end, tokens[after - 1].end)
                index = after
            name = token.macro or token.text
            start, end = (token.start, token.end) if token.macro else (token.start, end)
            body = self._substitute(macro, args, start, end, name, hidden)
            self._grown += len(body)
            out += self.expand(body, hidden | {token.text})
        return out

    def _substitute(
        self,
        macro: Macro,
        args: list[list[Tok]],
        start: int,
        end: int,
        name: str,
        hidden: frozenset[str],
    ) -> list[Tok]:
        params = macro.params or []
        bound: dict[str, list[Tok]] = {}
        for position, param in enumerate(params):
            if param == "..." or param.endswith("..."):
                rest = args[position:]
                joined: list[Tok] = []
                for number, arg in enumerate(rest):
                    if number:
                        joined.append(Tok("op", ",", start, end, name))
                    joined += arg
                bound["__VA_ARGS__" if param == "..." else param.rstrip(".")] = joined
            elif position < len(args):
                bound[param] = args[position]
        out: list[Tok] = []
        body = macro.body
        index = 0
        while index < len(body):
            token = body[index]
            index += 1
            following = body[index].text if index < len(body) else ""
            if token.text == "#" and following in bound and params:
                text = " ".join(t.text for t in bound[following])
                out.append(Tok("str", f'"{text}"', start, end, name))
                index += 1
            elif token.text == "##" and out and index < len(body):
                right = bound.get(following, [Tok(body[index].kind, following, start, end, name)])
                index += 1
                if right:
                    left = out.pop()
                    out.append(Tok(left.kind, left.text + right[0].text, start, end, name))
                    out += right[1:]
            elif token.text in bound:
                raw = bound[token.text]
                out += raw if following == "##" else self.expand(raw, hidden)
            else:
                out.append(Tok(token.kind, token.text, start, end, name, token.glued))
        return out

    def condition(self, item: Directive) -> bool | None:
        """Value of `#if`, `#ifdef` and so on; None when it cannot be known."""
        tokens = item.tokens
        if item.name in ("ifdef", "elifdef", "ifndef", "elifndef"):
            value = self.defined(tokens[0].text) if tokens else None
            return value if value is None or "n" not in item.name[2:4] else not value
        try:
            value_of = Condition(self, tokens).run()
        except (IndexError, ValueError, ZeroDivisionError, RecursionError):
            return None
        return None if value_of is None else bool(value_of)

    def defined(self, name: str) -> bool | None:
        if name in self.undefined:
            return False
        if name in self.macros:
            return True
        if self.value(name) is not None:
            return True
        if name in _UNDEFINED:
            return False
        if self.mode == "hip":
            if name in _CUDA_VALUES or name == "USE_CUDA":
                return False
            return True if _OTHER_VENDOR.search(name) else None
        if self.mode == "cuda":
            if _OTHER_VENDOR.search(name):
                return False
            return True if _NVIDIA.search(name) else None
        return None

    def value(self, name: str) -> int | None:
        known = {"hip": _HIP_VALUES, "cuda": _CUDA_VALUES}.get(self.mode, {})
        return known.get(name, _COMMON_VALUES.get(name))


def _arguments(tokens: list[Tok], index: int) -> tuple[list[list[Tok]], int]:
    """Arguments of the call whose `(` is at `index`, and the index behind its `)`."""
    depth = 0
    args: list[list[Tok]] = [[]]
    while index < len(tokens):
        text = tokens[index].text
        if text in ("(", "[", "{"):
            depth += 1
            if depth > 1:
                args[-1].append(tokens[index])
        elif text in (")", "]", "}"):
            depth -= 1
            if depth == 0:
                index += 1
                break
            args[-1].append(tokens[index])
        elif text == "," and depth == 1:
            args.append([])
        else:
            args[-1].append(tokens[index])
        index += 1
    return args, index
