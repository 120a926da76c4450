"""`portgpu report` as a command: inputs, formats, exit codes; Markdown and text."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from report_page import Page
from test_report_html import HOSTILE, report

from portgpu import config as configuration
from portgpu.cli import run as portgpu
from portgpu.findings import Finding, Severity
from portgpu.report import Report, render
from portgpu.report.gather import Request, sources
from portgpu.report.markdown_ import LIMIT, safe
from portgpu.report.model import SourceFile, Sources
from portgpu.translate.model import Options

KERNEL = """#include <cuda_runtime.h>
__global__ void k(float* x) {
  unsigned m = __ballot_sync(0xffffffffu, x[0] > 0);
  if (threadIdx.x == 0) x[0] = m;
}
void f(float* x) { k<<<1, 32>>>(x); cudaFree(x); cudaFrobnicate(); }
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "proj"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "a.cu").write_text(KERNEL)
    header = "#pragma once\ninline cudaError_t g() { return cudaFree(0); }\n"
    (folder / "src" / "b<i>&.cuh").write_text(header)
    (folder / "src" / "plain.h").write_text("int x;\n")
    monkeypatch.chdir(folder)
    return folder


def test_the_working_folder_by_default(project: Path) -> None:
    assert portgpu(["report", "-q", "-o", "r.html"]) == 0
    text = (project / "r.html").read_text(encoding="utf-8")
    page = Page(text)
    assert page.problems == [] and "src/b<i>&.cuh" in page.visible()
    assert "PG1002" in page.ids and "summary" in page.ids
    assert str(project.parent) not in text
    assert any("cudaFree(x)" in line for _, lines in page.blobs[0]["segments"] for line in lines)


def test_two_runs_write_the_same_bytes(project: Path) -> None:
    for name in ("one.html", "two.html"):
        assert portgpu(["report", "src", "-q", "-o", name]) == 0
    assert (project / "one.html").read_bytes() == (project / "two.html").read_bytes()
    assert portgpu(["report", "src", "-q", "-j", "1", "--no-cache", "-o", "two.html"]) == 0
    assert (project / "one.html").read_bytes() == (project / "two.html").read_bytes()


def test_sources_stay_as_they_are(project: Path) -> None:
    portgpu(["report", "src", "-q", "-o", "r.md"])
    assert (project / "src" / "a.cu").read_text() == KERNEL
    assert sorted(p.name for p in (project / "src").iterdir()) == ["a.cu", "b<i>&.cuh", "plain.h"]


def test_formats_follow_the_suffix(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert portgpu(["report", "src", "-q", "-o", "r.md"]) == 0
    assert (project / "r.md").read_text().startswith("## portgpu report: src\n")
    assert portgpu(["report", "src", "-q", "-o", "r.txt"]) == 0
    assert (
        (project / "r.txt").read_text().startswith("portgpu report: src\n\n3 files: 1 as they are")
    )
    assert portgpu(["report", "src", "-q", "--format", "text"]) == 0
    assert capsys.readouterr().out == (project / "r.txt").read_text()
    assert portgpu(["report", "src", "-q", "-o", "r.pdf"]) == 2
    assert "--format html|markdown|text" in capsys.readouterr().err


def test_exit_code_by_level(project: Path) -> None:
    base = ["report", "src", "-q", "-o", "r.txt"]
    assert portgpu(base) == 0
    assert portgpu([*base, "--fail-level", "warning"]) == 1
    assert portgpu([*base, "--fail-level", "warning", "--exclude", "a.cu"]) == 0
    assert "2 files" in (project / "r.txt").read_text()


def test_results_without_sources(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "bench.json").write_text(json.dumps([{"case": "exp", "us": 3.0}]))
    assert portgpu(["report", "--bench", "bench.json", "-q", "--format", "text"]) == 0
    assert "exp" in capsys.readouterr().out
    assert not (project / ".portgpu").exists()


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (["nowhere"], 2, "nowhere: no such file or folder"),
        (["--tests", "t.json"], 2, "t.json: no such file"),
        (["--bench", "src/a.cu"], 2, "not JSON"),
        (["--build-dir", "src"], 2, "no build.json"),
        (["src", "-o", "src"], 2, "is a folder"),
        (["src", "-o", "src/a.cu/r.html"], 9, "src/a.cu"),
        (["src", "--format", "text", "-o", "src/a.cu"], 2, "src/a.cu: a source"),
    ],
)
def test_errors_say_what_to_do_next(
    project: Path, capsys: pytest.CaptureFixture[str], args: list[str], code: int, words: str
) -> None:
    assert portgpu(["report", "-q", *args]) == code
    said = capsys.readouterr().err
    assert words in said and "next: " in said and "Traceback" not in said


def test_markdown_fits_a_comment_and_counts_what_is_left_out() -> None:
    text = "x" * 90
    files = [
        SourceFile(
            f"src/{text}{n}.cu", b"a\n", [], [Finding("", 1, 1, "PG1001", Severity.ERROR, "m")]
        )
        for n in range(900)
    ]
    for count in (1, 10, 900):
        shown = render(Report("t", Sources(files[:count], "rocm", "logical", True)), "markdown")
        assert len(shown) <= LIMIT
        assert ("more" in shown) == (count == 900)
    everything = report()
    many = tuple(everything.legs[1:2]) * 2000
    shown = render(Report("t", everything.sources, everything.builds, many), "markdown")
    assert len(shown) <= LIMIT


def test_markdown_has_no_live_markup_of_the_project() -> None:
    shown = render(report(HOSTILE + "|`*_[a](b) @user #1\n\n# head"), "markdown")
    assert "<script" not in shown and "<img" not in shown and "@user" not in shown
    assert "\n# head" not in shown and "[a](b)" not in shown
    for line in shown.splitlines():
        if line.startswith("|"):
            assert line.endswith("|")
    assert safe("a|b`c") == "a&#124;b&#96;c"


def test_text_has_no_control_characters() -> None:
    shown = render(report("a\x1b[31mb\u202e"), "text")
    assert "\x1b" not in shown and "\u202e" not in shown


def test_markdown_counts_all_failures() -> None:
    failed = report().legs[1]
    shown = render(Report("t", legs=(failed,) * 50), "markdown")
    assert "Failed cases (50)" in shown and "… and 20 more" in shown


def test_what_translate_and_lint_both_see_is_told_once(project: Path) -> None:
    (project / "src" / "p.cu").write_text(
        "#include <cuda_runtime.h>\n"
        '__device__ void a() { unsigned r; asm("mov.u32 %0, %%laneid;" : "=r"(r)); }\n'
        '__device__ void b() { asm volatile("vote.sync.uni.pred p, p, 0xffffffff;" ::); }\n'
        "__global__ void k(float* p) { __nanosleep(20); k<<<1, 2>>>(p); }\n"
        "texture<float, 2> tex;\n"
        "__global__ void __launch_bounds__(256, 4) l(float* x) { x[0] = 1; }\n"
        "#if CUDART_VERSION >= 12000 && __CUDA_ARCH__ >= 800\n"
        "#endif\n"
        "void f(float* x) { cudaFree(x); }\n"
        "__global__ void m(float* x) { if (threadIdx.x < 3) __syncthreads(); }\n"
    )
    read = configuration.load(None)
    found = sources(Request([Path("src/p.cu")], Options(to="rocm")), read).findings
    assert [(f.line, f.id) for f in found if f.severity is not Severity.NOTE] == [
        (3, "PG1201"),
        (4, "PG1304"),
        (5, "PG1801"),
        (10, "PG2012"),
    ]


def test_dash_is_standard_output(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outputs = []
    for extra in ([], ["-o", "-"]):
        assert portgpu(["report", "src", "-q", "--format", "text", *extra]) == 0
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1] and not (project / "-").exists()


def test_workflow_runs_as_printed(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The commands of the workflow's report step, in a project; actions are pinned by commit."""
    assert portgpu(["report", "--workflow"]) == 0
    text = capsys.readouterr().out
    uses = re.findall(r"uses: (\S+)", text)
    assert uses and all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", name) for name in uses)
    commands = re.findall(r"^ {10}portgpu (.+)$", text, re.MULTILINE)
    assert len(commands) == 3
    for command in commands:
        assert portgpu(command.split()) == 0
    assert {p.name for p in project.iterdir()} >= {"report.html", "report.md", "portgpu.sarif"}
    assert "PG1002" in (project / "report.md").read_text()
    assert "PG2033" in (project / "portgpu.sarif").read_text()
    capsys.readouterr()
    assert portgpu(["lint", "--help"]) == 0
    known = capsys.readouterr().out
    changed = re.search(r"run: portgpu lint (.*)", text)
    assert changed and all(option in known for option in re.findall(r"--\w+", changed.group(1)))
