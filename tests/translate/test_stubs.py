"""Files that declare or define the API's names themselves: stand-ins, fallbacks, tests for them."""

# ruff: noqa: E501 (texts of whole lines)

from __future__ import annotations

import random

import pytest

from portgpu import mapping
from portgpu.translate import Options, translate

FORMS = (
    "typedef int {n};\n{n} x;\n",
    "typedef struct {n}_st *{n};\n{n} x;\n",
    "typedef void (*{n})(int);\n{n} x;\n",
    "using {n} = int;\n{n} x;\n",
    "struct {n};\n{n} *x;\n",
    "typedef enum {n} {{ A }} {n};\n{n} x;\n",
    "typedef enum {{ {n} = 3 }} foo;\nint x = {n};\n",
    'extern "C" int {n}(int);\nint y = {n}(1);\n',
    "static int {n}(int a) {{ return 1; }}\nint y = {n}(1);\n",
    "#define {n}(x) g(x)\nint y = {n}(2);\n",
    "#ifndef {n}\n#define {n} 1\n#endif\nint y = {n};\n",
    "#if !defined({n})\n#define {n}(a, b) 1\n#endif\nint y = {n}(1, 2);\n",
    "#ifdef {n}\n#undef {n}\n#endif\nint y = {n};\n",
)


@pytest.mark.parametrize("form", FORMS)
def test_twice_is_once_for_every_kind_of_stand_in(form: str) -> None:
    seed = 20261201
    names = [n for n in mapping.load().names if "::" not in n]
    always = ["CUarray", "cudaStream_t", "min", "max", "CUDA_IPC_HANDLE_SIZE", "__shfl_sync"]
    for name in always + random.Random(seed).sample(names, 60):
        for options in (Options(), Options(compat=None, hipify="clang")):
            code = form.format(n=name).encode()
            once = translate(code, "a.cu", options).text
            assert translate(once, "a.cu", options).text == once, (name, options.hipify, seed)
            for line in once.split(b"\n"):
                if line.startswith((b"#if", b"#undef")):
                    assert b"pg_compat::" not in line, (name, seed)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        # The test, the definition and the uses go together.
        ("#ifndef cudaHostFn_t\n#define cudaHostFn_t fn\n#endif\ncudaHostFn_t f;\n",
         "#ifndef hipHostFn_t\n#define hipHostFn_t fn\n#endif\nhipHostFn_t f;\n"),
        ("#ifndef cudaFreeHost\n#define cudaFreeHost(p) f(p)\n#endif\nint x = cudaFreeHost(p);\n",
         "#ifndef hipHostFree\n#define hipHostFree(p) f(p)\n#endif\nint x = hipHostFree(p);\n"),
        # A name of ours is no macro's: the file's own stays.
        ("#ifndef warpSize\n#define warpSize 32\n#endif\nint w = warpSize;\n",) * 2,
        ("#define cudaMallocHost(p, n) m(p, n)\nint x = cudaMallocHost(p, 1);\n",) * 2,
        ("#ifdef cuMemcpyHtoD\nint y;\n#endif\n",) * 2,
        ("typedef struct CUarray_st *CUarray;\nCUarray x;\n", "typedef struct hipArray *CUarray;\nCUarray x;\n"),
    ],
)  # fmt: skip
def test_definitions_of_the_files_own(code: str, expected: str) -> None:
    found = translate(code.encode(), "a.h", Options()).text.decode()
    lines = [line for line in found.split("\n") if not line.startswith("#include")]
    assert lines == expected.split("\n")
