"""Options shared by all tests: slow ones are opt-in, missing compilers fail unless allowed."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="also run tests that take minutes")
    parser.addoption(
        "--allow-missing-toolchains",
        action="store_true",
        help="skip, instead of fail, tests whose GPU compiler is not here",
    )
    parser.addoption("--seed", type=int, default=None, help="seed of the randomised tests")


def pytest_configure(config: pytest.Config) -> None:
    # What nohup or a shell's `&` ignores, the programs that tests interrupt would ignore too.
    with contextlib.suppress(ValueError):  # only the main thread may
        if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
            signal.signal(signal.SIGHUP, signal.SIG_DFL)
    # Tests call nvcc, cmake and ninja by name; those that pip installs are on no PATH.
    os.environ["PATH"] += os.pathsep + str(Path(sys.executable).parent)
    if shutil.which("nvcc") is None and _usable("cuda"):
        from portgpu.toolchain import find_cuda

        os.environ["PATH"] += os.pathsep + str(find_cuda().compiler.parent)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("slow") and not config.getoption("--slow"):
            item.add_marker(pytest.mark.skip(reason="slow: run with --slow"))


def pytest_runtest_setup(item: pytest.Item) -> None:
    for target in ("cuda", "rocm"):
        if item.get_closest_marker(f"{target}_compiler") and not _usable(target):
            if item.config.getoption("--allow-missing-toolchains"):
                pytest.skip(f"no {target} compiler here")
            pytest.fail(f"no {target} compiler here; see: portgpu doctor", pytrace=False)


_found: dict[str, bool] = {}


def _usable(target: str) -> bool:
    if target not in _found:
        from portgpu.errors import ToolchainError
        from portgpu.toolchain import find_cuda, find_rocm

        try:
            (find_cuda if target == "cuda" else find_rocm)()
            _found[target] = True
        except ToolchainError:
            _found[target] = False
    return _found[target]


@pytest.fixture(scope="session")
def jit_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cache of kernels compiled by tests; in build/test-jit, where a second run is quick."""
    root = Path(__file__).resolve().parents[1]
    if not os.access(root, os.W_OK):
        return tmp_path_factory.mktemp("test-jit")
    return root / "build" / "test-jit"


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    """The seed of a randomised test, printed so that a failure can be repeated with --seed."""
    import random

    value = request.config.getoption("--seed")
    value = random.SystemRandom().randrange(2**32) if value is None else value
    print(f"seed: {value} (repeat with --seed {value})")
    return int(value)


@pytest.fixture
def newer_hip(request: pytest.FixtureRequest) -> tuple[str, Path]:
    """clang 19, and the headers of HIP 7.1: `$PORTGPU_HIP_INCLUDE`, or those of ci/setup.sh.

    Device code alone can be compiled with them: there is no HIP 7 library here.
    """
    here = Path(sys.prefix, "share", "portgpu-hip-7.1", "include")
    include = Path(os.environ.get("PORTGPU_HIP_INCLUDE") or here)
    clang = next((c for c in ("clang++-19", "clang++-20", "clang++-21") if shutil.which(c)), None)
    if clang is None or not (include / "hip" / "hip_version.h").is_file():
        reason = "no clang 19 with headers of HIP 7.1: PORTGPU_FOR_TESTS=1 bash ci/setup.sh"
        if request.config.getoption("--allow-missing-toolchains"):
            pytest.skip(reason)
        pytest.fail(reason, pytrace=False)
    return clang, include
