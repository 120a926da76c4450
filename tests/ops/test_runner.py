"""The test runner against a library that breaks its promises one by one."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from portgpu.errors import Exit, NoDeviceError, TestError, UnprovenError, UsageError
from portgpu.ops import registry
from portgpu.run.executors import runs_on
from portgpu.testing import cases, session
from portgpu.testing.__main__ import main
from portgpu.testing.results import Leg

Make = Callable[..., Path]


def run(lib: Path, fake_registry: Path, output: Path, *ops: str, **more: object) -> list[Leg]:
    options = session.Options(
        libs={str(more.pop("target", "cpu")): lib},
        widths=(32,),
        ops=ops,
        registry=fake_registry,
        form="json",
        output=output,
        quiet=True,
        **{"seed": 7, "torch": False, **more},  # type: ignore[arg-type]
    )
    return session.run(options)


@pytest.fixture
def report(tmp_path: Path) -> Path:
    return tmp_path / "report.json"


def failures(report: Path) -> dict[str, str]:
    legs = json.loads(report.read_text())["legs"]
    return {f["id"]: f["message"] for leg in legs for f in leg["failures"]}


def test_good_library_passes(
    fake_library: Make, fake_registry: Path, report: Path, seed: int
) -> None:
    legs = run(fake_library(), fake_registry, report, "add", "sum", seed=seed)
    assert [leg.passed for leg in legs] == [True]
    assert legs[0].planned == len(legs[0].results) > 200
    facts = json.loads(report.read_text())
    assert facts["passed"] and facts["seed"] == seed
    assert facts["legs"][0]["library"]["device"]["name"] == "fake device"
    assert {row["op"] for row in facts["legs"][0]["ops"]} == {"add", "sum"}


@pytest.mark.parametrize(
    ("op", "case", "message"),
    [
        ("add_wrong", "n33", "1 of 33 differ; first at (32,)"),
        ("add_rounding", "n33", "1 of 33 differ; first at (7,)"),
        ("add_beyond", "n33", "wrote outside its elements, at byte 132"),
        ("add_before", "n33", "wrote outside its elements, at byte -4"),
        ("add_input", "n33", "changed its input"),
        ("add_refuses", "n33", "a good call was refused: PG_ERR_SIZE: fake: 33 is too many"),
        ("add_crash", "n33", "crashed (SIGSEGV)"),
        ("add_abort", "n33", "crashed (SIGABRT)\nthe emulator gives up"),
        ("add_lost", "n33", "PG_ERR_DEVICE: fake: illegal address"),
        ("add_lenient", "bad-a-no-data", "accepted bad input; PG_ERR_NULL is right"),
        ("add_writes", "bad-a-longer", "but wrote to memory"),
        ("add_flaky", "2d-mix-0", "two runs differ in their bits"),
    ],
)
def test_broken_promise_is_found(
    fake_library: Make, fake_registry: Path, report: Path, op: str, case: str, message: str
) -> None:
    with pytest.raises(TestError) as caught:
        run(fake_library(), fake_registry, report, op)
    assert caught.value.exit_code == Exit.TEST
    found = failures(report)
    assert message in found[f"{op}/f32/{case}"]
    facts = json.loads(report.read_text())["legs"][0]
    assert facts["run"] == facts["planned"]  # whatever broke, the other cases ran


def test_hanging_case_is_ended(fake_library: Make, fake_registry: Path, report: Path) -> None:
    with pytest.raises(TestError):
        run(fake_library(), fake_registry, report, "add_hang", match="/n3", timeout=1.0)
    found = failures(report)
    assert list(found) == ["add_hang/f32/n33"]
    assert found["add_hang/f32/n33"].startswith("no answer within 1 s")


def test_missing_device_is_exit_7(
    fake_library: Make, fake_registry: Path, report: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lib = fake_library("DEVICES=0", target="cuda")
    with pytest.raises(NoDeviceError, match="no NVIDIA device is here"):
        run(lib, fake_registry, report, "add", target="cuda")
    assert not json.loads(report.read_text())["passed"]
    code = main(["--lib", str(lib), "--registry", str(fake_registry), "--no-torch"])
    assert code == Exit.NO_DEVICE
    text = capsys.readouterr()
    assert "FAILED" in text.out and "--build-only" in text.err


def test_device_of_another_architecture(
    fake_library: Make, fake_registry: Path, report: Path
) -> None:
    lib = fake_library('ARCHS="sm_80,sm_90"', 'DEVICE_ARCH="sm_75"', target="cuda")
    with pytest.raises(
        UnprovenError, match=r"holds code for sm_80, sm_90; the device is sm_75"
    ) as e:
        run(lib, fake_registry, report, "add", target="cuda")
    assert "--arch sm_75" in e.value.hint


@pytest.mark.parametrize(
    ("arch", "built", "runs"),
    [
        ("sm_90", ["sm_80", "sm_90"], True),
        ("sm_86", ["sm_80"], True),
        ("sm_80", ["sm_86"], False),
        ("sm_90", ["sm_80"], False),
        ("sm_90", ["compute_80"], True),
        ("sm_75", ["compute_80"], False),
        ("sm_90", ["sm_90a"], True),
        ("sm_120", ["sm_100"], False),
        ("gfx90a:sramecc+:xnack-", ["gfx90a"], True),
        ("gfx90a", ["gfx908"], False),
    ],
)
def test_runs_on(arch: str, built: list[str], runs: bool) -> None:
    assert runs_on(arch, built) is runs


def test_wrong_abi_and_wrong_target(
    fake_library: Make, fake_registry: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = fake_library("ABI=99")
    assert main(["--lib", f"cpu={old}", "--registry", str(fake_registry)]) == Exit.USAGE
    assert "ABI version 99" in capsys.readouterr().err
    cuda = fake_library(target="cuda")
    assert main(["--lib", f"cpu={cuda}", "--registry", str(fake_registry)]) == Exit.USAGE
    assert "is a cuda library, not cpu" in capsys.readouterr().err


def test_library_that_is_none(tmp_path: Path, fake_registry: Path) -> None:
    text = tmp_path / "libportgpu_ops_cpu.so"
    text.write_text("not ELF")
    assert main(["--lib", str(text), "--registry", str(fake_registry)]) == Exit.USAGE
    assert main(["--lib", str(tmp_path / "absent_cpu.so")]) == Exit.USAGE


def test_nothing_to_run_is_an_error(fake_library: Make, fake_registry: Path, report: Path) -> None:
    with pytest.raises(UsageError, match="no case matches"):
        run(fake_library(), fake_registry, report, "add", match="no such case")
    with pytest.raises(UsageError, match="no op is called"):
        run(fake_library(), fake_registry, report, "adn")
    with pytest.raises(TestError, match="no test ran"):
        session.judge([])
    assert not Leg("x", "cpu", "lib", 0).passed


def test_build_only_says_so(fake_library: Make, tmp_path: Path) -> None:
    lib = fake_library()
    leg = session.built_leg("cpu", lib, ("x86_64",))
    assert "lacks" in leg.note  # the fake has two ops of the real registry
    leg.note = ""
    options = session.Options(libs={}, output=tmp_path / "out.txt", extra=[leg], quiet=True)
    session.run(options)
    text = (tmp_path / "out.txt").read_text()
    assert "built, not run" in text and "passed" not in text


def test_junit(fake_library: Make, fake_registry: Path, tmp_path: Path) -> None:
    output = tmp_path / "junit.xml"
    with pytest.raises(TestError):
        session.run(
            session.Options(
                libs={"cpu": fake_library()}, widths=(32, 64), ops=("add", "add_abort"),
                registry=fake_registry, form="junit", output=output, quiet=True, seed=1,
            )
        )  # fmt: skip
    suites = ElementTree.parse(output).getroot().findall("testsuite")
    assert [s.get("name") for s in suites] == ["cpu, 32 lanes", "cpu, 64 lanes"]
    assert all(s.get("failures") == "1" and s.get("tests") == "2" for s in suites)
    failure = suites[0].find("testcase/failure")
    assert failure is not None and "the emulator gives up" in (failure.text or "")


def test_same_seed_same_plan(fake_registry: Path, seed: int) -> None:
    table = registry.load()

    def ids(number: int) -> list[str]:
        return [c.id + c.describe() for c in cases.plan(table, seed=number)]

    first = ids(seed)
    assert first == ids(seed)
    assert first != ids(seed + 1)
    assert len({c.id for c in cases.plan(table, seed=seed)}) == len(first)


def test_runs_without_optional_packages(fake_library: Make, fake_registry: Path) -> None:
    """The stand-alone entry needs NumPy and the standard library only."""
    block = (
        "import sys\n"
        "class No:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.split('.')[0] in {'click','rich','jinja2','clang','ml_dtypes','torch'}:\n"
        "            raise ImportError(name)\n"
        "sys.meta_path.insert(0, No())\n"
        "from portgpu.testing.__main__ import main\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", block, "--lib", str(fake_library()), "--op", "add", "--warp-size",
         "64", "--registry", str(fake_registry)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "cpu, 64 lanes: passed" in done.stdout
    assert "seed" in done.stderr
