"""Names of the program's own that CUDA has too, and CUDA's in unusual places: who is meant?

Each snippet marks CUDA's own names as `@name@`; everything else must stay as it is.
"""

# ruff: noqa: E501 (snippets)

from __future__ import annotations

import re

import pytest

from portgpu import mapping
from portgpu.translate import Options, translate

SNIPPETS = {
    # --- members and methods
    "methods of objects": "struct G { int cudaFree(); }; void f(G g, G* p) { g.cudaFree(); p->cudaFree(); @cudaFree@(p); }",
    "a method calls its own class": "struct G { int cudaMalloc(int); int f() { return cudaMalloc(3) + this->cudaMalloc(4); } }; void h() { @cudaMalloc@(&p, 3); }",
    "a method calls the global one": "struct G { int cudaMalloc(int); int f() { return ::@cudaMalloc@(&p, 3); } };",
    "static methods": "struct G { static int cudaFree(void*); }; void f() { G::cudaFree(p); ::@cudaFree@(p); }",
    "methods defined outside": "struct G { int cudaFree(void* p); }; int G::cudaFree(void* p) { return ::@cudaFree@(p); }",
    "a method defined outside calls its own": "struct G { int cudaFree(void*); int all(); }; int G::all() { return cudaFree(0); } void f() { @cudaFree@(0); }",
    "data members": "struct P { int cudaStream_t; float warpSize; }; float f(P p) { return p.cudaStream_t + p.warpSize; }",
    "pointers to members": "struct G { int cudaFree(); }; auto m = &G::cudaFree; int f(G g) { return (g.*m)(); }",
    "members of a base class": "struct B { int cudaFree(int); }; struct D : B { int f() { return cudaFree(1); } };",
    "members of a base template": "template <class T> struct B { int cudaFree(int); }; template <class T> struct D : B<T> { int f() { return this->cudaFree(1); } };",
    "initialisers of constructors": "struct G { int cudaFree; G() : cudaFree(3) {} };",
    "designated initialisers": "struct P { int cudaStream; int cudaEvent_t; }; P p = {.cudaStream = 1, .cudaEvent_t = 2};",
    "lambdas with such names": "void f() { auto cudaFree = [](void* p) { return 1; }; cudaFree(0); } void g() { @cudaFree@(0); }",
    # --- namespaces
    "functions of a namespace": "namespace foo { int cudaMalloc(int n) { return n; } } int a = foo::cudaMalloc(3); int f() { return @cudaMalloc@(&p, 3); }",
    "inside its namespace": "namespace foo { int cudaMalloc(int n) { return n; } int g() { return cudaMalloc(4); } } int f() { return @cudaMalloc@(&p, 3); }",
    "a namespace opened again": "namespace foo { int cudaMalloc(int n) { return n; } } namespace foo { int g() { return cudaMalloc(4); } } int f() { return @cudaMalloc@(&p, 3); }",
    "nested namespaces": "namespace a::b { int cudaFree(int x) { return x; } } int f() { return a::b::cudaFree(3) + @cudaFree@(p); }",
    "using a function of a namespace": "namespace foo { int cudaFree(int x) { return x; } } using foo::cudaFree; int f() { return cudaFree(3); }",
    "using it in one function": "namespace foo { int cudaFree(int x) { return x; } } int f() { using foo::cudaFree; return cudaFree(3); } int g() { return @cudaFree@(p); }",
    "a namespace with the name": "namespace cudaFoo { int x; } int y = cudaFoo::x;",
    "namespace alias": "namespace foo { int cudaFree(int x) { return x; } } namespace n = foo; int f() { return n::cudaFree(3) + @cudaFree@(p); }",
    "wrappers that call the original": "namespace foo { inline @cudaError_t@ cudaFree(void* p) { return ::@cudaFree@(p); } } void f() { foo::cudaFree(p); }",
    "an anonymous namespace": "namespace { int cudaFree(int x) { return x; } } int f() { return cudaFree(3); }",
    "extern C": 'extern "C" { int my(int); @cudaError_t@ g(@cudaStream_t@ s); } void f() { @cudaFree@(0); }',
    # --- local names
    "parameters": "int f(int cudaSuccess) { return cudaSuccess; } int g() { return @cudaSuccess@; }",
    "local variables": "void f() { int warpSizeX = 1; int cudaSuccess = 3; use(cudaSuccess); } int g() { return @cudaSuccess@; }",
    "inner blocks": "int f() { int r = @cudaSuccess@; { int cudaSuccess = 4; r += cudaSuccess; } return r + @cudaSuccess@; }",
    "loops": "void f() { for (int cudaSuccess = 0; cudaSuccess < 3; ++cudaSuccess) use(cudaSuccess); use(@cudaSuccess@); }",
    "structured bindings": "void f() { auto [cudaSuccess, b] = pair(); use(cudaSuccess); } int g() { return @cudaSuccess@; }",
    "conditions": "void f() { if (int cudaSuccess = g()) use(cudaSuccess); use(@cudaSuccess@); }",
    "catch": "void f() { try { } catch (const Error& cudaError) { use(cudaError); } use(@cudaErrorUnknown@); }",
    "range loops": "void f() { for (auto& cudaFree : list) use(cudaFree); @cudaFree@(0); }",
    "captures": "void f() { int cudaSuccess = 1; auto g = [cudaSuccess] { return cudaSuccess; }; }",
    "labels": "void f() { goto cudaFree; cudaFree: return; }",
    # --- types
    "a type of the program's own": "struct cudaStream_t { int id; }; cudaStream_t s; void f(cudaStream_t* p);",
    "a class template": "template <class T> class cudaArray_t { T* p; }; cudaArray_t<int> a;",
    "an alias": "using cudaStream_t = int; cudaStream_t s;",
    "a typedef": "typedef int cudaEvent_t; cudaEvent_t e;",
    "aliases of CUDA's": "using stream = @cudaStream_t@; typedef @cudaEvent_t@ event; stream s; event e;",
    "template parameters": "template <class cudaStream_t> void f(cudaStream_t s) {} void g(@cudaStream_t@ s);",
    "values of templates": "template <int cudaSuccess> int f() { return cudaSuccess; } int g() { return @cudaSuccess@; }",
    "enumerators": "enum E { cudaSuccess = 3, other }; int a = cudaSuccess;",
    "scoped enumerators": "enum class E { cudaSuccess, b }; E a = E::cudaSuccess; int c = @cudaSuccess@;",
    "in a class's enum": "struct S { enum { cudaSuccess }; int f() { return cudaSuccess; } }; int c = @cudaSuccess@;",
    "forward declarations": "struct @cudaArray@; class Holder { struct cudaGraphX* g; };",
    "elaborated types": "void f() { struct @cudaDeviceProp@ p; enum @cudaMemcpyKind@ k; struct @cudaPointerAttributes@ a; }",
    # --- macros
    "a macro of the name": "#define cudaFree(p) my_free(p)\nvoid f() { cudaFree(0); }",
    "a macro until its end": "#define cudaFree(p) my_free(p)\nvoid f() { cudaFree(0); }\n#undef cudaFree\nvoid g() { @cudaFree@(0); }",
    "parameters of macros": "#define CALL(cudaFree, x) cudaFree(x)\nvoid f() { CALL(@cudaFree@, 0); }",
    "macros that call": "#define CHECK(x) if ((x) != @cudaSuccess@) die(@cudaGetErrorString@(x))\nvoid f() { CHECK(@cudaFree@(0)); }",
    "names in text": '#define S(x) #x\nconst char* a = "cudaFree"; const char* b = R"(cudaFree)"; char c = \'c\'; // cudaFree\n/* cudaFree */',
    "errors and pragmas": "#error cudaFree is missing\n#pragma message(\"cudaFree\")\n",
    # --- CUDA's own in unusual places
    "function pointers": "auto f = &@cudaMalloc@; @cudaError_t@ (*g)(void*) = @cudaFree@; decltype(&@cudaFree@) h = ::@cudaFree@;",
    "as arguments": "std::unique_ptr<int, decltype(&@cudaFree@)> p(q, &@cudaFree@); std::thread t(@cudaDeviceSynchronize@);",
    "template arguments": "std::vector<@cudaStream_t@> v; std::map<int, std::pair<@cudaEvent_t@, @cudaError_t@>> m; box<@cudaSuccess@> b;",
    "sizeof and friends": "int a = sizeof(@cudaDeviceProp@) + sizeof(@cudaStream_t@*) + alignof(@cudaExtent@); using T = decltype(@cudaFree@(0));",
    "casts": "auto a = (@cudaError_t@)1; auto b = static_cast<@cudaMemcpyKind@>(2); auto c = @cudaError_t@(3); auto d = (@cudaStream_t@*)p;",
    "functions that return them": "@cudaError_t@ f(); static @cudaStream_t@* g(int); auto h() -> @cudaEvent_t@; const @cudaError_t@& k();",
    "operators": "bool operator==(@cudaError_t@ a, int b); std::ostream& operator<<(std::ostream& o, @cudaError_t@ e);",
    "specialisations": "template <> struct hash<@cudaStream_t@> { }; template struct box<@cudaEvent_t@>;",
    "default arguments": "void f(@cudaStream_t@ s = 0, @cudaMemcpyKind@ k = @cudaMemcpyDefault@);",
    "conditional expressions": "auto k = up ? @cudaMemcpyHostToDevice@ : @cudaMemcpyDeviceToHost@; switch (e) { case @cudaSuccess@: break; case ::@cudaErrorUnknown@: break; }",
    "several in one declaration": "@cudaStream_t@ s, *t, u[3]; @cudaError_t@ e = @cudaFree@(p), r = @cudaFree@(q); int n = 3, e2 = @cudaFree@(x);",
    "returned": "int f() { return @cudaFree@(p) == @cudaSuccess@ ? 0 : throw @cudaGetLastError@(); }",
    "lambdas": "auto f = [](@cudaStream_t@ s) -> @cudaError_t@ { return @cudaStreamSynchronize@(s); };",
    "friends and externs": "extern @cudaStream_t@ s; class A { friend @cudaError_t@ f(A&); @cudaStream_t@ s_; @cudaError_t@ g() const; };",
    "new and delete": "auto p = new @cudaEvent_t@[3]; auto q = new @cudaDeviceProp@; auto r = new @cudaStream_t@(s);",
    "multiplied": "void f() { int x = n * @cudaHostAllocMapped@; int y = @cudaEventDisableTiming@ & m; bool b = a < @cudaSuccess@ && c > d; }",
    "attributes": "[[nodiscard]] @cudaError_t@ f(); __attribute__((unused)) static @cudaStream_t@ s; MY_API @cudaError_t@ g();",
    "prototypes of CUDA's own": "@cudaError_t@ @cudaFree@(void* p); void f() { @cudaFree@(0); }",
    "names around them": "int my_cudaFree(int); int cudaFree_(int); int xcudaFree; int cudaFreeX(int); void f() { my_cudaFree(1); cudaFree_(1); cudaFreeX(1); }",
    # --- names that are words
    "min and max of their own": "template <class T> T min(T a, T b) { return a < b ? a : b; } int f() { return min(1, 2) + std::max(1, 2); }",
    "atomicAdd of their own": "__device__ double atomicAdd(double* p, double v) { return v; } __global__ void k(double* p) { atomicAdd(p, 1.0); }",
    "locals like built-in variables": "__global__ void k(int* p) { int threadIdx_ = threadIdx.x; dim3 g(1); p[threadIdx_] = blockIdx.x + g.x; }",
    "a struct dim3": "namespace geo { struct dim3 { int x; }; } geo::dim3 d; void f(geo::dim3 a) { d.x = a.x; }",
    "variables called cub and thrust": "struct C { int Sum; }; void f(C cub, int thrust) { cub.Sum = thrust; int x = thrust < 3; }",
    "a namespace cub of their own": "namespace mine { namespace cub { int sum(int); } } int a = mine::cub::sum(3);",
    "cuda as a name": "namespace cuda { int run(); } struct D { bool cuda; }; int f(D d, bool cuda) { return d.cuda + cuda::run(); }",
    "texture and surface as names": "struct texture { int id; }; texture t; int surface = t.id; void draw(texture surface);",
    # --- more of both
    "typedef struct":"typedef struct { int cudaFree; } holder; holder h = {1}; int f() { return h.cudaFree; }",
    "function param named as type":"void f(int cudaStream_t) { use(cudaStream_t); } void g(@cudaStream_t@ s);",
    "K&R style array param":"void f(@cudaStream_t@ s[], int n);",
    "member templates":"template <class T> struct A { template <class U> int cudaMalloc(U u); int g() { return this->template cudaMalloc<int>(3); } };",
    "operators and conversion":"struct H { operator @cudaStream_t@() const; @cudaStream_t@ operator*() const; };",
    "ctor with API type":"struct H { H(@cudaStream_t@ s) : s_(s), e_(@cudaSuccess@) {} @cudaStream_t@ s_; @cudaError_t@ e_; };",
    "class using":"struct B { int cudaFree(int); }; struct D : public B { using B::cudaFree; int f() { return cudaFree(1); } };",
    "static member":"struct S { static int cudaSuccess; }; int S::cudaSuccess = 3; int a = S::cudaSuccess; int b = @cudaSuccess@;",
    "template call":"@cudaError_t@ e = check<@cudaError_t@>(@cudaMalloc@(&p, n));",
    "ternary call":"int e = ok ? @cudaFree@(p) : @cudaFree@(q);",
    "comma operator":"void f() { @cudaFree@(p), @cudaFree@(q); }",
    "for init":"void f() { for (@cudaError_t@ e = @cudaSuccess@; e == @cudaSuccess@; e = @cudaFree@(p)) ; }",
    "do while":"void f() { do { x = @cudaFree@(p); } while (x != @cudaSuccess@); }",
    "if init":"void f() { if (auto e = @cudaFree@(p); e != @cudaSuccess@) {} }",
    "macro with declaration":"#define DECL(n) @cudaStream_t@ n\nDECL(a); DECL(b);",
    "macro stringify":"#define CK(x) do { @cudaError_t@ e_ = (x); if (e_ != @cudaSuccess@) fail(#x, @cudaGetErrorString@(e_)); } while (0)\n",
    "wrapper returns":"static inline @cudaError_t@ my(@cudaStream_t@ cudaStream) { return @cudaStreamSynchronize@(cudaStream); }",
    "local with the name of a function":"void f() { @cudaError_t@ cudaGetLastErrorX = @cudaGetLastError@(); int cudaMemcpy = 1; g(cudaMemcpy); } void h() { @cudaMemcpy@(a, b, 1, @cudaMemcpyDefault@); }",
    "auto variable":"void f() { auto cudaEventRecord = 3; use(cudaEventRecord); } void h() { @cudaEventRecord@(e); }",
    "pointer variable":"void f(Foo* cudaFree, Bar& cudaMalloc) { use(cudaFree, cudaMalloc); } void g() { @cudaFree@(0); @cudaMalloc@(&p, 1); }",
    "const ref param":"void f(const std::string& cudaGetErrorName) { use(cudaGetErrorName); } auto g = @cudaGetErrorName@(e);",
    "default template arg":"template <class S = @cudaStream_t@, int E = @cudaSuccess@> struct A {};",
    "concepts":"template <class T> concept C = std::is_same_v<T, @cudaStream_t@>;",
    "std function":"std::function<@cudaError_t@(@cudaStream_t@)> f = @cudaStreamSynchronize@;",
    "attribute args":"void f() __attribute__((cleanup(my_cleanup))); [[gnu::cleanup(x)]] @cudaStream_t@ s;",
    "array of fns":"@cudaError_t@ (*table[])(void*) = {@cudaFree@, @cudaFreeHost@};",
    "nested ns class":"namespace a { struct S { enum E { cudaSuccess }; }; } auto x = a::S::cudaSuccess; auto y = @cudaSuccess@;",
    "extern template":"extern template class std::vector<@cudaEvent_t@>;",
    "static_assert":'static_assert(sizeof(@cudaIpcMemHandle_t@) == 64, "cudaIpcMemHandle_t");',
    "alias template":"template <class T> using h = holder<T, @cudaStream_t@>;",
    "noexcept spec":"void f(@cudaStream_t@) noexcept(noexcept(@cudaFree@(0)));",
    "trailing with decltype":"auto f() -> decltype(@cudaGetLastError@());",
    "struct init":"@cudaExtent@ e = {1, 2, 3}; auto p = @cudaPos@{1, 2, 3}; auto x = @make_cudaExtent@(1, 2, 3);",
    "case ranges":"void f(int e) { switch (e) { case @cudaSuccess@: case @cudaErrorInvalidValue@: g(); default: ; } }",
    "asm text":'const char* t = "cudaMalloc"\n "cudaFree";',
    "u8 raw":'auto a = u8R"x(cudaFree)x"; auto b = LR"(cudaMalloc)"; @cudaFree@(a);',
    "digit sep":"int n = 1\'000; @cudaFree@(p); int m = 2\'0;",
    "else if chain":"void f() { if (a) @cudaFree@(p); else if (b) @cudaFree@(q); else @cudaFree@(r); }",
    "goto labels mix":"void f() { fail: @cudaFree@(p); }",
    "bit field":"struct S { unsigned cudaFlag : 3; @cudaError_t@ e : 8; };",
    "enum base":"enum Kind : int { cudaMemcpyHostToHostX = 1 }; int a = cudaMemcpyHostToHostX;",
    "lambda param":"auto f = [](int cudaSuccess) { return cudaSuccess; }; int a = @cudaSuccess@;",
    "lambda init capture":"auto f = [cudaSuccess = 3] { return cudaSuccess; }; int a = @cudaSuccess@;",
    "range init":"void f() { for (auto s : std::vector<@cudaStream_t@>{a, b}) @cudaStreamSynchronize@(s); }",
    "try":"void f() try { @cudaFree@(p); } catch (...) { @cudaFree@(q); }",
    "requires":"template <class T> requires (sizeof(T) == sizeof(@cudaStream_t@)) void f(T);",
    "using enum":"enum class E { cudaSuccess }; void f() { using enum E; }",
    "friend class":"class A { friend class cudaHelperX; friend struct B; @cudaStream_t@ s; };",
    "member ptr type":"@cudaStream_t@ A::* m = &A::s; int A::*n = &A::cudaFree;",
    "inherited ctor":"struct E : std::runtime_error { E(@cudaError_t@ e) : std::runtime_error(@cudaGetErrorString@(e)), code(e) {} @cudaError_t@ code; };",
    "declared later":"void f() { @cudaFree@(p); } int cudaFreeAll(); int g() { return cudaFreeAll(); }",
    "own function w/o body at class":"class A { int cudaMalloc(size_t n); void g() { cudaMalloc(3); ::@cudaMalloc@(&p, 3); } };",
}  # fmt: skip
_MARK = re.compile(r"@(\w+)@")


@pytest.mark.parametrize("name", list(SNIPPETS))
def test_who_is_meant(name: str) -> None:
    marked = SNIPPETS[name]

    def renamed(match: re.Match[str]) -> str:
        entry = mapping.load().get(match.group(1))
        assert entry is not None and entry.hip
        return entry.hip

    code = _MARK.sub(r"\1", marked)
    # HIPIFY's spelling has neither shims nor casts, so that names alone are compared.
    options = Options(compat=None, hipify="perl")
    result = translate(code.encode(), "a.cpp", options).text.decode()
    result = result.replace("reinterpret_cast<const void*>(", "(")
    result = result.removeprefix('#include "hip/hip_runtime.h"\n')
    assert result == _MARK.sub(renamed, marked)


def test_the_set_is_large() -> None:
    assert len(SNIPPETS) >= 130
