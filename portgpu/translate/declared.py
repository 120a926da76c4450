"""Which names a file declares itself, and where: such names are not the API's, whatever they spell.

Token patterns decide; that is enough for code as people write it, and costs nothing in files that
declare no such name. `Declarations` looks only at the names it is asked about.
"""

from __future__ import annotations

import re

from portgpu.source.lexer import Kind
from portgpu.source.syntax import Source
from portgpu.translate import api
from portgpu.translate.covered import end_of_own_branch
from portgpu.translate.regions import declaration_end, further, is_binding, template_head
from portgpu.translate.scope import brace_kind

_BUILTIN = frozenset(
    b"void bool char short int long unsigned signed float double auto size_t half char8_t wchar_t"
    b" char16_t char32_t uchar uint ulong ushort dim3".split()
)
_NEVER_TYPES = frozenset(
    b"return case new delete else goto throw sizeof alignof do co_return co_yield co_await typeid"
    b" operator not and or xor public private protected default break continue if while for switch"
    b" const constexpr static inline extern volatile struct class enum union typename mutable"
    b" register"
    b" using typedef template virtual explicit friend namespace __device__ __host__ __global__"
    b" __shared__ __constant__ __managed__ __restrict__ restrict noexcept override final decltype"
    b" defined ifdef ifndef undef elif include pragma error warning line".split()
)
_AFTER_NAME = frozenset((b"=", b";", b",", b")", b"[", b"(", b"{", b":"))
_AFTER_PARAMETERS = frozenset(
    (b"const", b"noexcept", b"override", b"final", b"try", b"volatile", b"__attribute__", b"throw")
)
_CONDITIONS = (b"if", b"while", b"for", b"switch")
_QUALIFIERS = frozenset((b"const", b"volatile", b"__restrict__", b"*", b"&", b"&&"))
_BEFORE_TYPE = frozenset((b";", b"{", b"}", b"", b"(", b",", b">", b"<", b":"))
_API_TYPE = re.compile(
    rb"(?:cuda|cu|CU|cublas|cufft|curand|cusparse|cusolver|cudnn|nccl|hip)[A-Za-z0-9_]*_t\Z"
    rb"|CU[a-z][A-Za-z0-9_]*|cudaDeviceProp|cudaExtent|cudaPitchedPtr"
)


_COUNTERPARTS = frozenset((b"hipcub", b"rocprim", b"cooperative_groups"))


class Declarations:
    """The ranges of a file in which given names mean what the file declares."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._ranges: dict[bytes, list[tuple[int, int]]] = {}
        self._spots: dict[bytes, list[int]] | None = None

    def spots(self, name: bytes) -> list[int]:
        """All places of a name in `Source.code`."""
        if self._spots is None:
            self._spots = {}
        if name not in self._spots:
            text = self._source.text
            found, at = [], -1
            for _ in range(text.count(name)):
                at = text.index(name, at + 1)
                if self._source.code[at][0] == Kind.IDENT:
                    found.append(at)
            self._spots[name] = found
        return self._spots[name]

    def covers(self, i: int) -> bool:
        """Whether the name at `i` is declared by the file itself, as seen from there."""
        return any(first <= i <= last for first, last in self.ranges(self._source.text[i]))

    def covers_global(self, i: int) -> bool:
        """As `covers` for `::name`, which only declarations outside of all braces can mean."""
        spots = (j for j in self.spots(self._source.text[i]) if self._enclosing(j) is None)
        spans = [self._range(j) for j in spots]
        return any(span is not None and span[0] <= i <= span[1] for span in spans)

    def only_functions(self, i: int) -> bool:
        """Whether every declaration that covers `i` is a function's, and none of them at `i`."""
        spans = [r for r in self.ranges(self._source.text[i]) if r[0] <= i <= r[1]]
        return all(
            first != i
            and self._source.text[first] == self._source.text[i]
            and self._source.word(first + 1) == b"("
            and self._source.word(first - 1) != b"define"
            for first, _ in spans
        )

    def ranges(self, name: bytes) -> list[tuple[int, int]]:
        """The (first, last) index pairs in which the file's own declaration of `name` holds."""
        if name not in self._ranges:
            self._ranges[name] = found = []
            for i in self.spots(name):
                span = self._range(i)
                if span is None:
                    continue
                found.append(span)
                opener = self._enclosing(i)
                if opener is not None and self._source.text[opener] == b"{":
                    found.extend(further(self._source, opener))
        return self._ranges[name]

    def declaration(self, i: int) -> int | None:
        """Index of the innermost declaration that the name at `i` means, if the file has one."""
        found: tuple[int, int] | None = None
        for j in self.spots(self._source.text[i]):
            span = self._range(j) if j <= i else None
            if span is not None and span[0] <= i <= span[1] and (found is None or span >= found):
                found = span[0], j
        return found[1] if found else None

    def members(self, name: bytes, known: set[int | None]) -> bool:
        """Whether classes of the file have members of that name, all declared at `known`."""
        found = set()
        for i in self.spots(name):
            opener = self._enclosing(i) if self._declares(i) else None
            if opener is not None and brace_kind(self._source, opener) == "class":
                found.add(i)
        return bool(found) and found <= known

    def anywhere(self, name: bytes) -> bool:
        """Whether the file declares `name` in any scope, a prototype or member included."""
        return any(self._declares(i) for i in self.spots(name))

    def _range(self, i: int) -> tuple[int, int] | None:
        """The range of the declaration at `i`, or None when `i` declares nothing of the file's."""
        span = self._whole_range(i) if self._declares(i) else None
        last = end_of_own_branch(self._source, i) if span else None
        return span if span is None or last is None else (span[0], min(span[1], last))

    def _whole_range(self, i: int) -> tuple[int, int] | None:
        source = self._source
        end = len(source.code) - 1
        directive = source.directive_at(i)
        if directive is not None:
            if directive.name == b"define" and i == directive.first + 2:
                # A macro that may not be defined hides nothing but its own definition.
                conditional = directive.first in source.conditional
                return i, directive.last if conditional else self._undef(i) or end
            return directive.first, directive.last
        head = template_head(self._source, i)
        if head is not None:
            return i, declaration_end(self._source, head)
        opener = self._enclosing(i)
        while opener is not None and source.text[opener] == b"[":
            if not is_binding(self._source, opener):  # a lambda's capture
                return opener, declaration_end(self._source, source.match.get(opener, i))
            opener = self._enclosing(opener)
        if opener is None:
            return self._at_namespace_scope(i, end)
        close = source.match.get(opener, end)
        if source.text[opener] == b"(":
            return self._parameter(i, opener, close)
        kind = brace_kind(source, opener)
        if kind == "class":
            return opener, close
        if kind == "enum":
            return self._enumerator(opener, close, end)
        if kind == "namespace" and source.word(opener - 1) == b"namespace":
            outer = self._enclosing(
                opener
            )  # an unnamed one: its names are those of the scope around
            return i, end if outer is None else source.match.get(outer, end)
        if kind == "namespace":
            if source.word(opener - 1) not in (b"namespace",) and self._extern_c(opener):
                return self._at_namespace_scope(i, close)
            return i, close
        return i, close

    def _extern_c(self, opener: int) -> bool:
        return self._source.word(opener - 2) == b"extern"

    def _at_namespace_scope(self, i: int, end: int) -> tuple[int, int] | None:
        source = self._source
        if source.word(i + 1) == b"(":
            close = source.match.get(i + 1)
            after = source.word(close + 1) if close is not None else b""
            # A prototype without a body redeclares the API's function.
            if after == b";":
                return None
        return i, end

    def _parameter(self, i: int, opener: int, close: int) -> tuple[int, int] | None:
        """A parameter or a variable of a for/if/while head: to the end of the body."""
        source = self._source
        j = close + 1
        while j < len(source.code) and source.text[j] not in (b"{", b";", b"}", b"=", b","):
            if source.text[j] == b"(" or source.text[j] == b"[":
                j = source.match.get(j, j)
            j += 1
        if source.word(j) == b"{":
            return opener, source.match.get(j, len(source.code) - 1)
        return opener, max(close, min(j, len(source.code) - 1))

    def _enumerator(self, opener: int, close: int, end: int) -> tuple[int, int]:
        j = opener
        while j > 0 and self._source.text[j] != b"enum":
            j -= 1
        if self._source.word(j + 1) in (b"class", b"struct"):
            return opener, close
        outer = self._enclosing(opener)
        return opener, end if outer is None else self._source.match.get(outer, end)

    def _undef(self, i: int) -> int | None:
        name = self._source.text[i]
        for d in self._source.directives:
            if d.first > i and d.name == b"undef" and self._source.word(d.first + 2) == name:
                return d.last
        return None

    def _enclosing(self, i: int, limit: int = 1_000_000) -> int | None:
        """Index of the innermost bracket that is open at `i`."""
        source = self._source
        j = i - 1
        while j >= 0 and limit:
            word = source.text[j]
            if word in (b")", b"]", b"}"):
                j = source.match.get(j, j)
            elif word in (b"(", b"{", b"[") and source.match.get(j, -1) > i:
                return j
            j -= 1
            limit -= 1
        return None

    def is_prototype(self, i: int) -> bool:
        """Whether the name at `i` is that of a function's declaration without a body."""
        source = self._source
        close = source.match.get(i + 1, -2) if source.word(i + 1) == b"(" else -2
        return source.word(close + 1) == b";" and self._declares(i)

    def _declares(self, i: int) -> bool:
        """Whether the token pattern around `i` declares a name."""
        source = self._source
        before, after = source.before(i), source.word(i + 1)
        if before == b"define" and source.word(i - 2) in (b"#", b"%:"):
            return True
        if before == b"namespace" and after == b"=" and source.word(i + 2) in _COUNTERPARTS:
            return False  # "namespace cub = hipcub;" gives the API's name its own meaning
        if before in (b"class", b"struct", b"union", b"enum", b"namespace"):
            if before == b"class" and after in (b",", b">", b"="):
                return True  # a template parameter
            return after in (b"{", b":", b"final") or (before == b"namespace" and after == b"=")
        if before == b"using":
            return after == b"="
        if before == b"::" and after == b";":
            return self._is_using(i)
        if before in (b"[", b",") and after in (b",", b"]", b"="):
            opener = self._enclosing(i, 400)
            if opener is not None and source.text[opener] == b"[":
                lambda_ = not source.is_ident(opener - 1) and source.word(opener - 1) not in b")]"
                return is_binding(self._source, opener) or (after == b"=" and lambda_)
        if after in (b">", b",", b"=") and template_head(self._source, i) is not None:
            return self._after_type(i, before, b"=")
        if before == b"typename":
            return after in (b",", b">", b"=")
        if after not in _AFTER_NAME and not (after == b"}" and before in (b"{", b",")):
            return False
        if before in (b"{", b",") and after in (b",", b"}", b"="):
            opener = self._enclosing(i, 4000)
            braced = opener is not None and source.text[opener] == b"{"
            if opener is not None and braced and brace_kind(source, opener) == "enum":
                return True
            if before == b"{":
                return False
        if before == b"*" and source.word(i - 2) == b"(" and source.word(i + 2) == b"(":
            # "void (*name)(int)"
            kept = source.word(i - 3)
            return after == b")" and (
                kept in (b"*", b"&", b">")
                or (source.is_ident(i - 3) and (kept in _BUILTIN or kept not in _NEVER_TYPES))
            )
        if before in (b"(", b",") and after in (b")", b",") and self._is_macro_parameter(i):
            return True
        if before == b",":
            return self._in_declarator_list(i)
        if before == b"}":
            opener = source.match.get(i - 1)
            return (
                after in (b";", b"=", b"[", b",")
                and opener is not None
                and brace_kind(source, opener) in ("class", "enum")
            )
        return self._after_type(i, before, after)

    def _after_type(self, i: int, before: bytes, after: bytes) -> bool:
        source = self._source
        j = i - 1
        if j in source.directive_ends and source.directive_at(i) is None:
            return False  # the last word of a directive before is no type
        while j >= 0 and source.text[j] in _QUALIFIERS:
            j -= 1
        if j < 0 or (j < i - 1 and not any(source.text[k] in (b"*", b"&", b"&&", b"const")
                                           for k in range(j + 1, i))):  # fmt: skip
            return False
        starred = j < i - 1
        if source.text[j] == b">":
            opener = source.template_open(j)
            if opener is None or source.text[opener - 1] == b"template":
                return False
            head = self._type_start(opener - 1)
            return source.before(head) in (b";", b"{", b"}", b"(", b",", b"", b"const", b"static")
        if not source.is_ident(j) or source.text[j] in _NEVER_TYPES:
            return False
        word = source.text[j]
        typeish = word in _BUILTIN or word.endswith(b"_t") or _API_TYPE.match(word) is not None
        head = self._type_start(j)
        first = source.before(head)
        if first == b"const":
            typeish = True
        if after == b"(":
            close = source.match.get(i + 1)
            tail = source.word(close + 1) if close is not None else b""
            if tail == b"{":
                return True
            if close is not None and source.is_ident(close + 1) and tail not in _AFTER_PARAMETERS:
                return False  # "void __cluster_dims__(2) k()": a specifier
            if first == b"const":
                first = source.before(head - 1)
            return typeish and (not starred or first in (b";", b"{", b"}", b""))
        if starred and not source.is_ident(head - 1) and first not in _BEFORE_TYPE:
            return False  # "x = a * name;"
        if starred and not typeish:
            return first in (b";", b"{", b"}", b"") or self._in_parameters(i)
        if not typeish and first not in (b";", b"{", b"}", b"(", b",", b"", b":", b"static",
                                         b"inline", b"extern", b"typedef", b"<",
                                         b"constexpr", b"struct", b"enum", b"class"):  # fmt: skip
            # "MACRO name;" and the like still declare when the word is no operator's operand.
            return source.is_ident(head - 1)
        return True

    def _type_start(self, j: int) -> int:
        """First token of the qualified type name that ends at `j`."""
        source = self._source
        while source.word(j - 1) == b"::" and (source.is_ident(j - 2) or j >= 1):
            j -= 2 if source.is_ident(j - 2) else 1
            if not source.is_ident(j):
                break
        return j

    def _is_using(self, i: int) -> bool:
        """`using ns::name;` of a namespace that is not one of the API's."""
        source = self._source
        j = i - 1
        while source.word(j) == b"::" and source.is_ident(j - 1) and source.text[j - 1] != b"using":
            j -= 2
        first = source.word(j + 1)
        return source.word(j) == b"using" and j + 1 < i and first not in api.API_NAMESPACES

    def _in_parameters(self, i: int) -> bool:
        """Whether `i` lies in the parameter list of a declaration, not in a call's arguments."""
        source = self._source
        opener = self._enclosing(i, 400)
        close = source.match.get(opener) if opener is not None else None
        if opener is None or close is None or source.text[opener] != b"(":
            return False
        if source.word(opener - 1) == b"]" or source.word(close + 1) in (b"{", b"const", b"->"):
            return source.word(opener - 1) not in _CONDITIONS
        head = self._type_start(opener - 1)
        before = source.word(head - 1)
        named = source.is_ident(head - 1) and before not in _NEVER_TYPES
        return source.is_ident(opener - 1) and (named or before in (b"*", b"&", b">"))

    def _is_macro_parameter(self, i: int) -> bool:
        """Whether `i` lies in the parameter list of a `#define`."""
        source = self._source
        opener = self._enclosing(i, 400)
        return (
            opener is not None
            and source.word(opener) == b"("
            and source.word(opener - 2) == b"define"
            and source.code[opener].start == source.code[opener - 1].end
        )

    def _in_declarator_list(self, i: int) -> bool:
        """`T a = 1, name;` rather than `f(a, name)`."""
        source = self._source
        j = i - 1
        steps = 0
        while j >= 0 and steps < 400:
            word = source.text[j]
            if word in (b")", b"]", b"}"):
                j = source.match.get(j, j)
            elif word in (b";", b"{", b"}") or j in source.directive_ends:
                break
            elif word in (b"(", b"["):
                if source.word(j - 1) != b"for":
                    return False
                break
            j -= 1
            steps += 1
        first = j + 1
        while source.word(first) in (b"const", b"static", b"unsigned", b"volatile", b"constexpr"):
            first += 1
        if not source.is_ident(first) or source.text[first] in _NEVER_TYPES:
            return source.word(first - 1) == b"unsigned"
        second = source.word(first + 1)
        return source.is_ident(first + 1) or second in (b"*", b"&")
