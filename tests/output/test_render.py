"""The output formats, each read back by an independent parser (json, ElementTree, html.parser)."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path

import pytest

from portgpu.errors import UsageError
from portgpu.findings import Edit, Finding, Severity
from portgpu.output import FORMATS, failing, render, summary
from portgpu.output.sources import Sources, fingerprints

SOURCE = "// größe <&>\n\tint ß = threadIdx.x & 31;\nint end;\n".encode()
START = SOURCE.index(b"threadIdx")
SPAN = len("threadIdx.x & 31")
COLUMN = START - SOURCE.index(b"\n")  # bytes, from 1
FIRST = Finding(
    "a b/k.cu",
    2,
    COLUMN,
    "PG2001",
    Severity.ERROR,
    "lane, 100% <32>\nsecond: line",
    "use pg::lane_id()",
    START,
    START + SPAN,
    "lane",
    "certain",
    (Edit(START, START + SPAN, b"pg::lane_id()"),),
)
NOTE = Finding("z.cu", 9, 1, "PG2002", Severity.NOTE, "bell \x07", confidence="hint")
SOURCES = {"a b/k.cu": SOURCE, "z.cu": b""}


def test_text_names_place_and_underlines_the_span() -> None:
    lines = render([NOTE, FIRST], "text", SOURCES).splitlines()
    assert lines[0].startswith("a b/k.cu:2:10: error: lane, 100% <32>")
    excerpt = next(line for line in lines if "threadIdx" in line)
    carets = lines[lines.index(excerpt) + 1]
    at = excerpt.index("threadIdx")
    assert carets[at : at + SPAN] == "^" * SPAN
    assert carets.strip(" |") == "^" * SPAN
    assert "         hint: use pg::lane_id()" in lines
    assert lines[-1] == "1 error, 1 note in 2 files"
    assert "\x1b[" in render([FIRST], "text", SOURCES, color=True)


def test_text_without_source_or_findings() -> None:
    assert "missing.cu:1:1" in render([Finding("missing.cu", 1, 1, "PG2001", Severity.NOTE, "x")])
    assert render([], "text", checked=3) == "no findings (3 files checked)\n"


def test_json_round_trip() -> None:
    data = json.loads(render([FIRST, NOTE], "json", SOURCES, command="portgpu lint", checked=2))
    assert data["counts"] == {"error": 1, "warning": 0, "note": 1}
    first = data["findings"][0]
    assert SOURCE[first["start"] : first["end"]] == b"threadIdx.x & 31"
    assert first["fix"][0]["text"] == "pg::lane_id()"
    assert (first["end_line"], first["end_column"]) == (2, COLUMN + SPAN)


def test_sarif_uses_relative_encoded_uris_and_characters(tmp_path: Path) -> None:
    run = json.loads(render([FIRST, NOTE], "sarif", SOURCES, root=tmp_path))["runs"][0]
    result = run["results"][0]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "a%20b/k.cu", "uriBaseId": "SRCROOT"}
    line = SOURCE.decode().split("\n")[1]
    region = place["region"]
    assert line[region["startColumn"] - 1 : region["endColumn"] - 1] == "threadIdx.x & 31"
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == "PG2001"
    deleted = result["fixes"][0]["artifactChanges"][0]["replacements"][0]["deletedRegion"]
    assert (deleted["byteOffset"], deleted["byteLength"]) == (START, SPAN)


def test_github_escapes() -> None:
    first, note = render([FIRST, NOTE], "github", SOURCES).splitlines()
    assert first.startswith("::error file=a b/k.cu,line=2,col=10,endLine=2,title=PG2001,")
    assert first.endswith("::lane, 100%25 <32>%0Asecond: line%0Ause pg::lane_id()")
    assert note.startswith("::notice ")


def test_junit_is_xml_and_notes_pass() -> None:
    root = ET.fromstring(render([FIRST, NOTE], "junit", SOURCES))
    assert (root.get("tests"), root.get("failures")) == ("2", "1")
    assert [s.get("name") for s in root] == ["a b/k.cu", "z.cu"]
    assert len(root.findall(".//failure")) == 1
    empty = ET.fromstring(render([], "junit", checked=4))
    assert empty.find(".//testcase") is not None


def test_html_is_self_contained_and_balanced() -> None:
    class Check(HTMLParser):
        stack: list[str]

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            if tag != "meta":
                self.stack.append(tag)
            assert not any(name in ("src", "onclick") for name, _ in attrs)

        def handle_endtag(self, tag: str) -> None:
            assert self.stack.pop() == tag

    text = render([FIRST, NOTE], "html", SOURCES)
    check = Check()
    check.stack = []
    check.feed(text)
    assert check.stack == []
    assert "<mark>threadIdx.x &amp; 31</mark>" in text
    assert 'href="#PG2001"' in text and 'id="PG2001"' in text and "http" not in text


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_takes_bad_bytes_and_places(format: str) -> None:
    odd = Finding("b.cu", 7, 99, "PG2001", Severity.WARNING, "m", start=5, end=5000)
    assert render([odd], format, {"b.cu": b"\xff\xfe\r\nx"})
    assert isinstance(render([], format), str)


def test_unknown_format_suggests() -> None:
    with pytest.raises(UsageError, match="sarfi") as caught:
        render([], "sarfi")
    assert "sarif" in caught.value.hint


def test_end_of_a_span_over_lines() -> None:
    sources = Sources({"m.cu": b"ab(\n  c,\n d)\nx"})
    finding = Finding("m.cu", 1, 2, "PG2001", Severity.NOTE, "m", start=1, end=11)
    assert sources.end(finding) == (3, 3)


def test_fingerprints_survive_moving_and_tell_copies_apart() -> None:
    def at(line: int) -> Finding:
        return Finding("k.cu", line, 1, "PG2001", Severity.NOTE, "m")

    before = fingerprints([at(1)], Sources({"k.cu": b"int a;"}))
    after = fingerprints([at(2), at(3)], Sources({"k.cu": b"\n  int  a;\nint a;"}))
    assert before[0] == after[0] != after[1]


def test_failing_and_summary() -> None:
    assert failing([FIRST]) and not failing([NOTE]) and failing([NOTE], Severity.NOTE)
    assert summary([FIRST, FIRST]) == "2 errors in 1 file"
