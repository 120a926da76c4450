"""Every rule's own examples, and the pages that are generated from them."""

from __future__ import annotations

import pytest

from portgpu.findings import Severity, pages
from portgpu.lint.check import check_file
from portgpu.lint.docs import pages as generated
from portgpu.lint.engine import examine
from portgpu.lint.fix import fix_file
from portgpu.lint.options import Options
from portgpu.lint.project import Project
from portgpu.lint.rule import Example, Rule
from portgpu.lint.rules import all_rules
from portgpu.resources import data

CASES = [
    pytest.param(rule, example, valid, id=f"{rule.id}-{'valid' if valid else 'invalid'}-{number}")
    for rule in all_rules()
    for valid, examples in ((True, rule.valid), (False, rule.invalid))
    for number, example in enumerate(examples)
]


def project_of(example: Example) -> Project:
    project = Project([])
    project.give(example.path, example.text.encode("latin-1"))
    return project


def options_of(rule: Rule, example: Example, semantics: bool) -> Options:
    return Options(example.warp, example.mode, (rule.id, "PG2000"), semantics=semantics)


@pytest.mark.parametrize("semantics", [False, True], ids=["lexer", "libclang"])
@pytest.mark.parametrize(("rule", "example", "valid"), CASES)
def test_example(rule: Rule, example: Example, valid: bool, semantics: bool) -> None:
    options = options_of(rule, example, semantics)
    findings = check_file(project_of(example), example.path, options)
    assert {f.id for f in findings} <= {rule.id}
    assert sorted({f.line for f in findings}) == ([] if valid else example.lines)


@pytest.mark.parametrize(
    ("rule", "example"),
    [(r, e) for r in all_rules() for e in r.invalid if e.fixed is not None],
    ids=lambda value: value.id if isinstance(value, Rule) else "",
)
def test_fix_gives_the_text_and_holds(rule: Rule, example: Example) -> None:
    options = options_of(rule, example, True)

    def check(text: bytes) -> list:  # type: ignore[type-arg]
        project = Project([])
        project.give(example.path, text)
        return examine(project, example.path, options)

    text, fixed, left = fix_file(example.text.encode("latin-1"), check)
    assert text.decode("latin-1") == example.fixed_text
    assert fixed and not left
    assert fix_file(text, check)[0] == text


@pytest.mark.parametrize("rule", all_rules(), ids=lambda r: r.id)
def test_rule_is_complete(rule: Rule) -> None:
    assert rule.invalid and rule.valid, "a rule needs examples of both kinds"
    assert rule.explain.strip() and rule.title and '"' not in rule.title
    assert rule.confidence in ("certain", "likely", "hint")
    assert all(e.lines for e in rule.invalid) and not any(e.lines for e in rule.valid)
    assert isinstance(rule.severity, Severity)


def test_pages_are_what_the_rules_say() -> None:
    folder = data("findings")
    stale = [
        name
        for name, text in generated().items()
        if not (folder / name).is_file() or (folder / name).read_text(encoding="utf-8") != text
    ]
    assert stale == [], "run python -m portgpu.lint.docs"
    assert {p.id + ".md" for p in pages().values() if p.id.startswith("PG2")} == set(generated())


def test_width_rules_are_notes_in_cuda_and_errors_elsewhere() -> None:
    code = b"__device__ int n(bool p) { return __popc(__ballot_sync(~0u, p)); }\n"
    for options, severity in (
        (Options(mode="cuda"), Severity.NOTE),
        (Options(mode="cuda", warp="native"), Severity.ERROR),
        (Options(mode="hip"), Severity.ERROR),
    ):
        project = Project([])
        project.give("a.cu", code)
        findings = [f for f in check_file(project, "a.cu", options) if f.id == "PG2005"]
        assert [f.severity for f in findings] == [severity]
