"""Types and constants: the linter's own against libclang's, on random expressions."""

from __future__ import annotations

import random

import pytest

from portgpu.lint import clangfacts
from portgpu.lint.consts import evaluate, int_type, type_of
from portgpu.lint.options import Options
from portgpu.lint.project import Project
from portgpu.lint.rule import Context

SEED = 2024113
TYPES = ("char", "short", "int", "unsigned", "long long", "unsigned long long", "size_t", "bool",
         "uint8_t", "int64_t")  # fmt: skip


def facts_of(code: str) -> tuple[Context, clangfacts.Facts]:
    project = Project([], mode="cuda")
    project.give("random.cu", code.encode())
    unit = project.unit("random.cu")
    return Context(unit, project.names(unit), Options()), clangfacts.facts(project, unit)


def expression(pick: random.Random, names: list[str], depth: int) -> str:
    if depth == 0 or pick.random() < 0.15:
        return pick.choice([*names, "1", "7u", "3ll", "0x80000000", "100000"])
    kind = pick.randrange(10)
    left = expression(pick, names, depth - 1)
    right = expression(pick, names, depth - 1)
    if kind == 0:
        return f"(({pick.choice(TYPES)})({left}))"
    if kind == 1:
        return f"({left} < {right} ? {left} : {right})"
    if kind == 2:
        return f"(-({left}))"
    if kind == 3:
        return f"(({left}) << {pick.randrange(8)})"
    return f"({left} {pick.choice('+-*&|^')} {right})"


@pytest.mark.skipif(not clangfacts.available(), reason="libclang is not installed")
def test_types_of_random_expressions_agree() -> None:
    print(f"seed {SEED}")
    pick = random.Random(SEED)
    names = [f"v{i}" for i in range(len(TYPES))]
    params = ", ".join(f"{t} {n}" for t, n in zip(TYPES, names, strict=True))
    body = "\n".join(f"  out[{i}] = {expression(pick, names, 4)};" for i in range(150))
    context, facts = facts_of(f"__global__ void k(double* out, {params}) {{\n{body}\n}}\n")
    view = context.device[0]
    compared = 0
    for expr in view.exprs:
        if expr.kind not in ("binary", "cond", "cast", "unary", "name"):
            continue
        own = int_type(type_of(expr, view.scope), view.scope)
        theirs = int_type(facts.type(expr), view.scope)
        if own and theirs:
            compared += 1
            assert own == theirs, context.text(expr)
    assert compared > 1000


@pytest.mark.skipif(not clangfacts.available(), reason="libclang is not installed")
def test_constants_agree() -> None:
    print(f"seed {SEED}")
    pick = random.Random(SEED)
    lines, uses = [], []
    for i in range(120):
        left, right = pick.randrange(1, 60), pick.randrange(1, 60)
        before = [f"c{j}" for j in range(max(0, i - 3), i)]
        a = pick.choice([str(left), *before])
        operator = pick.choice(["+", "-", "*", "/", "%", "&", "|", "^"])
        lines.append(f"constexpr long long c{i} = ({a} {operator} {right}) % 1000 + {i};")
        uses.append(f"  out[{i}] = c{i};")
    code = "\n".join(lines) + "\n__global__ void k(long long* out) {\n" + "\n".join(uses) + "\n}\n"
    context, facts = facts_of(code)
    view = context.device[0]
    checked = 0
    for expr in view.exprs:
        if expr.kind == "name" and expr.text.startswith("c"):
            assert evaluate(expr, view.scope) == facts.value(expr) is not None
            checked += 1
    assert checked == 120


def test_missing_headers_and_broken_code_leave_facts_empty_not_failing() -> None:
    for code in (
        "#include <torch/extension.h>\n__global__ void k(at::Acc<float, 3> a) { a[0][1] = 2; }",
        "__global__ void k( {",
        "\x00\xff template <",
    ):
        project = Project([], mode="cuda")
        project.give("x.cu", code.encode("latin-1"))
        clangfacts.facts(project, project.unit("x.cu"))
