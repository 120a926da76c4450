"""`portgpu translate`, `hipify` and `explain` as commands: files, streams, formats, exit codes."""

# ruff: noqa: E501 (long signatures of fixtures)

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from portgpu import findings, resources
from portgpu.cli import run as portgpu
from portgpu.translate import api, inline

CODE = "void f() { cudaFree(0); }\n"
HIP = "#include <hip/hip_runtime.h>\nvoid f() { (void)hipFree(0); }\n"


def source(tmp_path: Path, name: str = "a.cu", text: str = CODE) -> Path:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_one_file_goes_to_standard_output(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert portgpu(["translate", str(source(tmp_path))]) == 0
    assert capfdbinary.readouterr().out.decode() == HIP
    assert portgpu(["translate", str(source(tmp_path)), "-o", "-"]) == 0
    assert capfdbinary.readouterr().out.decode() == HIP
    assert portgpu(["translate", "-", "-o", str(tmp_path / "b.hip")]) == 2
    assert not (tmp_path / "b.hip").exists()


def test_nothing_that_is_there_is_lost(tmp_path: Path) -> None:
    """In place again, over somebody's .orig, and onto the source itself."""
    path = source(tmp_path)
    path.chmod(0o600)
    (tmp_path / "a.cu.orig").write_text("precious")
    assert portgpu(["translate", str(path), "--in-place", "-q"]) == 0
    path.write_text(path.read_text() + "void g() { cudaFree(0); }\n")
    again = path.read_text()
    assert portgpu(["translate", str(path), "--in-place", "-q"]) == 0
    kept = [(tmp_path / f"a.cu.orig{n}").read_text() for n in ("", "1", "2")]
    assert kept == ["precious", CODE, again]
    assert (tmp_path / "a.cu.orig1").stat().st_mode & 0o777 == 0o600
    other = source(tmp_path, "b.cu")
    (tmp_path / "link.cu").symlink_to(other)
    for name in ("b.cu", "link.cu"):
        assert portgpu(["translate", str(other), "-o", str(tmp_path / name)]) == 2
    assert other.read_text() == CODE and (tmp_path / "link.cu").is_symlink()
    assert portgpu(["translate", str(path), str(other), "--stdout"]) == 2
    assert not list(tmp_path.glob(".*part"))


def test_standard_input() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "portgpu", "translate", "-"],
        input=b"__global__ void k() { __syncwarp(); }", capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    # Standing alone: the shims are in the text.
    assert b"namespace pg_compat" in done.stdout and b'"portgpu/' not in done.stdout


def test_pasted_shims_come_once() -> None:
    text = inline.paste(
        b'#include "portgpu/hip_compat.h"\n#include "portgpu/hip_compat_cg.h"\nint x;\n'
    )
    assert text.count(b"#ifndef PORTGPU_COMPAT_WARP_H") == 1 and text.endswith(b"int x;\n")
    assert b'#include "' not in text


def test_output_file_and_folder(tmp_path: Path) -> None:
    first = source(tmp_path, "in/a.cu", '#include "sub/b.cuh"\n' + CODE)
    source(tmp_path, "in/sub/b.cuh", "__device__ int w() { return warpSize; }\n")
    assert portgpu(["translate", str(first), "-o", str(tmp_path / "x.hip")]) == 0
    assert "hipFree" in (tmp_path / "x.hip").read_text()
    assert portgpu(["translate", str(tmp_path / "in"), "-o", str(tmp_path / "out")]) == 0
    header = (tmp_path / "out" / "sub" / "b.cuh").read_text()
    assert header.startswith('#include "../portgpu/hip_compat.h"\n')
    assert (tmp_path / "out" / "portgpu" / "hip_compat.h").is_file()


def test_local_headers_are_followed_and_can_be_left(tmp_path: Path) -> None:
    first = source(tmp_path, "in/a.cu", '#include "b.h"\n' + CODE)
    source(tmp_path, "in/b.h", "#include <cuda_runtime.h>\n")
    assert portgpu(["translate", str(first), "-o", str(tmp_path / "o1")]) == 0
    assert "hip/hip" in (tmp_path / "o1" / "b.h").read_text()
    assert portgpu(["translate", str(first), "-o", str(tmp_path / "o2"), "--no-follow"]) == 0
    assert not (tmp_path / "o2" / "b.h").exists()


def test_headers_by_include_folder(tmp_path: Path) -> None:
    first = source(tmp_path, "p/src/a.cu", "#include <lib/b.h>\n" + CODE)
    source(tmp_path, "p/include/lib/b.h", "#include <cuda_runtime.h>\n")
    out = tmp_path / "out"
    assert (
        portgpu(["translate", str(first), "-I", str(tmp_path / "p/include"), "-o", str(out)]) == 0
    )
    assert "hip/hip" in (out / "include/lib/b.h").read_text()
    assert "hipFree" in (out / "src/a.cu").read_text()


def test_header_outside_the_tree_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source(tmp_path, "p/src/a.cu", '#include "../b.h"\n' + CODE)
    source(tmp_path, "p/b.h", "#include <cuda_runtime.h>\n")
    assert portgpu(["translate", str(tmp_path / "p/src"), "-o", str(tmp_path / "out")]) == 1
    assert "PG1703" in capsys.readouterr().out


def test_in_place_with_backup(tmp_path: Path) -> None:
    path, other = source(tmp_path), source(tmp_path, "plain.cpp", "int x;\n")
    stamp = other.stat().st_mtime_ns
    path.chmod(0o755)
    assert portgpu(["translate", str(tmp_path), "--in-place"]) == 0
    assert path.read_text() == HIP and (tmp_path / "a.cu.orig").read_text() == CODE
    assert os.access(path, os.X_OK) and other.stat().st_mtime_ns == stamp
    assert portgpu(["translate", str(tmp_path), "--check"]) == 0


def test_check_and_diff_write_nothing(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = source(tmp_path)
    assert portgpu(["translate", str(path), "--check"]) == 1
    assert portgpu(["translate", str(path), "--diff"]) == 0
    out = capfdbinary.readouterr().out
    assert b"-void f() { cudaFree(0); }\n+#include <hip/hip_runtime.h>\n" in out
    assert path.read_text() == CODE and sorted(p.name for p in tmp_path.iterdir()) == ["a.cu"]


def test_names_of_one_file_known_in_another(tmp_path: Path) -> None:
    source(
        tmp_path,
        "a.cu",
        '#include "h.h"\nvoid f() { cudaMyHelper(1); cudaCheckIt(cudaFree(0)); }\n',
    )
    source(
        tmp_path,
        "h.h",
        "#include <cuda_runtime.h>\nvoid cudaMyHelper(int);\n#define cudaCheckIt(x) (x)\n",
    )
    assert portgpu(["translate", str(tmp_path), "-o", str(tmp_path / "out")]) == 0


def test_macros_of_local_headers_are_left_alone(tmp_path: Path) -> None:
    source(tmp_path, "a.cu", '#include "h.h"\nvoid f() { cudaFree(0); }\n')
    source(tmp_path, "h.h", "#define cudaFree(x) my_free(x)\n")
    assert portgpu(["translate", str(tmp_path), "-o", str(tmp_path / "out")]) == 0
    assert "cudaFree(0)" in (tmp_path / "out/a.cu").read_text()


@pytest.mark.parametrize("fmt", ["json", "sarif", "github", "text"])
def test_formats(tmp_path: Path, capsys: pytest.CaptureFixture[str], fmt: str) -> None:
    path = source(tmp_path, text="void f() { cudaFrob(1); }\n")
    assert portgpu(["translate", str(path), "--examine", "-q", "--format", fmt]) == 1
    shown = capsys.readouterr().out
    assert "PG1002" in shown
    if fmt in ("json", "sarif"):
        json.loads(shown)


@pytest.mark.parametrize(
    "arguments",
    [
        ["translate", "nope.cu"],
        ["translate", "--check", "--diff", "a.cu"],
        ["translate", "a.cu", "b.cu"],
        ["translate", "a.cu", "--no-backup"],
        ["translate", "a.cu", "-", "-o", "x"],
        ["translate", "empty", "-o", "x"],
        ["translate", "a.cu", "--hip-version", "new"],
        ["translate", ".", "-o", "."],
        ["translate", "a.cu", "b.cu", "-o", "a.cu"],
        ["hipify"],
        ["hipify", "--inplace", "-o", "x", "a.cu"],
        ["hipify-perl", "--doc-roc=joint"],
        ["hipify", "-o"],
        ["hipify", "--frobnicate", "a.cu"],
        ["hipify", "a.cu", "b.cu", "-o", "c"],
        ["explain", "PG9999"],
    ],
)
def test_mistakes_end_with_2_and_a_next_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    arguments: list[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    source(tmp_path, "a.cu"), source(tmp_path, "b.cu")
    (tmp_path / "empty").mkdir()
    assert portgpu(arguments) == 2
    assert "Traceback" not in capsys.readouterr().err
    assert (tmp_path / "a.cu").read_text() == CODE


def test_a_large_tree_uses_all_cores_and_gives_the_same(tmp_path: Path) -> None:
    text = CODE * 400
    for number in range(60):
        source(tmp_path, f"in/d{number % 7}/f{number}.cu", text.replace("f()", f"f{number}()"))
    for jobs in ("1", "2"):
        target = tmp_path / f"out{jobs}"
        assert (
            portgpu(["translate", str(tmp_path / "in"), "-o", str(target), "-j", jobs, "-q"]) == 0
        )
    for path in (tmp_path / "out1").rglob("*.cu"):
        other = tmp_path / "out2" / path.relative_to(tmp_path / "out1")
        assert path.read_bytes() == other.read_bytes()


# --- hipify -------------------------------------------------------------------------------------


def test_hipify_as_perl_and_as_clang(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = source(
        tmp_path, text="#include <cuda_runtime.h>\nvoid f() { k<<<1, 2>>>(p); cudaFree(0); }\n"
    )
    assert portgpu(["hipify", str(path), "-hip-kernel-execution-syntax"]) == 0
    out = capfdbinary.readouterr().out.decode()
    assert "hipLaunchKernelGGL(k, dim3(1), dim3(2), 0, 0, p); hipFree(0);" in out
    assert portgpu(["hipify", str(path), "--cuda-path=/nowhere", "--", "-std=c++14"]) == 0
    assert "k<<<1, 2>>>(p); hipFree(0);" in (tmp_path / "a.cu.hip").read_text()
    assert portgpu(["hipify", str(path), "-o-dir", str(tmp_path / "d")]) == 0
    assert (tmp_path / "d" / "a.cu.hip").is_file()
    assert portgpu(["hipify", str(path), "-o", str(tmp_path / "b.cpp")]) == 0
    assert (tmp_path / "b.cpp").is_file()


def test_hipify_in_place_starts_again_from_the_backup(tmp_path: Path) -> None:
    path = source(tmp_path)
    for _ in range(2):
        assert portgpu(["hipify", "-inplace", str(path)]) == 0
        assert (tmp_path / "a.cu.prehip").read_text() == CODE
        assert path.read_text() == "void f() { hipFree(0); }\n"
    assert portgpu(["hipify", "-examine", str(path)]) == 0


def test_hipify_leaves_excluded_blocks(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    text = "#if 0\nx = cudaFree(p);\n#endif\n#ifdef HAVE\ny = cudaFree(p);\n#else\nz = cudaFree(p);\n#endif\n"
    path = source(tmp_path, text=text)
    flag = "--skip-excluded-preprocessor-conditional-blocks"
    assert portgpu(["hipify", str(path), flag, "-o", str(tmp_path / "x")]) == 0
    out = (tmp_path / "x").read_text()
    assert "x = cudaFree" in out and "y = cudaFree" in out and "z = hipFree" in out
    assert portgpu(["hipify", str(path), flag, "-DHAVE", "-o", str(tmp_path / "y")]) == 0
    assert "y = hipFree" in (tmp_path / "y").read_text()


# --- pages and tables ---------------------------------------------------------------------------


def test_every_reported_id_has_a_page(capsys: pytest.CaptureFixture[str]) -> None:
    folder = Path(api.__file__).parent
    used = set(re.findall(r"PG1\d{3}", "".join(p.read_text() for p in folder.glob("*.py"))))
    assert used and used <= set(findings.pages())
    for finding_id in sorted(used):
        assert portgpu(["explain", finding_id]) == 0
        assert finding_id in capsys.readouterr().out
    assert portgpu(["explain"]) == 0


def test_every_shim_is_in_our_headers() -> None:
    folder = resources.templates("compat", "portgpu")
    text = "".join(p.read_text() for p in folder.rglob("*.h"))
    for cuda, (kind, shim, _) in api.shims().items():
        if kind != "text":
            # Macros make some names from a stem and a suffix.
            stem = re.sub(r"_(?:block|system|r[nudz])$|3_[su]32$|[su]32$", "", shim)
            stem = re.sub(r"^u?(?:int|short|ll)2(?=half|bfloat16)|2u?(?:int|short|ll)$", "", stem)
            stem = re.sub(r"^hb?(?:eq|ne|g[te]|l[te])u?2?(?:_mask)?$", "PG_COMPAT_16_COMPARE", stem)
            stem = re.sub(r"2u?char$", "", stem)
            assert re.search(rf"\b{re.escape(stem)}", text), (cuda, shim)


def test_the_runtime_is_included_where_no_local_header_brings_it(tmp_path: Path) -> None:
    device = "__device__ int f() { return 1; }\n"
    texts = {
        "a.cu": '#include "a.cuh"\n' + device,
        "a.cuh": "#pragma once\n" + device,
        "maybe.cu": '#ifdef X\n#include "a.cuh"\n#endif\n' + device,
        "one.cuh": '#pragma once\n#include "two.cuh"\n' + device,
        "two.cuh": '#pragma once\n#include "one.cuh"\n' + device,
    }
    for name, text in texts.items():
        source(tmp_path, f"in/{name}", text)
    assert portgpu(["translate", str(tmp_path / "in"), "-o", str(tmp_path / "out")]) == 0
    has = {n: "hip_runtime" in (tmp_path / "out" / n).read_text() for n in texts}
    assert has == {"a.cu": False, "a.cuh": True, "maybe.cu": True, "one.cuh": True, "two.cuh": True}


def test_macros_of_another_vendor_branch_hide_nothing(tmp_path: Path) -> None:
    source(tmp_path, "in/a.cu", '#ifdef MINE\n#include "v.h"\n#endif\nvoid f() { cudaFree(0); }\n')
    source(tmp_path, "in/v.h", "#define cudaFree hipFree\n")
    source(tmp_path, "in/b.cu", '#include "w.h"\nvoid f() { cudaFree(0); }\n')
    source(tmp_path, "in/w.h", "#ifdef MINE\n#define cudaFree hipFree\n#endif\n")
    assert portgpu(["translate", str(tmp_path / "in"), "-o", str(tmp_path / "out")]) == 0
    for name in ("a.cu", "b.cu"):
        assert "hipFree(0)" in (tmp_path / "out" / name).read_text()


def test_headers_with_any_suffix_and_through_include_folders(tmp_path: Path) -> None:
    """What a source includes is translated, however it is called and found."""
    (tmp_path / "src").mkdir()
    (tmp_path / "include" / "lib").mkdir(parents=True)
    (tmp_path / "src" / "a.cu").write_text(
        '#include <lib/x.utils>\n#include "y.def"\n__global__ void k();\n'
    )
    (tmp_path / "include" / "lib" / "x.utils").write_text("inline void f() { cudaFree(p); }\n")
    (tmp_path / "src" / "y.def").write_text("cudaStream_t s;\n")
    (tmp_path / "notes.txt").write_text("cudaFree\n")
    out = tmp_path / "out"
    assert portgpu(["translate", str(tmp_path), "-o", str(out)]) == 0
    assert "hipFree" in (out / "include" / "lib" / "x.utils").read_text()
    assert "hipStream_t" in (out / "src" / "y.def").read_text()
    assert not (out / "notes.txt").exists()


def test_what_is_up_to_date_stays_and_what_depends_on_options_does_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ballot = "__global__ void k(int* p) { *p = __ballot_sync(~0u, 1); }\n"
    source(tmp_path, "src/a.cu", ballot + "int f() { return cudaFrobnicate(); }\n")
    source(tmp_path, "src/b.cu")
    out = tmp_path / "out"

    def translated(*words: str) -> dict[str, tuple[bytes, int]]:
        assert portgpu(["translate", str(tmp_path / "src"), "-o", str(out), *words]) == 1
        return {p.name: (p.read_bytes(), p.stat().st_mtime_ns) for p in out.rglob("*.cu")}

    first = translated()
    (out / "b.cu").write_text("somebody's")
    again = translated()
    assert again["a.cu"] == first["a.cu"] and again["b.cu"][0] == first["b.cu"][0]
    for words in (["--compat", "inline"], ["--line"], ["--warp", "native"]):
        other = translated(*words)
        assert other["a.cu"][0] not in (first["a.cu"][0], again["a.cu"][0]), words
        again = other
        assert translated(*words) == again
    assert translated()["a.cu"][0] == first["a.cu"][0]
    capsys.readouterr()
    monkeypatch.chdir(tmp_path)
    translated("--format", "json")
    (found,) = json.loads(capsys.readouterr().out)["findings"]
    assert found["path"] == "src/a.cu"


def test_paths_that_are_no_files_do_not_stop_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    import os
    import socket

    monkeypatch.chdir(tmp_path)
    Path("good.cu").write_text("int e = cudaFree(p);\n")
    Path("gone.cu").symlink_to("nowhere.cu")
    Path("loop.cu").symlink_to("loop.cu")
    Path("folder").symlink_to(".")
    Path(".#good.cu").symlink_to("user@host.1")  # an editor's lock
    os.mkfifo("pipe.cu")
    left = {"gone.cu", "loop.cu", "pipe.cu", "socket.cu"}
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("socket.cu")
        assert portgpu(["translate", ".", "-o", "out", "--format", "json"]) == 1
        found = {(f["path"], f["id"]) for f in json.loads(capfd.readouterr().out)["findings"]}
        assert found == {(name, "PG1704") for name in left}
        assert portgpu(["report", ".", "-o", "r.txt", "--fail-level", "warning"]) == 1
        assert Path("r.txt").read_text().count("gone.cu") == 1
    assert "hipFree" in Path("out/good.cu").read_text()
    for name in left:
        assert portgpu(["translate", name, "--check"]) == 2


def test_names_of_any_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    import os

    monkeypatch.chdir(tmp_path)
    names = ["new\nline.cu", os.fsdecode(b"bad\xff.cu"), "l" * 251 + ".cu", "a b'\"\\.cu", "-x.cu"]
    for name in names:
        Path(name).write_text("int e = cudaFrob(cudaFree(p));\n")
    assert portgpu(["translate", ".", "-o", "out"]) == 1
    assert sorted(p.name for p in Path("out").glob("*.cu")) == sorted(names)
    text = capfd.readouterr().out
    assert "\nnew\\x0aline.cu:1:9: " in text  # one finding, one line
    for words in (["--diff"], ["--check", "--format", "sarif"], ["--check", "--format", "github"]):
        assert portgpu(["translate", ".", "--exclude", "out", *words]) == 1
    assert '+++ "b/new\\nline.cu"\n' in capfd.readouterr().out


def test_output_inside_the_input_is_no_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a").mkdir()
    Path("a/sub").mkdir()
    Path("a/sub/x.cu").write_text("int e = cudaFree(p);\n")
    for _ in range(2):
        assert portgpu(["translate", ".", "-o", "sub"]) == 0
        assert [str(p) for p in sorted(Path("sub").rglob("*.cu"))] == ["sub/a/sub/x.cu"]
    assert portgpu(["translate", ".", "-o", "other"]) == 0  # nor what another run wrote
    assert [str(p) for p in Path("other").rglob("*.cu")] == ["other/a/sub/x.cu"]


def test_the_project_file_says_where_headers_are_and_what_may_remain(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    source(tmp_path, "src/a.cu", '#include "b.h"\n' + CODE)
    source(tmp_path, "include/b.h", "#include <cuda_runtime.h>\n")
    toml = source(tmp_path, "portgpu.toml", '[project]\ninclude_dirs = ["include", "gone"]\n')
    assert portgpu(["translate", "src", "-o", "out"]) == 1
    assert "a.cu:1:11: warning: b.h lies outside" in capfd.readouterr().out
    assert portgpu(["translate", ".", "-o", "out"]) == 0
    assert "hip/hip" in Path("out/include/b.h").read_text()
    toml.write_text('[translate]\nallow = ["PG9999"]\n')
    for words in (["translate", "src", "--check"], ["report", "src", "-o", "r.html"]):
        assert portgpu(words) == 2
        assert "portgpu.toml: [translate] allow PG9999: no finding" in capfd.readouterr().err


def test_edits_in_place_go_through_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for words in (
        ["translate", "--in-place"],
        ["hipify-perl", "-inplace"],
        ["hipify-clang", "-inplace"],
        ["lint", "--fix"],
    ):
        path = source(tmp_path, "real/a.cu", "void f(int* p) { cudaFree(p); }\n")
        link = tmp_path / f"{words[0]}.cu"
        link.symlink_to("real/a.cu")
        assert portgpu([*words, link.name]) == 0, words
        assert link.is_symlink(), words
        assert "(void)cudaFree" in path.read_text() or "hipFree" in path.read_text(), words


def test_messages_name_the_file_that_was_asked_for(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "b.hip").mkdir()
    assert portgpu(["hipify-perl", str(source(tmp_path)), "-o", str(tmp_path / "b.hip")]) != 0
    text = capfd.readouterr().err
    assert "b.hip: " in text and ".part" not in text and list(tmp_path.glob(".*")) == []


def test_a_pipe_in_the_place_of_an_output_is_written_to_and_stays(tmp_path: Path) -> None:
    first, pipe, got = source(tmp_path), tmp_path / "pipe.hip", tmp_path / "got"
    os.mkfifo(pipe)
    for words in (["hipify-perl"], ["translate"], ["report", "--no-lint", "--format", "text"]):
        with got.open("wb") as sink:
            reader = subprocess.Popen(["cat", str(pipe)], stdout=sink)
        assert portgpu([*words, str(first), "-o", str(pipe)]) == 0
        assert pipe.is_fifo() and reader.wait(10) == 0
        assert b"hipFree" in got.read_bytes() or "report" in words


def test_check_names_the_files_and_quiet_keeps_notes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    noted = "#include <cuda_runtime.h>\n#if __CUDA_ARCH__ > 1\n#endif\n"
    source(tmp_path, "a.cu", noted), source(tmp_path, "same.cpp", "int x;\n")
    source(tmp_path, "b\n.cu")
    assert portgpu(["translate", ".", "--check"]) == 1
    text = capfd.readouterr()
    assert "PG1501" in text.out
    assert text.err.splitlines() == ["a.cu would change", '"b\\n.cu" would change']
    assert portgpu(["translate", ".", "--check", "-q"]) == 1
    assert capfd.readouterr() == ("", "")
    assert portgpu(["translate", ".", "-o", "out", "-q", "--format", "json"]) == 0
    assert json.loads(capfd.readouterr().out)["findings"] == []


def test_wrong_ids_and_databases_are_refused_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.cu").write_text("int e = cudaFree(p);\n")
    for rule in ("PG9999", "PG1", "pg1002", "PG9999:cudaFree"):
        assert portgpu(["translate", "a.cu", "--check", "--allow", rule]) == 2, rule
        assert portgpu(["report", "a.cu", "--allow", rule]) == 2
    assert portgpu(["translate", "a.cu", "--allow", "cudaFree", "--allow", "PG1002:x*"]) == 0
    shapes = ["{}", "[1]", "1", '[{"directory": 1, "file": "a.cu"}]', '[{"file": "a.cu"}]', "[[]]",
              '[{"directory": ".", "file": "a.cu", "arguments": "nvcc"}]', "[", "null", '"x"',
              '[{"directory": ".", "file": "a.cu", "command": "nvcc \'"}]',
              '[{"directory": ".", "file": "a.cu", "command": 3}]']  # fmt: skip
    for shape in shapes:
        Path("compile_commands.json").write_text(shape)
        capfd.readouterr()
        assert portgpu(["translate", "a.cu", "-p", ".", "--check"]) == 2, shape
        error = capfd.readouterr().err
        assert (
            "not a compile database" in error and "object" not in error and "indices" not in error
        )
        Path("known.json").write_text(shape)
        assert portgpu(["lint", "a.cu", "--baseline", "known.json"]) == 2
        error = capfd.readouterr().err
        assert "not a baseline file" in error and "object" not in error and "indices" not in error


def test_a_local_header_that_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The includers are translated without it (root reads everything, so it is refused here)."""
    from portgpu.translate import tree

    monkeypatch.chdir(tmp_path)
    Path("a.cu").write_text('#include "b.h"\nint e = cudaFree(p);\n')
    Path("b.h").write_text("int f = cudaFree(q);\n")
    read = tree.read_regular

    def refuse(path: Path) -> bytes:
        if path.name == "b.h":
            raise PermissionError(13, "Permission denied", str(path))
        return read(path)

    monkeypatch.setattr(tree, "read_regular", refuse)
    for words in (["a.cu"], [".", "-o", "out"], [".", "--check"], ["a.cu", "--diff"]):
        assert portgpu(["translate", *words]) == 1
        shown = capfd.readouterr()
        assert "b.h:1:1: warning: left out: permission denied [PG1704]" in shown.out + shown.err
    assert "hipFree" in Path("out/a.cu").read_text()
    assert portgpu(["translate", "b.h"]) == 2


def test_an_output_that_is_a_source_is_not_overwritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.cu").write_text("void f() { cudaFree(p); }\n")
    other = tmp_path / "b.cu"
    other.write_text("void g() { cudaMalloc(p, 1); }\n")
    assert portgpu(["translate", str(tmp_path / "a.cu"), "-o", str(other)]) == 2
    assert "would overwrite" in capsys.readouterr().err
    assert "cudaMalloc" in other.read_text()
    for compat in ("header", "inline", "none"):  # an earlier translation is
        words = ["translate", str(tmp_path / "a.cu"), "-o", str(tmp_path / f"{compat}.cu")]
        assert portgpu([*words, "--compat", compat]) == 0
        (tmp_path / "a.cu").write_text(f"int n; void f() {{ cudaFree({compat}); }}\n")
        assert portgpu([*words, "--compat", compat]) == 0
        assert f"hipFree({compat})" in (tmp_path / f"{compat}.cu").read_text()


@pytest.mark.parametrize("tool", ["translate", "hipify-perl", "hipify-clang"])
def test_standard_output_by_its_name_and_full(tmp_path: Path, tool: str) -> None:
    source = tmp_path / "a.cu"
    source.write_text("#include <cuda_runtime.h>\nint e = cudaFree(p);\n")
    command = [sys.executable, "-m", "portgpu", tool, str(source), "-o"]
    for name in ("-", "/dev/stdout", "/dev/fd/1"):
        for kind in ("pipe", "file"):
            kept = tmp_path / "out"
            with kept.open("wb") as out:
                target = subprocess.PIPE if kind == "pipe" else out
                done = subprocess.run([*command, name], stdout=target, check=True)
            found = done.stdout if kind == "pipe" else kept.read_bytes()
            assert found.endswith(b"int e = hipFree(p);\n"), (name, kind)
    assert Path("/dev/stdout").is_symlink()
    with Path("/dev/full").open("wb") as out:
        done = subprocess.run([*command, "-"], stdout=out, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 9 and b"standard output: No space left" in done.stderr
    assert done.stderr.count(b"\n") <= 2, done.stderr


def test_headers_that_are_nowhere_are_told_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a.cu", "b.cu"):
        code = '#include "gone.h"\n#include "stdio.h"\n#include <far.h>\n#include "hip/x.h"\n'
        (tmp_path / name).write_text(code + '#include "cuda_runtime.h"\n#include "here.h"\n')
    (tmp_path / "here.h").write_text("int x;\n")
    assert portgpu(["translate", str(tmp_path), "--check"]) == 1
    shown = capsys.readouterr().out
    assert shown.count("PG1705") == 1 and "a.cu:1:11: note: gone.h was not found" in shown
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc/gone.h").write_text("int y;\n")
    assert portgpu(["translate", str(tmp_path), "--check", "-I", str(tmp_path / "inc")]) == 1
    assert "PG1705" not in capsys.readouterr().out


def test_a_misspelt_name_has_a_proposal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.cpp").write_text(
        "int e = cudaMaloc(p), f = cublasCreat(h), g = cudaOurOwnThing(1);\n"
    )
    assert portgpu(["translate", str(tmp_path / "a.cpp"), "--check"]) == 1
    shown = capsys.readouterr().out
    assert "did you mean cudaMalloc?" in shown and "did you mean cublasCreate?" in shown
    assert shown.count("pass its header's folder with -I") == 1


def test_a_name_too_long_for_a_backup(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / ("x" * 249 + ".cu")
    source.write_text("int e = cudaFree(p);\n")
    for tool in (
        ["translate", "--in-place"],
        ["hipify-perl", "-inplace"],
        ["hipify-clang", "-inplace"],
    ):
        assert portgpu([*tool, str(source)]) == 9
        assert "too long for a backup" in capsys.readouterr().err
        assert source.read_text() == "int e = cudaFree(p);\n" and len(list(tmp_path.iterdir())) == 1
    assert portgpu(["translate", "--in-place", "--no-backup", "-q", str(source)]) == 0
    assert "hipFree" in source.read_text()


@pytest.mark.parametrize("tool", ["translate", "hipify-perl"])
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_fault_of_ours(tmp_path: Path, tool: str, closed: str) -> None:
    source = tmp_path / "a.cu"
    source.write_text("int e = cudaFree(p);\n")
    for name in ("-", str(source)):
        out = tmp_path / "o.hip"
        words = f"{tool} {name}" + (f" -o {out}" if name != "-" else "")
        done = subprocess.run(
            ["sh", "-c", f"{sys.executable} -m portgpu {words} {closed}"],
            stdin=subprocess.DEVNULL, capture_output=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    assert out.read_bytes().endswith(b"int e = hipFree(p);\n")


def test_files_with_a_leading_dash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("-a.cu").write_text("int e = cudaFree(p);\n")
    for words in (
        ["hipify-perl", "--", "-a.cu"],
        ["translate", "--", "-a.cu"],
        ["hipify-perl", "./-a.cu"],
    ):
        assert portgpu(words) == 0
        assert capfdbinary.readouterr().out.endswith(b"int e = hipFree(p);\n")
    assert portgpu(["hipify-perl", "-a.cu"]) == 2
    assert b"write ./-a.cu" in capfdbinary.readouterr().err
