"""Cache, suppression, baseline, changed lines, fixes and the command line."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from urllib.parse import unquote_to_bytes

import pytest
from click.testing import CliRunner

from portgpu.cli import run
from portgpu.cli.lint import command
from portgpu.errors import ConfigError, InputError, UsageError
from portgpu.lint import engine, suppress
from portgpu.lint.options import Options

BAD = """
__global__ void k(float* x, int n) {
  int i = threadIdx.x;
  if (i >= n) return;
  __syncthreads();
  x[i] = 0;
}
"""
GOOD = "__global__ void k(float* x) { x[threadIdx.x] = 0; }\n"


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def lint(*args: str) -> tuple[int, str]:
    result = CliRunner().invoke(command, [*args, "--quiet"], standalone_mode=False)
    if result.exception:
        raise result.exception
    return int(result.return_value), result.stdout


def test_a_report_is_not_written_onto_a_source(work: Path) -> None:
    for name in ("bad.cu", "CMakeLists.txt"):
        Path(name).write_text(BAD)
        with pytest.raises(UsageError, match=f"{name}: a source"):
            lint("bad.cu", "-o", name)
        assert Path(name).read_text() == BAD
    with pytest.raises(UsageError, match="is a folder"):
        lint("bad.cu", "-o", ".")
    assert lint("bad.cu", "-o", "new/found.txt")[0] == 1
    assert "PG20" in Path("new/found.txt").read_text()


def test_exit_codes_and_formats(work: Path) -> None:
    Path("bad.cu").write_text(BAD)
    Path("good.cu").write_text(GOOD)
    code, text = lint()
    assert code == 1 and "bad.cu:5:3: warning:" in text and "PG2013" in text
    assert lint("good.cu")[0] == 0
    assert lint("--fail-level", "never")[0] == 0
    code, text = lint("--format", "json")
    assert code == 1 and json.loads(text)["files_checked"] == 2
    assert run(["lint", "missing.cu"]) == 2
    assert run(["lint", "--select", "PG9", "good.cu"]) == 2


def test_notes_do_not_fail(work: Path) -> None:
    Path("n.cu").write_text("__device__ int n(bool p) { return __popc(__ballot_sync(~0u, p)); }\n")
    code, text = lint()
    assert code == 0 and "note:" in text
    assert lint("--warp", "native")[0] == 1


@pytest.mark.parametrize(
    ("comment", "left"),
    [
        ("  // portgpu: allow PG2013 blocks are full here", []),
        ("  /* portgpu: allow PG2013 blocks are full */", []),
        ("  // portgpu: allow PG2012 another one", ["PG2013"]),
        ("  // portgpu: allow PG2013", ["PG2099"]),
        ("  // portgpu: allow PG2998 no such", ["PG2013", "PG2099"]),
    ],
)
def test_suppression_in_source(work: Path, comment: str, left: list[str]) -> None:
    for text in (
        BAD.replace("  __syncthreads();", f"  __syncthreads();{comment}"),
        BAD.replace("  __syncthreads();", f"{comment}\n  __syncthreads();"),
    ):
        Path("bad.cu").write_text(text)
        found = json.loads(lint("--format", "json")[1])["findings"]
        assert sorted(f["id"] for f in found) == left


def test_suppression_of_a_file_and_in_the_configuration(work: Path) -> None:
    Path("src").mkdir()
    Path("src/bad.cu").write_text("// portgpu: allow-file PG2013 old code\n" + BAD)
    assert lint()[0] == 0
    Path("src/bad.cu").write_text(BAD)
    assert lint()[0] == 1
    Path("portgpu.toml").write_text('[lint]\nallow = ["PG2013 src/*: old code"]\n')
    assert lint()[0] == 0
    Path("portgpu.toml").write_text('[lint]\nexclude = ["src/*"]\n')
    assert lint()[0] == 0
    with pytest.raises(ConfigError):
        suppress.config_entries(["PG2013 src/*"])


def test_baseline_knows_old_findings_when_lines_move(work: Path) -> None:
    Path("bad.cu").write_text(BAD)
    assert lint("--baseline", "known.json", "--write-baseline")[0] == 0
    assert lint("--baseline", "known.json")[0] == 0
    Path("bad.cu").write_text("// a line more\n" + BAD)
    assert lint("--baseline", "known.json")[0] == 0
    Path("bad.cu").write_text(BAD + BAD.replace(" k(", " k2("))
    assert lint("--baseline", "known.json")[0] == 1
    Path("known.json").write_text("[]")
    with pytest.raises(InputError):
        lint("--baseline", "known.json")


def test_since_shows_changed_lines_only(work: Path) -> None:
    def git(*args: str) -> None:
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
        subprocess.run(["git", *identity, *args], check=True, capture_output=True)

    git("init", "-q")
    Path("bad.cu").write_text(BAD)
    Path("ö x.cu").write_text(BAD)
    git("add", ".")
    git("commit", "-q", "-m", "one")
    assert lint("--since", "HEAD")[0] == 0
    Path("ö x.cu").write_text(BAD + BAD.replace(" k(", " k2("))
    Path("new.cu").write_text(BAD)
    found = json.loads(lint("--since", "HEAD", "--format", "json")[1])["findings"]
    assert sorted((f["path"], f["line"]) for f in found) == [("new.cu", 5), ("ö x.cu", 12)]
    assert run(["lint", "--since", "nowhere"]) == 2


def test_cache_follows_content_and_headers(work: Path) -> None:
    Path("w.h").write_text("#define STOP(i, n)\n")
    Path("a.cu").write_text('#include "w.h"\n' + BAD.replace("if (i >= n) return;", "STOP(i, n)"))
    cache = work / "cache"

    def go() -> engine.Result:
        files = engine.collect([Path()], [], work)
        return engine.run(files, Options(), root=work, cache=cache, jobs=1)

    first = go()
    assert first.findings == [] and first.cached == 0
    assert go().cached == 2
    Path("w.h").write_text("#define STOP(i, n) if (i >= n) return;\n")
    changed = go()
    assert [f.id for f in changed.findings] == ["PG2013"] and changed.cached == 0
    (cache / "lint.pickle").write_bytes(b"broken")
    assert [f.id for f in go().findings] == ["PG2013"]


def test_processes_give_what_one_gives(work: Path) -> None:
    for number in range(12):
        Path(f"f{number}.cu").write_text(BAD if number % 3 else GOOD)
    files = engine.collect([Path()], [], work)
    one = engine.run(files, Options(), root=work, jobs=1)
    many = engine.run(files, Options(), root=work, jobs=3)
    assert one.findings == many.findings and len(one.findings) == 8


def test_fix_writes_and_keeps_bytes(work: Path) -> None:
    text = (
        "#include <hip/hip_runtime.h>\r\n// größe\r\n"
        "__device__ int n(bool p) { return __popc(__ballot(p)); }\r\n"
    ).encode()
    Path("h.hip").write_bytes(text)
    code, _ = lint("--fix")
    assert code == 0
    assert Path("h.hip").read_bytes() == text.replace(b"__popc(", b"__popcll(")


def test_explain_and_list(work: Path) -> None:
    assert "PG2013" in lint("--explain", "pg2013")[1]
    assert "PG2001" in lint("--list-rules")[1]


def test_a_failing_rule_is_a_finding(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from portgpu.lint.rules.barrier_after_return import BarrierAfterReturn

    def fail(self: object, ctx: object) -> None:
        raise KeyError("x")

    monkeypatch.setattr(BarrierAfterReturn, "check", fail)
    Path("bad.cu").write_text(BAD)
    found = json.loads(lint("--no-cache", "--jobs", "1", "--format", "json")[1])["findings"]
    assert [f["id"] for f in found] == ["PG2000"]


def test_long_generated_code_takes_no_time_and_no_stack(work: Path) -> None:
    chain = " + ".join(f"x[{i}] * (threadIdx.x + {i} + 1 + 2)" for i in range(800))
    nested = "(" * 200 + "i" + ")" * 200
    Path("long.cu").write_text(
        f"__global__ void k(float* x, int i) {{ x[0] = {chain}; x[i] = {nested}; }}\n" + BAD
    )
    found = json.loads(lint("--format", "json")[1])["findings"]
    assert [f["id"] for f in found] == ["PG2013"]


def test_calls_and_constants_are_followed_across_files(work: Path) -> None:
    Path("w.cuh").write_text(
        "#define WARP_SIZE 32\n"
        "__device__ inline float total(float v) { __syncthreads(); return v; }\n"
    )
    Path("a.cu").write_text(
        '#include "w.cuh"\n'
        "__global__ void k(float* x) {\n"
        "  if (threadIdx.x % WARP_SIZE == 0) x[0] = total(x[1]);\n"
        "}\n"
        "void f(float* x) { k<<<1, 4 * WARP_SIZE>>>(x); }\n"
    )
    found = json.loads(lint("--format", "json")[1])["findings"]
    assert [(f["path"], f["line"], f["id"]) for f in found] == [
        ("a.cu", 3, "PG2012"),
        ("a.cu", 5, "PG2009"),
    ]


@pytest.mark.parametrize("name", ["größe", os.fsdecode(b"d\xff\xe9")], ids=["utf8", "bytes"])
def test_file_names_of_any_bytes(work: Path, name: str) -> None:
    Path(name).mkdir()
    Path(name, f"{name}.cuh").write_text("__device__ inline void wait() { __syncthreads(); }\n")
    source = os.fsencode(
        f'#include "{name}.cuh"\n__global__ void k(int n) {{ if (threadIdx.x < n) wait(); }}\n'
    )
    Path(name, f"{name}.cu").write_bytes(source)
    for form in ("text", "json", "sarif", "github", "junit", "html"):
        assert lint(".", "--format", form, "--output", f"found.{form}")[0] == 1
    known = json.loads(Path("found.json").read_text())["findings"]
    assert [(f["id"], f["line"]) for f in known] == [("PG2012", 2)]
    log = json.loads(Path("found.sarif").read_text())
    place = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    uri = place["artifactLocation"]["uri"]
    assert Path(os.fsdecode(unquote_to_bytes(uri))) == Path(name, f"{name}.cu")


def test_calls_are_followed_into_other_sources(work: Path) -> None:
    declared = (
        "__device__ float total(float);\nextern __device__ void pass(int);\n"
        'extern "C" __device__ void rest(void);\n'
    )
    Path("decl.cuh").write_text(declared)
    Path("a.cu").write_text(
        '#include "decl.cuh"\n'
        "__global__ void k(float* x, int n) {\n"
        "  if (threadIdx.x < n) x[0] = total(x[1]);\n"
        "  if (threadIdx.x < n) pass(n);\n"
        "  if (blockIdx.x < n) x[1] = total(x[0]);\n"
        "  if (threadIdx.x < n) rest();\n"
        "}\n"
    )
    Path("sub").mkdir()
    source = Path("sub/b.cu")
    body = (
        '#include "../decl.cuh"\n'
        "static __device__ void meet() { %s }\n"
        "__device__ float total(float v, int) { __syncthreads(); return v; }\n"
        "__device__ float total(float v) { meet(); return v; }\n"
        "__device__ void pass(int) {}\n"
        'extern "C" __device__ void rest() { meet(); }\n'
    )

    def found() -> list[tuple[str, int, str]]:
        listed = json.loads(lint("--format", "json")[1])["findings"]
        return [(f["path"], f["line"], f["id"]) for f in listed]

    source.write_text(body % "")
    assert found() == []
    source.write_text(body % "__syncthreads();")  # the cache notices
    both = [("a.cu", 3, "PG2012"), ("a.cu", 6, "PG2012")]
    assert found() == both
    assert found() == both
    source.write_text(body % "int v = __shfl_sync(0xffffffff, 1, 0);")
    assert [f[:2] for f in found() if f[2] == "PG2014"] == [f[:2] for f in both]
    source.unlink()
    assert found() == []


def test_text_tells_warnings_of_one_kind_once_a_file(work: Path) -> None:
    calls = "  cudaFree(p);\n  cudaMalloc(&p, 4);\n  cudaFree(p);\n"
    for name in ("a.cu", "b.cu"):
        Path(name).write_text(f"#include <cuda_runtime.h>\nvoid f(int* p) {{\n{calls}}}\n")
    twice = "if (i < n) { __syncthreads(); __syncthreads(); }"
    Path("c.cu").write_text(BAD.replace("if (i >= n) return;\n  __syncthreads();", twice))
    code, text = lint()
    assert code == 1
    assert text.count("[PG2033]") == 2 and text.count("[PG2012]") == 2
    assert text.count("also at cudaMalloc 4:3; 5:3\n") == 2
    assert "2 errors, 6 warnings in 3 files" in text
    assert len(json.loads(lint("--format", "json")[1])["findings"]) == 8


def test_paths_that_are_no_files_do_not_stop_the_rest(work: Path) -> None:
    import socket

    Path("bad.cu").write_text(BAD)
    Path("gone.cu").symlink_to("nowhere.cu")
    Path("loop.cu").symlink_to("loop.cu")
    Path("folder").symlink_to(".")
    Path(".#bad.cu").symlink_to("user@host.1")  # an editor's lock
    os.mkfifo("pipe.cu")
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("socket.cu")
        code, text = lint("--format", "json")
    found = {(f["path"], f["id"]) for f in json.loads(text)["findings"]}
    names = ("gone.cu", "loop.cu", "pipe.cu", "socket.cu")
    assert code == 1 and found == {("bad.cu", "PG2013"), *((n, "PG1704") for n in names)}
    assert lint("gone.cu")[0] == 1 and lint("--ignore", "PG17", "gone.cu", "pipe.cu")[0] == 0


def test_what_is_no_source_text_is_a_finding_as_in_translate(work: Path) -> None:
    Path("wide.cu").write_bytes(BAD.encode("utf-16"))
    Path("object.cu").write_bytes(b"\x7fELF" + bytes(60))
    Path("merge.cu").write_text(f"<<<<<<< HEAD\n{GOOD}=======\n>>>>>>> x\n")
    code, text = lint("--format", "json")
    found = [(f["path"], f["id"]) for f in json.loads(text)["findings"]]
    assert code == 1 and found == [
        ("merge.cu", "PG1808"), ("merge.cu", "PG1808"),
        ("object.cu", "PG1803"), ("wide.cu", "PG1803"),
    ]  # fmt: skip
    Path("empty").mkdir()
    assert run(["lint", "empty"]) == run(["translate", "empty", "--check"]) == 2
