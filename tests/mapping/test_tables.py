"""The loader: every row is well formed, look-ups in both directions agree."""

from __future__ import annotations

import csv
import re
import time
from pathlib import Path

import pytest

from portgpu import mapping, resources
from portgpu.errors import InternalError, UsageError
from portgpu.mapping import FAMILIES, Kind, Status, Tables
from portgpu.mapping.tables import COLUMNS

TABLES = mapping.load()
ROWS = [(family, row) for family in FAMILIES for row in TABLES.family(family)]


def test_every_family_has_a_file() -> None:
    files = {path.stem for path in resources.data("mapping").glob("*.csv")}
    assert files == set(FAMILIES)


def test_names_are_unique_and_sorted() -> None:
    for family in FAMILIES:
        names = [row.cuda for row in TABLES.family(family)]
        assert len(names) == len(set(names)), family
        assert names == sorted(names, key=lambda name: (name.lower(), name)), family
    seen: dict[str, str] = {}
    for family, row in ROWS:
        if family in ("headers", "libraries", "flags", "cmake"):
            continue
        assert seen.setdefault(row.cuda, family) == family, row.cuda


@pytest.mark.parametrize("family", FAMILIES)
def test_status_fits_the_columns(family: str) -> None:
    for row in TABLES.family(family):
        what = f"{family}: {row.cuda}"
        if row.status is Status.ADAPTER:
            assert row.adapter, what
        else:
            assert not row.adapter, what
        if row.status is Status.SAME:
            assert row.hip or row.note, what
            assert row.verified or row.kind is Kind.NAMESPACE, what
        if row.status is Status.DIFFERS:
            assert row.note, what
        if row.status is Status.UNVERIFIED:
            assert row.hip, what
        for name in (row.cuda, row.hip, row.note, row.adapter):
            assert name == name.strip() and "\n" not in name, what


def test_same_rows_were_seen_on_both_sides() -> None:
    for family, row in ROWS:
        if row.status is not Status.SAME or family in ("libraries", "flags", "cmake", "headers"):
            continue
        if row.kind is Kind.NAMESPACE or "::" in row.cuda or not row.hip:
            continue
        seen = row.verified.split()
        if seen == ["manuals"] or row.hip == "int":  # predefined macros; a plain int
            continue
        assert any(name.startswith("cuda") for name in seen), f"{family}: {row}"
        assert any(name.startswith(("hip", "rocm")) for name in seen), f"{family}: {row}"


def test_versions_are_not_renamed() -> None:
    for name in ("CUDA_VERSION", "CUDART_VERSION"):
        row = TABLES.get(name)
        assert row is not None and row.hip == "" and row.status is Status.UNSUPPORTED


@pytest.mark.parametrize(
    ("cuda", "hip"),
    [
        ("cudaMalloc", "hipMalloc"),
        ("cudaStream_t", "hipStream_t"),
        ("cudaErrorMemoryAllocation", "hipErrorOutOfMemory"),
        ("CUDA_ERROR_OUT_OF_MEMORY", "hipErrorOutOfMemory"),
        ("cudaHostAllocDefault", "hipHostMallocDefault"),
        ("cublasSgemm", "hipblasSgemm"),
        ("cublasCgemm", "hipblasCgemm"),
        ("CUBLAS_OP_N", "HIPBLAS_OP_N"),
        ("cublasLtMatmul", "hipblasLtMatmul"),
        ("cufftExecC2C", "hipfftExecC2C"),
        ("curand_init", "hiprand_init"),
        ("cusparseSpMV", "hipsparseSpMV"),
        ("cusolverDnSgetrf", "hipsolverDnSgetrf"),
        ("ncclAllReduce", "ncclAllReduce"),
        ("nvrtcCompileProgram", "hiprtcCompileProgram"),
        ("cub", "hipcub"),
        ("cub::DeviceReduce", "hipcub::DeviceReduce"),
        ("cuComplex", "hipComplex"),
        ("CUDART_PI_F", "HIP_PI_F"),
    ],
)
def test_known_pairs(cuda: str, hip: str) -> None:
    row = TABLES.get(cuda)
    assert row is not None and row.hip == hip and row.status is Status.SAME, row


def test_a_shim_is_an_adapter_beside_hips_name() -> None:
    row = TABLES.get("nvtxRangeEnd")
    assert row is not None and row.status is Status.ADAPTER
    assert (row.hip, row.adapter) == ("roctxRangeStop", "pg_compat::nvtx_range_end")


@pytest.mark.parametrize(
    ("cuda", "hip"),
    [
        ("cuda_runtime.h", "hip/hip_runtime.h"),
        ("cublas_v2.h", "hipblas/hipblas.h"),
        ("cusparse.h", "hipsparse/hipsparse.h"),
        ("cub/block/block_reduce.cuh", "hipcub/block/block_reduce.hpp"),
        ("nccl.h", "rccl/rccl.h"),
    ],
)
def test_headers(cuda: str, hip: str) -> None:
    assert TABLES.headers[cuda].hip == hip


@pytest.mark.parametrize(
    ("hip", "cuda"),
    [
        ("hipMalloc", "cudaMalloc"),
        ("hipMemcpyHostToDevice", "cudaMemcpyHostToDevice"),
        ("hipStream_t", "cudaStream_t"),
        ("hipblasSgemm", "cublasSgemm"),
        ("hipModuleLaunchKernel", "cuLaunchKernel"),
        ("hiprand_uniform", "curand_uniform"),
        ("__hip_bfloat16", "__nv_bfloat16"),
    ],
)
def test_reverse(hip: str, cuda: str) -> None:
    row = TABLES.reverse(hip)
    assert row is not None and row.cuda == cuda, row


def test_reverse_is_a_round_trip() -> None:
    for hip, row in TABLES.reverse_names.items():
        assert hip in (row.hip, row.adapter)
        forward = TABLES.get(row.cuda)
        assert forward == row


def test_shims_of_the_compat_header_are_adapters() -> None:
    text = "".join(
        path.read_text(encoding="utf-8")
        for path in resources.templates("compat", "portgpu").rglob("*.h")
    )
    words = set(re.findall(r"\w+", text))
    for cuda, shim in mapping.shims().items():
        row = TABLES.get(cuda)
        if row is not None:
            assert (row.status, row.adapter) == (Status.ADAPTER, shim)
        if shim.endswith(")"):  # a value, by HIP's own names
            assert re.search(r"hip\w+|__ushort_as_half", shim), shim
            continue
        # Macros paste the width into names of SIMD functions, both types into those of conversions,
        # the kind into those of comparisons of halves.
        name = shim.rpartition("::")[2]
        name = re.sub(r"\Au?(?:int|short|ll)2(?=(?:half|bfloat16)_)", "", name)
        name = re.sub(r"\Ahb?(?:eq|ne|g[te]|l[te])u?(?=2|\Z)", "PG_COMPAT_16_COMPARE", name)
        assert name in words or any(name.startswith(word) for word in words if len(word) > 3), shim


def test_loading_is_fast() -> None:
    start = time.process_time()
    tables = Tables(resources.data("mapping"))
    assert tables.get("cudaMalloc") is not None
    # 60 ms is the aim on an idle machine; the bound leaves room for a busy one.
    assert time.process_time() - start < 0.3


def test_damaged_file(tmp_path: Path) -> None:
    (tmp_path / "runtime.csv").write_text("cuda,hip\na,b\n")
    with pytest.raises(InternalError, match="columns"):
        Tables(tmp_path)
    header = ",".join(COLUMNS)
    (tmp_path / "runtime.csv").write_text(f"{header}\ncudaA,hipA,function\n")
    with pytest.raises(InternalError, match=r"runtime\.csv: a row has not 15 columns: cudaA"):
        Tables(tmp_path).get("cudaA")


def test_a_row_is_a_line_and_names_stand_without_quotes() -> None:
    for family in FAMILIES:
        with resources.data("mapping", f"{family}.csv").open(encoding="utf-8", newline="") as file:
            names = {row["cuda"] for row in csv.DictReader(file)}
        assert names <= set(getattr(TABLES, family, TABLES.names)), family


def test_unknown_family() -> None:
    with pytest.raises(UsageError) as error:
        TABLES.family("runtme")
    assert "runtime" in error.value.hint


def test_every_hip_name_has_a_way_back() -> None:
    count = 0
    for row in (
        row for family, row in ROWS if family not in ("headers", "libraries", "flags", "cmake")
    ):
        if row.status in (Status.SAME, Status.ADAPTER, Status.DIFFERS) and row.hip:
            back = TABLES.reverse(row.hip)
            assert back is not None and back.hip == row.hip, row
            count += 1
    assert count > 6000
    only = mapping.hip_only()
    assert len(only) > 2000
    for hip, (cuda, _) in only.items():
        assert TABLES.reverse(hip) is None, hip
        assert not cuda or cuda.partition(".")[0] in TABLES.names or cuda == "int8_t", (hip, cuda)


@pytest.mark.parametrize(
    ("hip", "cuda"),
    [
        ("hipSuccess", "cudaSuccess"),
        ("hipError_t", "cudaError_t"),
        ("hipStream_t", "cudaStream_t"),
        ("hipErrorOutOfMemory", "cudaErrorMemoryAllocation"),
        ("hipErrorInvalidValue", "cudaErrorInvalidValue"),
        ("hipMalloc", "cudaMalloc"),
        ("hipDeviceptr_t", "CUdeviceptr"),
        ("hipInit", "cuInit"),
        ("hipDataType", "cudaDataType"),
        ("hipDeviceProp_t", "cudaDeviceProp"),
        ("hipCtx_t", "CUcontext"),
    ],
)
def test_the_way_back_is_the_one_people_write(hip: str, cuda: str) -> None:
    found = TABLES.reverse(hip)
    assert found is not None and found.cuda == cuda
