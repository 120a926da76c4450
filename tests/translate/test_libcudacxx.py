"""libcu++ by both routes: atomics of every kind of value, barriers; and where inline PTX shows."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from portgpu.headers.shadow import render_shadow
from tests.translate.helpers import ids, out, run
from tests.translate.test_compile import compile_ok

_EVERY_KIND = """#include <cuda/atomic>
#include <cuda/barrier>
struct pair { int a; float b; };
enum class state { idle, busy };
__device__ cuda::atomic<int, cuda::thread_scope_device> total;
__global__ void work(int* p, double* d) {
  total.fetch_add(p[threadIdx.x], cuda::std::memory_order_relaxed);
  cuda::atomic_ref<double, cuda::thread_scope_device> sum(*d);
  sum += 1.0;
  sum.fetch_min(0.5);
  cuda::atomic<int*> where(p);
  where += 2;
  ++where;
  cuda::atomic<short, cuda::thread_scope_block> small(1);
  small.fetch_max(3);
  small++;
  cuda::atomic<bool> flag(false);
  flag = true;
  cuda::atomic<pair> both;
  pair seen{1, 2.f};
  both.store(seen);
  both.compare_exchange_strong(seen, pair{3, 4.f});
  cuda::atomic<state> now(state::idle);
  now = state::busy;
  now.wait(state::idle);
  now.notify_all();
  __shared__ cuda::barrier<cuda::thread_scope_block> b;
  __shared__ cuda::std::barrier<> s;
  if (threadIdx.x == 0) {
    init(&b, blockDim.x);
    init(&s, blockDim.x);
  }
  __syncthreads();
  b.wait(b.arrive());
  b.wait_parity(true);
  s.arrive_and_drop();
  int a = 1;
  cuda::std::swap(a, p[1]);
  p[0] += cuda::std::exchange(a, 3) + *where.load() + small + flag + (now.load() == state::busy);
  cuda::std::atomic_thread_fence(cuda::std::memory_order_acq_rel);
}
long host() {
  cuda::std::atomic_int plain{1};
  cuda::std::atomic_size_t size(plain++);
  cuda::atomic<long> n{3};
  long expected = 3;
  while (!n.compare_exchange_weak(expected, expected * 2, cuda::memory_order_acq_rel)) {
  }
  n |= 8;
  return n.exchange(1) + n.fetch_sub(1);
}
int main() { return 0; }
"""


@pytest.mark.rocm_compiler
@pytest.mark.parametrize("standard", ["c++14", "c++20"])
def test_every_kind_of_value_by_both_routes(tmp_path: Path, standard: str) -> None:
    pasted = run(_EVERY_KIND)
    assert [f.id for f in pasted.findings] == ["PG1003"] * 2
    single = tmp_path / "single.cu"
    words = [sys.executable, "-m", "portgpu", "translate", "-", "-q"]
    single.write_text(
        subprocess.run(words, input=_EVERY_KIND, capture_output=True, text=True).stdout
    )
    header, _, own = single.read_text().partition("struct pair {")
    assert "class atomic_ref" in header and "pg_compat::atomic<" in own and "cuda::" not in own
    untouched = tmp_path / "untouched.cu"
    untouched.write_text(_EVERY_KIND)
    shadow = tmp_path / "shadow"
    render_shadow("rocm", shadow)
    options = [f"-std={standard}", "--offload-arch=gfx90a", "-fsyntax-only", "-x", "hip"]
    compile_ok(["hipcc", *options, str(single)])
    compile_ok(["hipcc", f"@{shadow / 'portgpu-rocm.rsp'}", *options, str(untouched)])


_PAIRS = """#include <cuda/std/tuple>
#include <cuda/std/utility>
#include <cuda/std/variant>
struct big { int a[3]; };
__host__ __device__ int use(int x) {
  cuda::std::pair<int, float> p(1, 2.f), q{3, 4.f};
  p = q;
  p = cuda::std::make_pair(5, 6.f);
  p = {7, 8.f};
  cuda::std::pair<long, double> w = p;
  w = p;
  cuda::std::tuple<int, float, char> t(1, 2.f, 'c'), v = cuda::std::make_tuple(2, 3.f, 'd');
  t = v;
  int a = 0; float b = 0; char c = 0;
  cuda::std::tie(a, b, c) = t;
  cuda::std::tie(a, cuda::std::ignore, c) = cuda::std::make_tuple(9, 1.f, 'e');
  int k = 0; double d = 0;
  cuda::std::tie(k, d) = cuda::std::make_pair(4, 5.0);
  auto both = cuda::std::tuple_cat(t, v, cuda::std::make_tuple(1, 2));
  auto [f, g] = p;
  auto [h, i, j] = t;
  cuda::std::tuple<int> one(3);
  one = cuda::std::tuple<int>(4);
  cuda::std::pair guess(1, 2.f);
  cuda::std::tuple guess3(1, 2.f, 'c');
  cuda::std::pair<cuda::std::tuple<int, int>, big> nested;
  nested = {cuda::std::tuple<int, int>(1, 2), big{}};
  static_assert(cuda::std::tuple_size<decltype(both)>::value == 8, "");
  cuda::std::tuple_element<0, cuda::std::pair<int, float>>::type e = 3;
  cuda::std::swap(p, q);
  const int same = (p == q) * 1000 + (t < v) * 2000;
  cuda::std::variant<int, float> one_of(3.f), other(2);
  other = one_of;
  const int more = guess.first + cuda::std::get<0>(guess3) + cuda::std::get<0>(nested.first);
  return same + cuda::std::get<1>(other) + (cuda::std::get_if<0>(&one_of) != nullptr) + x + e +
         cuda::std::get<0>(p) + a + int(b) + c + f + int(g) + h + int(i) + j + more +
         cuda::std::get<0>(one) + k + int(d) + cuda::std::get<0>(both) + cuda::std::get<7>(both);
}
__global__ void kernel(int* out) { out[0] = use(3); }
"""


@pytest.mark.rocm_compiler
def test_pairs_and_tuples_are_assigned_on_devices(
    tmp_path: Path, newer_hip: tuple[str, Path]
) -> None:
    """Before C++20 too, where the standard library's are for the host; 265 is nvcc's number."""
    main = '#include <cstdio>\nint main() { printf("%d", use(3)); }\n'
    source = tmp_path / "pairs.cu"
    source.write_text(_PAIRS + main)
    ported = tmp_path / "ported.cu"
    words = [sys.executable, "-m", "portgpu", "translate", str(source), "-o", str(ported), "-q"]
    subprocess.run(words, check=True)
    assert ported.read_text().count("pg_compat::") == 29
    shadow = tmp_path / "shadow"
    render_shadow("rocm", shadow)
    options = ["-std=c++17", "--offload-arch=gfx90a", "-fsyntax-only", "-x", "hip"]
    compile_ok(["hipcc", *options, str(ported)])
    compile_ok(["hipcc", f"@{shadow / 'portgpu-rocm.rsp'}", *options, str(source)])
    clang, include = newer_hip
    only = ["--offload-device-only", "-nogpulib", "-isystem", str(include)]
    compile_ok([clang, *options, *only, str(ported)])
    program = tmp_path / "program"
    words = ["g++", "-x", "c++", "-std=c++17", "-D__HIP_PLATFORM_AMD__=1", str(ported)]
    subprocess.run([*words, "-o", str(program), "-lamdhip64"], check=True, capture_output=True)
    assert subprocess.run([program], capture_output=True, text=True).stdout == "265"


def test_scopes_reach_the_instructions(tmp_path: Path, newer_hip: tuple[str, Path]) -> None:
    """The compiler's text keeps each operation's order and scope."""
    clang, include = newer_hip
    code = "#include <cuda/atomic>\n__global__ void k(unsigned* p) {\n"
    for scope in ("block", "device", "system"):
        code += f"cuda::atomic_ref<unsigned, cuda::thread_scope_{scope}>(*p)"
        code += ".fetch_or(5, cuda::memory_order_relaxed);\n"
    code += "cuda::atomic_ref<unsigned, cuda::thread_scope_block>(*p)"
    code += ".load(cuda::memory_order_acquire); }"
    source = tmp_path / "k.cu"
    words = [sys.executable, "-m", "portgpu", "translate", "-", "-q"]
    source.write_text(subprocess.run(words, input=code, capture_output=True, text=True).stdout)
    text = tmp_path / "k.ll"
    compile_ok(
        [clang, "-x", "hip", "--offload-device-only", "--offload-arch=gfx942", "-nogpulib", "-S",
         "-O2", "-emit-llvm", "-isystem", str(include), str(source), "-o", str(text)]
    )  # fmt: skip
    lines = [x for x in text.read_text().splitlines() if "atomic" in x and "=" in x]
    found = [x for x in lines if "atomicrmw or" in x]
    assert len(found) == 3 and all("monotonic" in x for x in found)
    scopes = [re.findall(r'syncscope\("([a-z]*)', x) for x in found]
    assert scopes == [["workgroup"], ["agent"], ["one"]]  # "one-as": of one address space
    # An order holds for shared and global memory together, and that is never "one-as".
    load = next(x for x in lines if "load atomic" in x)
    assert 'syncscope("workgroup") seq_cst' in load


def test_its_header_comes_where_it_is_used_alone() -> None:
    assert "hip_compat_atomic" not in run("#include <cuda/functional>\n").text.decode()
    text = out("#include <cuda/atomic>\ncuda::atomic_ref<int, cuda::thread_scope_system> r(x);\n")
    assert text.startswith('#include "portgpu/hip_compat_atomic.h"\npg_compat::atomic_ref<int,')
    kept = ids("#include <cuda/atomic>\nint f() { return cuda::atomic_fetch_add(p, 1); }\n")
    assert kept == ["PG1601"]
    for line in ("using namespace cuda;", "namespace cx = cuda;"):
        assert ids(f"#include <cuda/atomic>\n{line}\n") == ["PG1601"]
        assert ids(f"namespace cuda {{ }}\n{line}\n") == []
    text = out("#include <cuda/atomic>\nusing cuda::atomic; using cuda::std::memory_order;\n")
    assert "using pg_compat::atomic; using pg_compat::memory_order;" in text


def test_lint_lists_the_ptx_that_shadow_headers_leave(tmp_path: Path) -> None:
    source = tmp_path / "a.cu"
    source.write_text(
        '__device__ void f(int& r, float x) {\n  asm("mov.u32 %0, %%laneid;" : "=r"(r));\n'
        '  asm volatile("bar.warp.sync -1;");\n'
        '  asm("cvt.rni.s32.f32 %0, %1;" : "=r"(r) : "f"(x));\n'
        "}\n"
    )
    words = [sys.executable, "-m", "portgpu", "lint", "--select", "PG2040", "--format", "json"]
    done = subprocess.run([*words, str(source)], capture_output=True, text=True)
    assert done.returncode == 1
    text = json.dumps(json.loads(done.stdout))
    assert text.count("inline PTX (") == 3 and "instead: __syncwarp()" in text


def test_the_way_back() -> None:
    code = "#include <cuda/atomic>\n#include <cuda/barrier>\ncuda::atomic<int> a;\n"
    code += "cuda::barrier<cuda::thread_scope_block>* b;\ncuda::memory_order o;\n"
    there = run(code).text
    assert b"cuda::" not in there
    back = run(there, to="cuda").text.decode()
    assert back.replace("\n\n", "\n") == code
