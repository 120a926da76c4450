"""No option and no configuration key is ignored: each changes something that can be seen."""

from __future__ import annotations

import ast
import importlib
import json
import os
from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path

import click
import pytest

import portgpu
from portgpu import config_model
from portgpu.cli import COMMANDS
from portgpu.cli import run as cli
from portgpu.cli.translate import command

TREE = {
    "a.cu": '#include "b.h"\n'
    "void f() { cudaFree(0); k<<<1, 2>>>(); cudaFrob(); cudaMallocAsync(p, 1, s); }\n"
    "__global__ void w(int* p) { *p = warpSize; __syncwarp(); cudaMemPrefetchAsync(p, 1, 0); }\n",
    "b.h": "#pragma once\ncublasHandle_t handle;\nvoid g() { cudaMallocAsync(p, 1, s); }\n",
    "inc/c.h": "cudaStream_t s;\n",
    "skip/d.cu": "void d() { cudaFree(0); }\n",
    "clean.cu": "void g() { int e = cudaFree(p); }\n",
    "hip.cpp": "#include <hip/hip_runtime.h>\nvoid f() { hipMallocAsync(p, 1, s); }\n",
    "with_c.cu": '#include "c.h"\nint x;\n',
}
# Option -> (arguments, words that are added). Without a pair the option is one of `modes`.
EFFECTS: dict[str, tuple[list[str], list[str]]] = {
    "inputs": (["clean.cu"], ["skip/d.cu", "-o", "out"]),
    "out": (["a.cu"], ["-o", "out"]),
    "in_place": (["a.cu"], ["--in-place"]),
    "no_backup": (["a.cu", "--in-place"], ["--no-backup"]),
    "to_stdout": ([".", "--exclude", "*"], ["a.cu", "--stdout"]),
    "diff": (["a.cu"], ["--diff"]),
    "check": (["a.cu"], ["--check"]),
    "examine": (["a.cu"], ["--examine"]),
    "stats": (["a.cu"], ["--stats"]),
    "target": (["a.cu"], ["--to", "cpu"]),
    "warp": (["a.cu"], ["--warp", "native"]),
    "launches": (["a.cu"], ["--launches", "convert"]),
    "hip_version": (["a.cu"], ["--hip-version", "5.0"]),
    "cuda_version": (["hip.cpp", "--to", "cuda"], ["--cuda-version", "11.0"]),
    "roc": (["a.cu", "-o", "out"], ["--roc"]),
    "compat": (["a.cu"], ["--compat", "header"]),
    "line_directives": (["a.cu", "-o", "out"], ["--line"]),
    "include_dirs": (["with_c.cu", "-o", "out"], ["-I", "inc"]),
    "defines": (["a.cu"], ["-D", "cudaFrob"]),
    "database": (["clean.cu", "-o", "out"], ["-p", "."]),
    "no_follow": (["a.cu", "-o", "out"], ["--no-follow"]),
    "exclude": ([".", "-o", "out"], ["--exclude", "skip"]),
    "allow": (["a.cu"], ["--allow", "PG1002"]),
    "fmt": (["a.cu"], ["--format", "json"]),
    "quiet": (["a.cu", "--examine"], ["-q"]),
    "jobs": (["a.cu"], ["-j", "-1"]),  # processes cannot be seen; a wrong number is refused
}
KEYS = {
    "allow": 'allow = ["PG1002"]',
    "launches": 'launches = "convert"',
    "hip_version": 'hip_version = "5.0"',
}


def observe(folder: Path, words: list[str], capfdbinary: pytest.CaptureFixture[bytes]) -> object:
    """Exit code, both streams and all files after a run in a fresh tree."""
    folder.mkdir()
    for name, text in TREE.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    entry = {"directory": ".", "file": "skip/d.cu", "arguments": ["nvcc", "-Iinc"]}
    (folder / "compile_commands.json").write_text(json.dumps([entry]))
    os.chdir(folder)
    capfdbinary.readouterr()
    code = cli(["translate", *words])
    streams = capfdbinary.readouterr()
    files = {
        p.relative_to(folder): p.read_bytes()
        for p in sorted(folder.rglob("*"))
        if p.is_file() and p.name != ".portgpu-translate.json"
    }
    return code, streams.out, streams.err, files


def test_every_option_of_translate_is_listed() -> None:
    assert {p.name for p in command.params} == EFFECTS.keys()


@pytest.mark.parametrize("name", sorted(EFFECTS))
def test_every_option_of_translate_has_an_effect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes],
    name: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    words, added = EFFECTS[name]
    without = observe(tmp_path / "without", words, capfdbinary)
    assert observe(tmp_path / "with", [*words, *added], capfdbinary) != without


@pytest.mark.parametrize("key", [f.name for f in fields(config_model.Translate)])
def test_every_key_of_translate_has_an_effect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes],
    key: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    without = observe(tmp_path / "without", ["a.cu"], capfdbinary)
    (tmp_path / "p.toml").write_text(f"[translate]\n{KEYS[key]}\n")
    monkeypatch.setenv("PORTGPU_CONFIG", str(tmp_path / "p.toml"))
    assert observe(tmp_path / "with", ["a.cu"], capfdbinary) != without


def test_the_warp_of_the_build_is_that_of_the_translation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.chdir(tmp_path)
    wanted = observe(tmp_path / "option", ["a.cu", "--warp", "native"], capfdbinary)
    monkeypatch.setenv("PORTGPU_WARP", "native")
    assert observe(tmp_path / "variable", ["a.cu"], capfdbinary) == wanted


# --- everywhere: what a command or a section takes is read somewhere ----------------------------


def _trees() -> Iterable[tuple[Path, ast.Module]]:
    for path in sorted(Path(portgpu.__file__).parent.rglob("*.py")):
        yield path, ast.parse(path.read_text(encoding="utf-8"))


def test_every_option_of_every_command_is_read() -> None:
    for name in COMMANDS:
        module = importlib.import_module(f"portgpu.cli.{name}")
        assert isinstance(module.command, click.Command)
        assert module.__file__ is not None
        tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
        body = next(n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "command")
        read = {n.id for n in ast.walk(body) if isinstance(n, ast.Name)}
        takes_all = {n.attr for n in ast.walk(body) if isinstance(n, ast.Attribute)}
        options = {p.name for p in module.command.params if p.name}
        assert options <= read or "params" in takes_all or body.args.kwarg, (name, options - read)


def test_every_key_of_every_section_is_read() -> None:
    read: set[str] = set()
    for path, tree in _trees():
        if path.name.startswith("config"):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute):
                read.add(node.attr)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                read.add(node.value)
    models = {*config_model.MODELS.values(), *(m for _, m in config_model.LISTS.values())}
    keys = {f.name for model in models for f in fields(model)}
    assert keys <= read, keys - read
