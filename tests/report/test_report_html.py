"""The HTML page: structure, links, escaping, contrast. No browser is needed."""

from __future__ import annotations

import base64
import hashlib
import itertools
import random
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from report_page import Page

from portgpu import resources
from portgpu.binary import Kernel
from portgpu.findings import Edit, Finding, Severity, pages
from portgpu.report import Report, charts, markup, render
from portgpu.report.model import Bench, Built, Leg, Series, SourceFile, Sources

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'&<!-- ]]>"
CODE = f"// {HOSTILE}\ncudaFree(p);\n".encode()


def leg(name: str = "cuda", **changes: object) -> Leg:
    values: dict[str, object] = {
        "file": "t.json", "name": name, "target": "cuda", "arch": "sm_90", "device": "H200",
        "archs": ("sm_80", "sm_90"), "built_only": False, "planned": 9, "run": 9, "failed": 0,
        "not_run": 0, "seconds": 1.0, "note": "", "passed": True,
        "ops": ({"op": "exp", "cases": 9, "failed": 0, "ulp": {"f32": 0.5}, "used": 0.4},),
        "failures": (),
    }  # fmt: skip
    return Leg(**{**values, **changes})  # type: ignore[arg-type]


def report(text: str = HOSTILE) -> Report:
    """A report with everything in it, every free text being `text`."""
    found = [
        Finding("x", 2, 1, name, Severity.ERROR, text, hint=text, confidence="likely")
        for name in ("PG1001", "PG2001", "PG9999")
    ]
    files = [
        SourceFile(
            f"src/{text}.cu", CODE, [Edit(len(CODE) - 13, len(CODE) - 5, b"hipFree")], found
        ),
        SourceFile("src/edited.cu", b"cudaFree\n", [Edit(0, 8, b"hipFree")], []),
        SourceFile("src/note.cu", b"x\n", [], [Finding("", 1, 1, "PG2003", Severity.NOTE, text)]),
        SourceFile(f"src/{text}.h", b"int x;\n"),
    ]
    kernels = (
        Kernel("_Z1kIfEvPT_", "sm_90", 40, shared=64),
        Kernel(text, "gfx90a", 70, spills=None),
    )
    builds = (
        Built("cuda", text, "CUDA 13", ("sm_80", "sm_90"), ("sm_90",), 1000, kernels[:1]),
        Built("rocm", text, "ROCm 7", ("gfx90a",), ("gfx90a",), 1000, kernels[1:]),
        Built("cpu", "ops", "GCC 12", ("host",), ("x86_64",), 1000, ()),
    )
    failure = {"id": text, "case": text, "message": text}
    legs = (
        leg(), leg(text, target="cpu", arch="cpu", failed=1, passed=False, failures=(failure,)),
        leg("rocm", target="rocm", arch="", built_only=True, archs=("gfx90a",)),
    )  # fmt: skip
    benches = (
        Bench(
            text, "times", "µs", (text, "b"), (Series(text, (1.0, None)), Series("t", (2.0, 3.0)))
        ),
        Bench("s.json", "sizes", "GB/s", ("1024", "4096"), (Series(text, (1.0, 9.0)),)),
    )
    return Report(text, Sources(files, "rocm", "logical", True), builds, legs, benches)


@pytest.fixture(scope="module")
def page() -> Page:
    return Page(render(report()))


def test_tags_match_and_ids_are_unique(page: Page) -> None:
    assert page.problems == []
    assert len(page.ids) == len(set(page.ids))


def test_anchors_resolve_and_nothing_is_loaded(page: Page) -> None:
    for link in page.all("a"):
        assert (link["href"] or "").startswith("#")
        assert (link["href"] or "")[1:] in page.ids
    for tag, attributes in page.elements:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base")
        assert not {"src", "srcset", "action", "formaction", "style onload"} & attributes.keys()
        assert not any(name.startswith("on") for name in attributes)
    for _, text in page.texts:
        assert "@import" not in text and "url(" not in text
    policy = next(m["content"] for m in page.all("meta") if m.get("http-equiv"))
    assert policy and policy.startswith("default-src 'none'")
    script = [t for tag, t in page.texts if tag == "script"][-1]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"'sha256-{digest}'" in policy
    assert not re.search(r"https?://|fetch\(|XMLHttp|innerHTML|document\.write", script)


def test_hostile_text_is_text(page: Page) -> None:
    assert len(page.all("script")) == 3 + 1 + 1  # views, kernels, the page's own
    assert "alert(1)" in page.visible()
    first = page.blobs[0]
    assert first["segments"][0][1][0] == f"// {HOSTILE}"
    assert first["findings"][0][5] == HOSTILE
    assert any(row[0].startswith("</script><script>alert") for row in page.blobs[-1])


def test_random_markup_never_becomes_elements(seed: int) -> None:
    pick = random.Random(seed)
    wanted = [tag for tag, _ in Page(render(report("plain"))).elements]
    parts = [
        "<",
        ">",
        '"',
        "'",
        "&",
        "</script>",
        "<!--",
        "-->",
        "{{",
        "}}",
        "{%",
        "]]>",
        "a",
        "\0",
    ]
    for _ in range(12):
        text = "".join(pick.choices(parts, k=12))
        found = Page(render(report(text)))
        assert [tag for tag, _ in found.elements] == wanted, text
        assert found.problems == []


def test_the_page_has_landmarks_headings_and_names(page: Page) -> None:
    for tag in ("header", "nav", "main", "footer"):
        assert len(page.all(tag)) == 1
    assert page.all("html")[0]["lang"] == "en"
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(b - a <= 1 for a, b in itertools.pairwise(levels))
    for _, attributes in page.elements:
        if attributes.get("role") == "region":
            assert attributes.get("aria-label") and attributes.get("tabindex") == "0"
        for name in ("aria-labelledby",):
            for one in (attributes.get(name) or "").split():
                assert one in page.ids
    for head in page.all("th"):
        assert head.get("scope") in ("col", "row")


def test_keyboard_order_is_document_order(page: Page) -> None:
    focusable = [
        (tag, attributes) for tag, attributes in page.elements
        if tag in ("button", "select", "input", "summary") or "tabindex" in attributes
        or (tag == "a" and "href" in attributes)
    ]  # fmt: skip
    # A way past the head, and the links to the parts, come first.
    parts = [attributes.get("href") for tag, attributes in focusable[:3]]
    assert all(part and part.removeprefix("#") in page.ids for part in parts)
    for tag, attributes in focusable:
        assert attributes.get("tabindex", "0") in ("0", "-1") and "autofocus" not in attributes
        assert tag != "button" or attributes.get("type") in ("button", "reset")
    assert not any("accesskey" in attributes for _, attributes in page.elements)


def test_the_same_report_gives_the_same_bytes() -> None:
    assert render(report()) == render(report())
    assert str(Path.cwd()) not in render(report())


def test_parts_that_were_not_asked_for_are_absent() -> None:
    empty = Page(render(Report("nothing")))
    assert empty.problems == [] and not {"summary", "matrix", "kernels", "timings"} & set(empty.ids)
    only = Page(render(Report("t", legs=(leg(),))))
    assert "matrix" in only.ids and "kernels" not in only.ids
    clean = SourceFile("a.cu", b"int x;\n")
    page = Page(render(Report("s", Sources([clean], "rocm", "logical", True))))
    assert page.problems == [] and "findings" not in page.ids and "a.cu" in page.visible()
    for link in page.all("a"):
        assert (link["href"] or "")[1:] in page.ids


def test_every_finding_page_becomes_wellformed_html() -> None:
    for known in pages().values():
        body = Page(f"<div>{markup.to_html(known.body)}</div>")
        assert body.problems == [], known.id
        assert "```" not in body.visible() and "## " not in body.visible(), known.id


def test_markup_of_lists_code_and_headings() -> None:
    text = "Do:\n- one `a<b`\n  more\n- **two**\n\n## Head\n```cuda\nx<1>();\n\n# no head\n```\n"
    assert markup.to_html(text) == (
        "<p>Do:</p>\n<ul><li>one <code>a&lt;b</code> more</li><li><strong>two</strong></li></ul>\n"
        '<h4>Head</h4>\n<pre tabindex="0"><code>x&lt;1&gt;();\n\n# no head</code></pre>'
    )


@pytest.mark.parametrize("bench", report().benches)
def test_charts_are_wellformed_and_described(bench: Bench) -> None:
    root = ElementTree.fromstring(charts.svg(bench, "c1"))
    assert root.get("role") == "img" and root.get("aria-labelledby") == "c1-t c1-d"
    shapes = [e for e in root.iter() if "s0" in e.get("class", "").split()]
    values = [v for v in bench.series[0].values if v is not None]
    assert len([e for e in shapes if e.tag == "circle"]) == len(values)


def test_chart_scales_hold_extreme_values() -> None:
    for values in ([1e-9, 1e9], [5.0, 5.0], [1.0], [3e7, 4e7]):
        labels = tuple(str(2**n) for n in range(len(values)))
        for kind in ("times", "sizes"):
            bench = Bench("f", kind, "µs", labels, (Series("a", tuple(values)),))
            root = ElementTree.fromstring(charts.svg(bench, "c"))
            for circle in root.iter("circle"):
                assert 0 <= float(circle.get("cx", "-1")) <= 760


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    r, g, b = (v / 12.92 if v <= 0.03928 else ((v + 0.055) / 1.055) ** 2.4 for v in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(a: str, b: str) -> float:
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_in_light_and_dark() -> None:
    style = resources.templates("report", "style.css").read_text(encoding="utf-8")
    light, dark = re.findall(r":root \{(.*?)\}", style, re.DOTALL)[:2]
    for block in (light, dark):
        colour = dict(re.findall(r"--([a-z0-9]+): (#[0-9a-f]{6})", block))
        for ink in ("fg", "soft", "link", "error", "warning", "note", "good"):
            for ground in ("bg", "panel", "row"):
                assert contrast(colour[ink], colour[ground]) >= 4.5, (ink, ground)
        for ground in ("del", "ins", "mark"):
            assert contrast(colour["fg"], colour[ground]) >= 4.5, ground
        for shape in ("s0", "s1", "s2", "s3", "s4", "s5", "same", "edited", "look", "focus"):
            assert contrast(colour[shape], colour["bg"]) >= 3, shape


@pytest.mark.slow
def test_a_browser_opens_a_view_and_the_kernel_table(tmp_path: Path) -> None:
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no Chromium here")
    file = tmp_path / "r.html"
    file.write_text(render(report()), encoding="utf-8")
    command = [
        browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
        "--disable-background-networking", "--disable-component-update", "--disable-sync",
        f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=5000", "--dump-dom",
        f"{file.as_uri()}#file-1",
    ]  # fmt: skip
    dom = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
    shown = Page(dom)
    assert "ins" in {tag for tag, _ in shown.elements} and "file-1-3" in shown.ids
    assert "hipFree" in shown.visible() and "1 to 2 of 2" in shown.visible()
    assert len(shown.ids) == len(set(shown.ids))
    assert not shown.all("img")
