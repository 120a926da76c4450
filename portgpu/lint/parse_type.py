"""The token reader below all parsers, and types. Template lists and casts are settled by the shape
of the text, since declarations of unknown headers are not there."""

from __future__ import annotations

from portgpu.lint.nodes import Expr, Tok, words

BUILTIN_TYPES = words(
    "void bool char short int long float double signed unsigned wchar_t char8_t char16_t "
    "char32_t size_t ssize_t ptrdiff_t int8_t uint8_t int16_t uint16_t int32_t uint32_t "
    "int64_t uint64_t uint uchar ushort ulong half half2 float2 float3 float4 int2 int3 int4 "
    "uint2 uint3 uint4 double2 dim3 __half __half2 __nv_bfloat16 __nv_bfloat162"
)
FUNDAMENTAL = words("void bool char short int long float double signed unsigned wchar_t")
QUALIFIERS = words(
    "const constexpr consteval constinit static extern volatile register inline thread_local "
    "mutable typename struct class enum union friend virtual explicit __shared__ __constant__ "
    "__device__ __host__ __global__ __managed__ __restrict__ __restrict restrict "
    "__forceinline__ __noinline__ __inline__ __inline __grid_constant__ PG_GRID_CONSTANT"
)
ATTRIBUTES = words(
    "__align__ alignas __attribute__ __launch_bounds__ PG_LAUNCH_BOUNDS __declspec "
    "__cluster_dims__ __maxnreg__ __block_size__ decltype"
)
NOT_NAMES = words(
    "return if else for while do switch case default break continue goto sizeof new delete "
    "throw using typedef template namespace operator static_assert asm __asm__ __asm try "
    "catch public private protected true false nullptr this"
)
# What may stand between the angle brackets of template arguments.
_ANGLE_OK = words(":: , * & && ( ) [ ] ... + - / ! % == || | ^ ~ . <= >= !=")
_AFTER_ANGLE = words("( :: <<< { ) , ; > ... ] } & * && =")
OPENING = {"(": ")", "[": "]", "{": "}"}


def match_brackets(tokens: list[Tok]) -> dict[int, int]:
    """Index of the closing bracket for each opening one; unbalanced ones are left out."""
    pairs: dict[int, int] = {}
    stack: list[int] = []
    for index, token in enumerate(tokens):
        if token.kind != "op":
            continue
        if token.text in OPENING:
            stack.append(index)
        elif token.text in (")", "]", "}"):
            while stack and OPENING[tokens[stack[-1]].text] != token.text:
                stack.pop()
            if stack:
                pairs[stack.pop()] = index
    return pairs


class TypeParser:
    """Reads `tokens` at `at`, never beyond `limit`: brackets, template lists, types."""

    def __init__(self, tokens: list[Tok]) -> None:
        self.tokens = tokens
        self.pairs = match_brackets(tokens)
        self.at = 0
        self.limit = len(tokens)

    # -- helpers ---------------------------------------------------------------------------------
    def peek(self, ahead: int = 0) -> str:
        index = self.at + ahead
        return self.tokens[index].text if index < self.limit else ""

    def kind(self, ahead: int = 0) -> str:
        index = self.at + ahead
        return self.tokens[index].kind if index < self.limit else ""

    def make(self, kind: str, text: str, args: list[Expr], first: int) -> Expr:
        """A node that covers tokens `[first, self.at)`."""
        last = max(first, min(self.at, len(self.tokens)) - 1)
        left, right = self.tokens[first], self.tokens[last]
        start, end = min(left.start, right.start), max(left.end, right.end)
        return Expr(kind, text, args, start, end, left.macro or right.macro)

    def angle_end(self, index: int, strict: bool = True) -> int | None:
        """Index behind the `>` that closes the `<` at `index`, if this is a template list."""
        depth = 0
        limit = min(self.limit, index + 200)
        first = index
        while index < limit:
            token = self.tokens[index]
            text = token.text
            if text == "<":
                depth += 1
            elif text == ">":
                depth -= 1
                if depth == 0:
                    after = self.tokens[index + 1].text if index + 1 < self.limit else ";"
                    if not strict or after in _AFTER_ANGLE:
                        return index + 1
                    return None
            elif text in ("(", "["):
                close = self.pairs.get(index)
                if close is None or close >= limit:
                    return None
                index = close
            elif (
                text == "{"
                or (token.kind == "op" and text not in _ANGLE_OK and (strict or text != "="))
                or token.kind == "str"
            ):
                return None
            elif text in ("&&", "||") and depth == 1 and strict and index > first + 1:
                # `a < b && c > (d)` is a comparison far more often than a template argument.
                after = self.tokens[index + 1].text if index + 1 < self.limit else ""
                if after not in (">", ","):
                    return None
            index += 1
        return None

    def adjacent_greater(self) -> str:
        """The operator that starts with `>` here, put together from the lexer's pieces."""
        text = ">"
        index = self.at
        while (
            index + 1 < self.limit
            and len(text) < 3
            and self.tokens[index + 1].glued
            and not text.endswith("=")
        ):
            index += 1
            text += self.tokens[index].text
        return text

    # -- types -----------------------------------------------------------------------------------
    def type_end(self, index: int) -> int | None:
        """Index behind the type that starts at `index`, declarator stars included; else None."""
        named = False
        fundamental = False
        while index < self.limit:
            token = self.tokens[index]
            text = token.text
            if text in ATTRIBUTES and index + 1 < self.limit:
                if self.tokens[index + 1].text != "(":
                    return None
                named = named or text == "decltype"
                index = self.pairs.get(index + 1, index + 1) + 1
            elif text in QUALIFIERS:
                index += 1
            elif text == "[" and self.tokens[min(index + 1, self.limit - 1)].text == "[":
                index = self.pairs.get(index, index) + 1
            elif text in FUNDAMENTAL:
                named = fundamental = True
                index += 1
            elif token.kind == "id" and not named and text not in NOT_NAMES:
                named = True
                index = self.name_end(index)
            elif text == "::" and not named:
                named = True
                index = self.name_end(index + 1)
            else:
                break
            if fundamental and index < self.limit and self.tokens[index].text == "<":
                return None
        if not named:
            return None
        while index < self.limit and self.tokens[index].text in (
            "*", "&", "&&", "const", "volatile", "__restrict__", "__restrict", "restrict", "..."
        ):  # fmt: skip
            index += 1
        return index

    def name_end(self, index: int) -> int:
        """Index behind a qualified name with template arguments, `a::b<c>::d`."""
        index += 1
        while index < self.limit:
            text = self.tokens[index].text
            if text == "<":
                close = self.angle_end(index, strict=False)
                if close is None:
                    return index
                index = close
            elif text == "::" and index + 1 < self.limit:
                index += 1
                while index < self.limit and self.tokens[index].text in ("template", "~"):
                    index += 1
                if index < self.limit and self.tokens[index].kind == "id":
                    index += 1
            else:
                break
        return index

    def type_text(self, first: int, last: int) -> str:
        """The type in tokens `[first, last)` with single blanks between words."""
        out = ""
        skip_to = first
        for index in range(first, last):
            text = self.tokens[index].text
            if index < skip_to:
                continue
            if text in ATTRIBUTES and text != "decltype":
                skip_to = self.pairs.get(index + 1, index) + 1
                continue
            if text == "[" and not out:
                skip_to = self.pairs.get(index, index) + 1
                continue
            if (
                out
                and (out[-1].isalnum() or out[-1] == "_")
                and (text[0].isalnum() or text[0] == "_")
            ):
                out += " "
            out += text
        return out
