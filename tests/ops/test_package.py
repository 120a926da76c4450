"""The installed op library: CMake package with the examples, and a wheel in a fresh environment."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from portgpu import __version__, cli, resources
from portgpu.build import package
from portgpu.errors import Exit

EXAMPLES = resources.kernels("examples")


def run(*words: str | Path, cwd: Path | None = None, fails: bool = False, **env: str) -> str:
    done = subprocess.run(
        [str(word) for word in words], cwd=cwd, env={**os.environ, **env},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    assert (done.returncode != 0) == fails, done.stdout
    return done.stdout


def test_cmake_package_builds_the_examples(cpu_library: Path, tmp_path: Path) -> None:
    prefix = tmp_path / "a prefix"
    package.install(cpu_library, prefix)
    build = tmp_path / "build"
    configure = (
        "cmake",
        "-G",
        "Ninja",
        "-S",
        EXAMPLES,
        "-B",
        build,
        f"-DCMAKE_PREFIX_PATH={prefix}",
    )
    run(*configure, "-DPORTGPU_TARGET=cpu", "-DCMAKE_C_FLAGS=-Wall -Wextra -Werror -pedantic")
    run("cmake", "--build", build)
    for width in ("32", "64"):
        first, second = run(build / "softmax", PORTGPU_WARP_SIZE=width).splitlines()
        assert first == "cpu 6 15 0.090031" and "axis 5" in second
        assert "cpu: 20 steps, largest error" in run(build / "logistic", PORTGPU_WARP_SIZE=width)
    said = run(*configure, "--fresh", "-DPORTGPU_TARGET=cuda", fails=True)
    assert "no library for cuda is in" in " ".join(said.split())
    text = (prefix / "lib/cmake/portgpu_ops/portgpu_ops-config-version.cmake").read_text()
    assert f'"{__version__}"' in text


def test_wheel_in_a_fresh_environment(cpu_library: Path, tmp_path: Path) -> None:
    """The wheel beside this portgpu: found, compiled binding, used; its record is right."""
    assert cli.run(
        ["wheel", "--target", "cpu", "--lib", str(cpu_library), "--out", str(tmp_path / "dist")]
    ) == Exit.OK  # fmt: skip
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    assert wheel.name.startswith(f"portgpu_ops_cpu-{__version__}-cp311-abi3-")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    for part in ("lib/_portgpu_ops.abi3.so", "include/portgpu_ops/portgpu_ops.h",
                 "lib/cmake/portgpu_ops/portgpu_ops-config.cmake"):  # fmt: skip
        assert f"portgpu_ops_cpu/{part}" in names
    run(sys.executable, "-m", "venv", "--system-site-packages", tmp_path / "venv")
    python = tmp_path / "venv" / "bin" / "python"
    run(python, "-m", "pip", "install", "-q", "--no-deps", "--no-index", wheel)
    # The environment that runs the tests has portgpu and NumPy; the new one sees them.
    paths = os.pathsep.join([str(Path(package.__file__).parents[2]), *filter(None, sys.path)])
    said = run(
        python, "-c",
        "import numpy as np, portgpu_ops_cpu as p, portgpu.ops\n"
        "ops = portgpu.ops.load('cpu')\n"
        "assert ops.library.path == p.library_path().resolve()\n"
        "print(ops.binding, ops.add(np.ones(3, np.float32), 1), p.load() is ops)\n"
        "print((p.include_dir() / 'portgpu_ops.h').is_file(), p.cmake_dir().is_dir())",
        cwd=tmp_path, PYTHONPATH=paths, PORTGPU_BUILD_DIR=str(tmp_path / "none"),
    )  # fmt: skip
    assert said.split("\n")[:2] == ["compiled [2. 2. 2.] True", "True True"]
    run(python, "-m", "pip", "uninstall", "-q", "-y", "portgpu-ops-cpu")


def test_install_is_for_the_op_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "k.cu").write_text("__global__ void k() {}\n")
    (tmp_path / "portgpu.toml").write_text('[project]\nname = "w"\nsources = ["k.cu"]\n')
    monkeypatch.chdir(tmp_path)
    assert cli.run(["build", "-t", "cpu", "--install", "there"]) == Exit.USAGE
    assert "--install is for portgpu's op library" in capsys.readouterr().err
    assert cli.run(["wheel", "-t", "cpu", "-t", "cuda", "--lib", "k.cu"]) == Exit.USAGE
