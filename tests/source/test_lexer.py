"""The lexer: spans, literals, comments, directives; it never fails and loses nothing."""

# ruff: noqa: E501 (tables of cases)

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portgpu.errors import InternalError
from portgpu.findings import Edit
from portgpu.source import Kind, LineIndex, apply_edits, invert_edits, tokenize
from portgpu.source.launch import launches
from portgpu.source.lexer import spell
from portgpu.source.syntax import Source

_BLANK = re.compile(rb"(?:\s|\\[ \t]*\r?\n)*\Z")
_PIECES = st.sampled_from(
    [
        b"cuda", b"Malloc", b"\\\n", b"\\\r\n", b"\r\n", b"\n", b'"', b"'", b'R"x(', b')x"', b"//",
        b"/*", b"*/", b"<<<", b">>>", b"(", b")", b"{", b"}", b"#define ", b"#include <a>", b"##",
        b"0x1'f", b"1e+5", b"u8", b"\xff\xfe", b"\x00", b"\\", b" ", b"::", b"->", b"<:", b"%:",
        b"asm(", b"__shfl_sync", b",", b"\xef\xbb\xbf", b"k<<<1, 2>>>(a)", b";", b"#if 1\n", b"#endif\n",
    ]
)  # fmt: skip


def kinds(data: bytes) -> list[tuple[str, bytes]]:
    return [(Kind(k).name, data[s:e]) for k, s, e in tokenize(data)]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'R"x(a)b" )x" y', [("STRING", b'R"x(a)b" )x"'), ("IDENT", b"y")]),
        (b'R"""(a)" x)""" y', [("STRING", b'R"""(a)" x)"""'), ("IDENT", b"y")]),  # quotes in the name
        (b'R"x(a R"y( )y" R"x(', [("OTHER", b"R"), ("STRING", b'"x(a R"'), ("IDENT", b"y"), ("PUNCT", b"("), ("PUNCT", b")"), ("IDENT", b"y"), ("STRING", b'" R"'), ("IDENT", b"x"), ("PUNCT", b"(")]),
        (b'FOR"x(" u8R"(a)" LR"(', [("IDENT", b"FOR"), ("STRING", b'"x("'), ("STRING", b'u8R"(a)"'), ("IDENT", b"L"), ("OTHER", b"R"), ("STRING", b'"(')]),
        (b'u8"a\\"b" L\'c\'', [("STRING", b'u8"a\\"b"'), ("CHAR", b"L'c'")]),
        (b'foo"x"', [("IDENT", b"foo"), ("STRING", b'"x"')]),
        (b"// a\\\n b\nc", [("COMMENT", b"// a\\\n b"), ("IDENT", b"c")]),
        (b"// a\r\nc", [("COMMENT", b"// a"), ("IDENT", b"c")]),
        (b"/* x **/ y /* open", [("COMMENT", b"/* x **/"), ("IDENT", b"y"), ("COMMENT", b"/* open")]),
        (b"1'000.5e+3f .5", [("NUMBER", b"1'000.5e+3f"), ("NUMBER", b".5")]),
        (b"a<::b>", [("IDENT", b"a"), ("PUNCT", b"<"), ("PUNCT", b"::"), ("IDENT", b"b"), ("PUNCT", b">")]),
        (b"%:define", [("HASH", b"%:"), ("IDENT", b"define")]),
        (b"#include <a//b's.h>", [("INCLUDE", b"#include <a//b's.h>")]),
        (b'"open\nx', [("STRING", b'"open'), ("IDENT", b"x")]),
        (b"a>>>b", [("IDENT", b"a"), ("PUNCT", b">"), ("PUNCT", b">"), ("PUNCT", b">"), ("IDENT", b"b")]),
        (b"\xef\xbb\xbfint", [("IDENT", b"int")]),
        (b"\xc3\xa9t\xc3\xa9 \x00", [("IDENT", b"\xc3\xa9t\xc3\xa9"), ("OTHER", b"\x00")]),
    ],
)  # fmt: skip
def test_tokens(data: bytes, expected: list[tuple[str, bytes]]) -> None:
    assert kinds(data) == expected


def test_identifier_cut_by_a_continuation() -> None:
    data = b"cuda\\\n\\\r\nMalloc (p)"
    assert spell(data, tokenize(data)[0]) == b"cudaMalloc"


@given(st.one_of(st.binary(max_size=200), st.lists(_PIECES, max_size=40).map(b"".join)))
def test_never_fails_and_loses_only_white_space(data: bytes) -> None:
    position = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    for kind, start, end in tokenize(data):
        assert start < end
        assert _BLANK.match(data[position:start]), data[position:start]
        assert kind in set(Kind)
        position = end
    assert _BLANK.match(data[position:])
    source = Source(data)
    for a, b in source.match.items():
        assert source.match[b] == a
    assert all(d.first <= d.last for d in source.directives)
    launches(source)


@given(st.binary(max_size=300))
def test_lines(data: bytes) -> None:
    index = LineIndex(data)
    for offset in range(len(data)):
        line, column = index.position(offset)
        assert index.offset(line, column) == offset
        assert line == 1 + len(re.findall(rb"\r\n|\n|\r", data[: index.starts[line - 1]]))


def test_edits_and_their_inverse() -> None:
    data = b"abcdef"
    edits = [Edit(4, 4, b"<"), Edit(1, 3, b"XYZ"), Edit(4, 5, b"")]
    text = apply_edits(data, edits)
    assert text == b"aXYZd<f"
    assert apply_edits(text, invert_edits(data, edits)) == data
    with pytest.raises(InternalError):
        apply_edits(data, [Edit(0, 3, b""), Edit(2, 4, b"")])
    with pytest.raises(InternalError):
        apply_edits(data, [Edit(5, 9, b"")])


def parsed(data: bytes) -> list[tuple[bytes, list[bytes], bytes]]:
    source = Source(data)
    found, _ = launches(source)
    return [
        (
            data[slice(*source.span(*x.kernel))],
            [data[slice(*source.span(*c))] for c in x.config],
            data[slice(*source.span(*x.arguments))],
        )
        for x in found
    ]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"k<256, 4><<<1, 256>>>(p)", (b"k<256, 4>", [b"1", b"256"], b"(p)")),
        (b"if (a) n::k<T<1, 2>, int><<<dim3(1, 2), f<1, 2>(x), 0, f()>>>( )",
         (b"n::k<T<1, 2>, int>", [b"dim3(1, 2)", b"f<1, 2>(x)", b"0", b"f()"], b"( )")),
        (b"(*fp)<<<1, N<4>>>>(a)", (b"(*fp)", [b"1", b"N<4>"], b"(a)")),
        (b"this->ks[i]<<<1, 2>>>(3)", (b"this->ks[i]", [b"1", b"2"], b"(3)")),
        (b"return (k)<<<1, 2>>>(a)", (b"(k)", [b"1", b"2"], b"(a)")),
        (b"::f::k<<<1, 2>>>()", (b"::f::k", [b"1", b"2"], b"()")),
        (b"x.template k<3><<<g, b>>>()", (b"x.template k<3>", [b"g", b"b"], b"()")),
        (b"name##_k<<<a, b>>>(c)", (b"name##_k", [b"a", b"b"], b"(c)")),
        (b"pick<int>(n)<<<a, [&] { return 1, 2; }()>>>(c)",
         (b"pick<int>(n)", [b"a", b"[&] { return 1, 2; }()"], b"(c)")),
        (b"k<sizeof(A<B<C<int>>>)><<<1, 2>>>()", (b"k<sizeof(A<B<C<int>>>)>", [b"1", b"2"], b"()")),
    ],
)  # fmt: skip
def test_launches(data: bytes, expected: tuple[bytes, list[bytes], bytes]) -> None:
    assert parsed(data) == [expected]


def test_what_is_no_launch() -> None:
    data = b'"<<<1, 2>>>(x)"; /* k<<<1, 2>>>() */ // k<<<1, 2>>>()\n<<<<<<< HEAD\n>>>>>>> x\n'
    assert launches(Source(data)) == ([], [])


def test_speed() -> None:
    """Not a benchmark, a guard: a hundred times slower than usual is a broken expression."""
    import time

    data = b"float x = y[i] * 2.0f; // comment\nint z(float a, int b) { return a + b; }\n" * 5000
    start = time.perf_counter()
    tokenize(data)
    assert time.perf_counter() - start < 10
    for hostile in (b'R"(' * 3000, b"/*" * 20000, b"'" * 20000, b"<" * 20000, b"(" * 20000):
        start = time.perf_counter()
        Source(hostile).match  # noqa: B018
        launches(Source(hostile))
        assert time.perf_counter() - start < 10
