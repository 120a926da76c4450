"""Architecture names: spelling, order, and which toolkit knows one."""

from __future__ import annotations

import pytest

from portgpu.errors import ToolchainError, UsageError
from portgpu.toolchain import archs


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("sm_80", "sm_80"),
        (" SM_90A ", "sm_90a"),
        ("compute_90", "compute_90"),
        ("gfx90a", "gfx90a"),
        ("gfx90a:xnack-:sramecc+", "gfx90a:sramecc+:xnack-"),
        ("gfx9-4-generic", "gfx9-4-generic"),
        ("gfx1310", "gfx1310"),  # not in the table: the compiler decides
        ("host", "host"),
        ("native", "native"),
    ],
)
def test_parse(text: str, name: str) -> None:
    assert archs.parse(text) == name


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("sm80", "sm_80"),
        ("smm_90", "sm_90"),
        ("gfx90q", "gfx90"),
        ("gfx", "gfx9"),
        ("ampere", "examples"),
        ("gfx90a:xnack", "xnack+"),
        ("gfx1030:xnack+", "none"),
        ("gfx90a:xnack+:xnack-", ""),
        ("sm_90b", "sm_90"),
    ],
)
def test_typos_offer_the_nearest(text: str, hint: str) -> None:
    with pytest.raises(UsageError) as error:
        archs.parse(text)
    assert hint in error.value.hint


def test_lists_repeat_and_drop_duplicates() -> None:
    assert archs.parse_list(["sm_80,sm_75", "sm_80", "gfx90a,"]) == ["sm_80", "sm_75", "gfx90a"]


def test_one_processor_with_different_features_is_refused() -> None:
    with pytest.raises(UsageError, match="cannot be in one binary"):
        archs.parse_list(["gfx90a,gfx90a:xnack+"])
    assert len(archs.parse_list(["gfx90a:xnack-,gfx90a:xnack+"])) == 2


def test_order_is_by_number() -> None:
    names = ["sm_100", "gfx1030", "sm_90a", "sm_90", "gfx90a", "gfx906", "sm_75", "gfx1100"]
    assert sorted(names, key=archs.sort_key) == [
        "gfx906",
        "gfx90a",
        "gfx1030",
        "gfx1100",
        "sm_75",
        "sm_90",
        "sm_90a",
        "sm_100",
    ]


@pytest.mark.parametrize(
    ("name", "vendor", "message"),
    [
        ("sm_70", "nvidia", "CUDA 9.0 to 12.9 does"),
        ("sm_90a", "nvidia", "CUDA 12.0 or newer does"),
        ("compute_60", "nvidia", "CUDA 8.0 to 12.9 does"),
        ("gfx942", "amd", "ROCm 6.0 or newer does"),
        ("gfx950:sramecc+", "amd", "ROCm 7.0 or newer does"),
    ],
)
def test_unknown_to_the_compiler_names_the_toolkit_that_knows(
    name: str, vendor: str, message: str
) -> None:
    with pytest.raises(ToolchainError, match=message) as error:
        archs.require_known([name], ["sm_75", "gfx90a"], toolkit="Toolkit 1", vendor=vendor)
    assert error.value.exit_code == 3


def test_known_to_nobody_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match=r"neither CUDA 13\.0") as error:
        archs.require_known(["sm_91"], ["sm_90"], toolkit="CUDA 13.0", vendor="nvidia")
    assert "sm_90" in error.value.hint


def test_features_do_not_hide_a_known_processor() -> None:
    archs.require_known(["gfx90a:xnack-"], ["gfx90a"], toolkit="t", vendor="amd")
    archs.require_known(["compute_90"], ["sm_90"], toolkit="t", vendor="nvidia")


def test_table_is_consistent() -> None:
    for name, row in archs.table().items():
        assert archs.lookup(name) is row
        assert row.wave in (32, 64)
        assert row.title
        if row.vendor == "amd":
            assert row.llvm
            assert (row.wave == 64) == name.startswith("gfx9")
        for suffix in row.variants:
            assert archs.lookup(name + suffix) is row
            assert archs.parse(name + suffix) == name + suffix
