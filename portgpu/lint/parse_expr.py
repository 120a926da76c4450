"""Expressions and types from tokens: precedence climbing with C++'s template and cast ambiguities
settled by the shape of the text, since declarations of unknown headers are not there."""

from __future__ import annotations

from portgpu.lint.nodes import Expr, Stmt, Tok, Var, words

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
_PRECEDENCE = {
    "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7,
    "<=>": 7, "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10, ".*": 11, "->*": 11,
    "and": 2, "or": 1,
}  # fmt: skip
_ASSIGN = words("= += -= *= /= %= &= |= ^= <<= >>=")
_CASTS = frozenset(["static_cast", "reinterpret_cast", "const_cast", "dynamic_cast"])
# What may stand between the angle brackets of template arguments.
_ANGLE_OK = words(":: , * & && ( ) [ ] ... + - / ! % == || | ^ ~ . <= >= !=")
_AFTER_ANGLE = words("( :: <<< { ) , ; > ... ] } & * && =")
_OPEN = {"(": ")", "[": "]", "{": "}"}


def match_brackets(tokens: list[Tok]) -> dict[int, int]:
    """Index of the closing bracket for each opening one; unbalanced ones are left out."""
    pairs: dict[int, int] = {}
    stack: list[int] = []
    for index, token in enumerate(tokens):
        if token.kind != "op":
            continue
        if token.text in _OPEN:
            stack.append(index)
        elif token.text in (")", "]", "}"):
            while stack and _OPEN[tokens[stack[-1]].text] != token.text:
                stack.pop()
            if stack:
                pairs[stack.pop()] = index
    return pairs


class ExprParser:
    """Reads expressions from `tokens` at `at`, never beyond `limit`."""

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

    def within(self, first: int, limit: int) -> list[Expr]:
        """Comma-separated expressions in tokens `[first, limit)`."""
        saved = self.at, self.limit
        self.at, self.limit = first, limit
        found = []
        while self.at < self.limit:
            before = self.at
            found.append(self.assignment())
            if self.peek() == ",":
                self.at += 1
            elif self.at < self.limit:
                found[-1] = self.skip_raw(found[-1], before)
            if self.at == before:
                self.at += 1
        self.at, self.limit = saved
        return found

    def skip_raw(self, known: Expr, first: int) -> Expr:
        """Step over what is not understood up to the next comma; keeps what was."""
        while self.at < self.limit and self.peek() != ",":
            self.at = self.pairs.get(self.at, self.at) + 1
        node = self.make("raw", "", [known], first)
        if self.peek() == ",":
            self.at += 1
        return node

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

    # -- expressions -----------------------------------------------------------------------------
    def expression(self) -> Expr:
        first = self.at
        left = self.assignment()
        while self.peek() == ",":
            self.at += 1
            right = self.assignment()
            left = self.make("binary", ",", [left, right], first)
        return left

    def assignment(self) -> Expr:
        first = self.at
        left = self.conditional()
        operator = self.peek()
        if operator == ">" and self.adjacent_greater() == ">>=":
            operator = ">>="
            self.at += 2
        if operator in _ASSIGN:
            self.at += 1
            right = self.init_list() if self.peek() == "{" else self.assignment()
            return self.make("assign", operator, [left, right], first)
        return left

    def conditional(self) -> Expr:
        first = self.at
        test = self.binary(1)
        if self.peek() != "?":
            return test
        self.at += 1
        yes = self.expression()
        if self.peek() == ":":
            self.at += 1
        no = self.assignment()
        return self.make("cond", "?", [test, yes, no], first)

    def binary(self, least: int) -> Expr:
        first = self.at
        left = self.unary()
        while True:
            operator = self.peek()
            width = 1
            if operator == ">":
                operator = self.adjacent_greater()
                width = len(operator)
                if operator == ">>>":
                    return left
            if operator == "<" and self.peek(1) == "=":  # only from macro pastes
                return left
            level = _PRECEDENCE.get(operator, 0)
            if level < least or not level:
                return left
            self.at += width
            right = self.binary(level + 1)
            left = self.make("binary", operator, [left, right], first)

    def unary(self) -> Expr:
        first = self.at
        text = self.peek()
        if text in ("-", "+", "!", "~", "*", "&", "++", "--", "&&", "not"):
            self.at += 1
            return self.make("unary", text, [self.unary()], first)
        if text == "sizeof" or text == "alignof":
            return self.sizeof()
        if text == "new" or (text == "::" and self.peek(1) == "new"):
            return self.new()
        if text in ("delete", "throw", "co_await"):
            self.at += 1
            if self.peek() == "[":
                self.at = self.pairs.get(self.at, self.at) + 1
            operand = [self.assignment()] if self.at < self.limit and self.peek() != ";" else []
            return self.make("unary", text, operand, first)
        if text == "(":
            cast = self.cast_end()
            if cast is not None:
                type_text = self.type_text(first + 1, cast)
                self.at = cast + 1
                operand_node = self.unary()
                return self.make("cast", type_text, [operand_node], first)
        return self.postfix(self.primary(), first)

    def cast_end(self) -> int | None:
        """Index of the `)` when `(` here opens a cast."""
        close = self.pairs.get(self.at)
        if close is None or close + 1 >= self.limit or close == self.at + 1:
            return None
        end = self.type_end(self.at + 1)
        if end != close:
            return None
        following = self.tokens[close + 1]
        inside = self.tokens[self.at + 1 : close]
        sure = inside[-1].text in ("*", "&", "const") or any(
            t.text in BUILTIN_TYPES or t.text in ("unsigned", "signed") for t in inside
        )
        if following.kind in ("num", "str", "char"):
            return close
        if following.kind == "id" and following.text not in ("and", "or"):
            return close
        if sure and following.text in ("(", "-", "+", "!", "~", "*", "&", "::", "{", "++", "--"):
            return close
        if following.text in ("~", "!"):
            return close
        # `(T)(x)`: a lone name in parentheses before parentheses is a cast, not a call.
        if following.text == "(" and all(t.kind == "id" or t.text == "::" for t in inside):
            name = inside[-1].text
            return close if name.endswith("_t") or name[:1].isupper() else None
        return None

    def sizeof(self) -> Expr:
        first = self.at
        name = self.peek()
        self.at += 1
        if self.peek() == "...":
            self.at += 1
        if self.peek() == "(":
            close = self.pairs.get(self.at, self.at)
            inner = self.at + 1
            if self.type_end(inner) == close:
                text = self.type_text(inner, close)
                self.at = close + 1
                node = self.make("sizeof", text, [], first)
                node.arrow = name == "alignof"
                return node
            args = self.within(inner, close)
            self.at = close + 1
            return self.make("sizeof", "", args, first)
        return self.make("sizeof", "", [self.unary()], first)

    def new(self) -> Expr:
        first = self.at
        while self.peek() in ("::", "new"):
            self.at += 1
        args: list[Expr] = []
        if self.peek() == "(":
            self.at = self.pairs.get(self.at, self.at) + 1
        start = self.at
        self.at = self.type_end(self.at) or self.at + 1
        text = self.type_text(start, self.at)
        while self.peek() in ("[", "(", "{"):
            close = self.pairs.get(self.at, self.at)
            args += self.within(self.at + 1, close)
            self.at = close + 1
        return self.make("new", text, args, first)

    def init_list(self) -> Expr:
        first = self.at
        close = self.pairs.get(self.at, self.limit - 1)
        args = self.within(self.at + 1, close)
        self.at = close + 1
        return self.make("init", "", args, first)

    def primary(self) -> Expr:
        first = self.at
        if self.at >= self.limit:
            anchor = max(0, min(self.at, len(self.tokens)) - 1)
            end = self.tokens[anchor].end if self.tokens else 0
            return Expr("raw", "", [], end, end)
        token = self.tokens[self.at]
        text = token.text
        if token.kind in ("num", "str", "char"):
            self.at += 1
            while token.kind == "str" and self.kind() == "str":
                text += self.peek()
                self.at += 1
            if self.kind() == "id" and self.peek().startswith("_") and token.kind != "num":
                self.at += 1
            return self.make(token.kind, text, [], first)
        if text == "(":
            close = self.pairs.get(self.at, self.limit - 1)
            inner = self.within_comma(self.at + 1, close)
            self.at = close + 1
            inner.start, inner.end = (
                min(inner.start, token.start),
                max(inner.end, self.tokens[close].end),
            )
            return inner
        if text == "{":
            return self.init_list()
        if text == "[":
            return self.lambda_()
        if text in _CASTS and self.peek(1) == "<":
            angle = self.angle_end(self.at + 1, strict=False)
            if angle is not None and angle < self.limit and self.tokens[angle].text == "(":
                type_text = self.type_text(self.at + 2, angle - 1)
                behind = self.pairs.get(angle, angle)
                inner = self.within_comma(angle + 1, behind)
                self.at = behind + 1
                return self.make("cast", type_text, [inner], first)
        if token.kind == "id" or text == "::":
            return self.name()
        self.at += 1
        return self.make("raw", text, [], first)

    def within_comma(self, first: int, limit: int) -> Expr:
        saved = self.at, self.limit
        self.at, self.limit = first, limit
        node = self.expression() if first < limit else self.make("raw", "", [], max(first - 1, 0))
        if self.at < limit:
            self.at = limit
            node = self.make("raw", "", [node], first)
        self.at, self.limit = saved
        return node

    def name(self) -> Expr:
        first = self.at
        text = ""
        targs: list[Expr] = []
        # Functional casts of fundamental types: `unsigned(x)`, `long long(x)`.
        if self.peek() in FUNDAMENTAL:
            while self.peek() in FUNDAMENTAL:
                text += (" " if text else "") + self.peek()
                self.at += 1
            if self.peek() in ("(", "{"):
                close = self.pairs.get(self.at, self.limit - 1)
                args = self.within(self.at + 1, close)
                self.at = close + 1
                return self.make("cast", text, args[:1], first)
            while self.peek() in ("*", "const", "&"):  # a type as template argument
                text += self.peek()
                self.at += 1
            return self.make("name", text, [], first)
        while self.at < self.limit:
            if self.peek() == "::":
                text += "::"
                self.at += 1
                while self.peek() in ("template", "~"):
                    self.at += 1
            if self.kind() != "id":
                break
            if self.peek() == "operator":
                text += "operator"
                self.at += 1
                while self.at < self.limit and self.peek() != "(":
                    self.at += 1
                break
            if self.peek() in ("const", "typename", "struct") and not text:
                self.at += 1
                continue
            text += self.peek()
            self.at += 1
            if self.peek() == "<" and text not in ("true", "false"):
                end = self.angle_end(self.at)
                if end is not None:
                    targs = self.within(self.at + 1, end - 1)
                    self.at = end
            if self.peek() != "::":
                break
        if self.at == first:
            self.at += 1
        node = self.make("name", text, [], first)
        node.targs = targs
        return node

    def postfix(self, node: Expr, first: int) -> Expr:
        while self.at < self.limit:
            text = self.peek()
            if text == "(":
                close = self.pairs.get(self.at, self.limit - 1)
                args = self.within(self.at + 1, close)
                self.at = close + 1
                node = self.make("call", "", [node, *args], first)
            elif text == "<<<" and node.kind in ("name", "member", "unary"):
                node = self.launch(node, first)
            elif text == "[":
                close = self.pairs.get(self.at, self.limit - 1)
                index = self.within_comma(self.at + 1, close)
                self.at = close + 1
                node = self.make("index", "", [node, index], first)
            elif text in (".", "->"):
                self.at += 1
                while self.peek() in ("template", "~"):
                    self.at += 1
                member = self.peek()
                self.at += 1
                targs: list[Expr] = []
                if self.peek() == "<":
                    end = self.angle_end(self.at)
                    if end is not None and end < self.limit and self.tokens[end].text == "(":
                        targs = self.within(self.at + 1, end - 1)
                        self.at = end
                node = self.make("member", member, [node], first)
                node.arrow = text == "->"
                node.targs = targs
            elif text in ("++", "--"):
                self.at += 1
                node = self.make("post", text, [node], first)
            elif text == "{" and node.kind == "name" and self.braces_construct():
                init = self.init_list()
                node = self.make("call", "", [node, *init.args], first)
            elif text == "..." and self.peek(1) in (",", ")", ">", "}", ""):
                self.at += 1
            else:
                break
        return node

    def braces_construct(self) -> bool:
        """Whether `name {` constructs a value; a block follows only at statement level."""
        close = self.pairs.get(self.at)
        if close is None or close >= self.limit:
            return False
        return not any(t.text == ";" for t in self.tokens[self.at : close])

    def launch(self, callee: Expr, first: int) -> Expr:
        opener = self.at
        index = opener + 1
        while index < self.limit:
            text = self.tokens[index].text
            if text in _OPEN:
                index = self.pairs.get(index, index)
            elif text == ">" and [t.text for t in self.tokens[index : index + 3]] == [">"] * 3:
                # `f<g<1>>>>` closes two template lists first.
                while index + 3 < self.limit and self.tokens[index + 3].text == ">":
                    index += 1
                break
            index += 1
        config = self.within(opener + 1, min(index, self.limit))
        self.at = min(index + 3, self.limit)
        node = self.make("init", "", config, opener)
        args: list[Expr] = []
        if self.peek() == "(":
            close = self.pairs.get(self.at, self.limit - 1)
            args = self.within(self.at + 1, close)
            self.at = close + 1
        return self.make("launch", "", [callee, node, *args], first)

    def lambda_(self) -> Expr:
        first = self.at
        self.at = self.pairs.get(self.at, self.at) + 1
        params: list[Var] = []
        while self.at < self.limit and self.peek() not in ("(", "{"):
            if self.peek() in ("mutable", "constexpr", "__device__", "__host__", "noexcept"):
                self.at += 1
            else:
                break
        if self.peek() == "(":
            close = self.pairs.get(self.at, self.limit - 1)
            params = self.parameters(self.at + 1, close)
            self.at = close + 1
        quals = set()
        while self.at < self.limit and self.peek() not in ("{", ";", ",", ")"):
            quals.add(self.peek())
            self.at += 1
        quals |= {t.text for t in self.tokens[first : self.at]}
        body: list[Stmt] = []
        if self.peek() == "{":
            body = self.block()
        node = self.make("lambda", "__device__" if "__device__" in quals else "", [], first)
        node.body = body
        node.params = params
        return node

    # -- given by the statement parser -------------------------------------------------------------
    def block(self) -> list[Stmt]:
        raise NotImplementedError

    def parameters(self, first: int, limit: int) -> list[Var]:
        raise NotImplementedError
