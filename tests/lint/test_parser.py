"""The tolerant parser: shapes of code that a linter without headers must read."""

from __future__ import annotations

import random

import pytest

from portgpu.lint.nodes import Expr, all_exprs
from portgpu.lint.parse_file import Declarations, parse
from portgpu.lint.preprocess import Preprocessor, scan


def read(code: str, mode: str = "cuda") -> Declarations:
    return parse(Preprocessor(mode, {}).run(scan(code.encode("latin-1"))))


def expression(code: str) -> str:
    function = read(f"void f() {{ return {code}; }}").functions[0]
    assert function.body
    return repr(function.body[0].expr)


@pytest.mark.parametrize(
    ("code", "tree"),
    [
        ("a + b * c", "(binary + (name a) (binary * (name b) (name c)))"),
        ("a >> 5 >= 2", "(binary >= (binary >> (name a) (num 5)) (num 2))"),
        ("f<g<int>>(x)", "(call  (name f) (name x))"),
        (
            "a < b && c > (d)",
            "(binary && (binary < (name a) (name b)) (binary > (name c) (name d)))",
        ),
        ("(unsigned)x & 31", "(binary & (cast unsigned (name x)) (num 31))"),
        ("(x) & 31", "(binary & (name x) (num 31))"),
        ("static_cast<long long>(a) * b", "(binary * (cast long long (name a)) (name b))"),
        ("p->q.r[i]", "(index  (member r (member q (name p))) (name i))"),
        ("x ? y : z ? 1 : 2", "(cond ? (name x) (name y) (cond ? (name z) (num 1) (num 2)))"),
        ("t.data_ptr<float>()", "(call  (member data_ptr (name t)))"),
        ("sizeof(float4) / sizeof x", "(binary / (sizeof float4) (sizeof  (name x)))"),
        ("unsigned(a)", "(cast unsigned (name a))"),
        ("!a == -b", "(binary == (unary ! (name a)) (unary - (name b)))"),
    ],
)
def test_expressions(code: str, tree: str) -> None:
    assert expression(code) == tree


def test_templates_attributes_and_bounds() -> None:
    out = read("""
      template <typename T, int N = 4>
      __global__ void C10_LAUNCH_BOUNDS_1(256) __launch_bounds__(N * 64, 2)
      k(const T* __restrict__ x, at::Acc<T, 3> a) {
        x[0] = a[1][2];
      }
      struct S { int n; __device__ S() : n{1} {} __device__ int get() const { return n; } };
      namespace a { namespace b { __device__ inline auto f() -> int { return 1; } } }
    """)
    assert [f.name for f in out.functions] == ["k", "S", "get", "f"]
    kernel = out.functions[0]
    assert kernel.kernel and [p.name for p in kernel.params] == ["x", "a"]
    assert [t.name for t in kernel.templates] == ["T", "N"]
    assert len(kernel.bounds) == 2
    assert out.functions[2].owner == "S" and out.functions[2].device


def test_launches() -> None:
    function = read(
        "void f() { k<float, 4><<<dim3(1, n >> 2), (a > b ? a : b), 0, s>>>(p, q[0]); }"
    )
    body = function.functions[0].body
    assert body
    launch = next(e for e in all_exprs(body) if e.kind == "launch")
    assert launch.callee == "k" and len(launch.args[1].args) == 4 and len(launch.arguments) == 2


def test_macros_expand_and_keep_the_place_of_their_use() -> None:
    head = "#define W 32\n#define AT(i) x[i % W]\n"
    code = head + "__device__ int f(int* x, int t) { return AT(t + 1); }"
    function = read(code).functions[0]
    assert function.body
    binary = next(e for e in all_exprs(function.body) if e.kind == "binary" and e.text == "%")
    assert binary.args[1].macro == "AT"
    assert repr(binary) == "(binary + (name t) (binary % (num 1) (num 32)))" or binary.text == "%"
    assert code[binary.start :].startswith("AT(")


@pytest.mark.parametrize(
    ("condition", "mode", "taken"),
    [
        ("#ifdef __CUDACC__", "cuda", True),
        ("#ifdef __CUDACC__", "hip", False),
        ("#if defined(USE_ROCM) || defined(__HIP_PLATFORM_AMD__)", "cuda", False),
        ("#if defined(USE_ROCM) || defined(__HIP_PLATFORM_AMD__)", "hip", True),
        ("#if CUDA_VERSION >= 11000 && __CUDA_ARCH__ >= 700", "cuda", True),
        ("#if 0", "cuda", False),
        ("#ifndef UNKNOWN_THING", "cuda", True),
        ("#if FEATURE > 3", "cuda", True),
    ],
)
def test_conditions(condition: str, mode: str, taken: bool) -> None:
    out = read(f"{condition}\nint yes;\n#else\nint no;\n#endif\n", mode)
    assert [v.name for v in out.globals] == (["yes"] if taken else ["no"])


def test_broken_input_never_raises() -> None:
    seed = 20261130
    print(f"seed {seed}")
    pick = random.Random(seed)
    source = (
        "template <int W> __global__ void k(float* x, int n) { __shared__ float s[W]; "
        "if (threadIdx.x >= n) return; for (int i = 0; i < n; ++i) s[i] += f<W>(x[i], (float)i); "
        'k<2><<<1, dim3(2, 3)>>>(x, n); asm volatile("mov %0, 1;" : "=r"(n)); '
        "do { n--; } while (n); }"
    )
    pieces = source.replace("(", " ( ").replace(")", " ) ").replace("{", " { ").split(" ")
    for _ in range(400):
        words = list(pieces)
        for _ in range(pick.randint(1, 12)):
            at = pick.randrange(len(words))
            if pick.random() < 0.5:
                del words[at]
            else:
                words.insert(at, pick.choice(pieces))
        out = read(" ".join(words))
        for function in out.functions:
            for node in all_exprs(function.body or []):
                assert isinstance(node, Expr)


@pytest.mark.parametrize(
    "code", ["alignas(16)", "struct A { alignas(8) };", "__attribute__((x))", "="]
)
def test_lone_attributes(code: str) -> None:
    assert [f.name for f in read(f"{code}\nvoid f() {{}}\n").functions] in ([], ["f"])
