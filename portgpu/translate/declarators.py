"""Whether the tokens around a name declare it.

Patterns decide; that is enough for code as people write it.
"""

from __future__ import annotations

import re

from portgpu.source.syntax import Source
from portgpu.translate import api
from portgpu.translate.regions import is_binding, template_head
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


class Declarators:
    """The names of one file, asked by their index in `Source.code`."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def declares(self, i: int) -> bool:
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
            opener = source.enclosing(i)
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
            opener = source.enclosing(i)
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
        if first in (b"const", b"struct", b"enum", b"union", b"class"):
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
        opener = source.enclosing(i)
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
        opener = source.enclosing(i)
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
