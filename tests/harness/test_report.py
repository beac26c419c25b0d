"""The page: whole, self-contained, and nobody's completion runs as script."""

from __future__ import annotations

import json
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

import harness
from harness.report import paired, write_page
from harness.report.mathml import to_mathml

HOSTILE = r'''
def answer(messages, seed):
    return r"""</pre><script>document.title = "run by a completion"</script>
<img src=x onerror="document.title = 'run by a completion'">
\boxed{\href{javascript:alert(1)}{x} </math><script>document.title='run'</script>}"""
'''


@pytest.fixture
def page(tmp_path: Path, bench: str) -> Path:
    model = tmp_path / "model.py"
    model.write_text(HOSTILE)
    run = harness.sweep([f"python/{model}:answer"], [bench], limit=4, samples=2,
                        out=tmp_path / "run")  # fmt: skip
    return write_page(run)


class Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_the_page_holds_only_what_we_wrote(page: Path) -> None:
    parser = Elements()
    parser.feed(page.read_text(encoding="utf-8"))
    tags = [tag for tag, _ in parser.found]
    assert tags.count("script") == 1
    assert "img" not in tags
    assert tags.count("svg") == 2
    assert tags.count("details") == 8
    assert "math" in tags
    for _, attributes in parser.found:
        assert not any(name.startswith("on") for name in attributes)
        links = [attributes.get(name) for name in ("href", "src")]
        assert links == [None, None]  # nothing is loaded from anywhere


@pytest.mark.parametrize(
    "latex", ["", "x" * 1000, "{" * 500, r"\frac", r"\href{javascript:alert(1)}{x}", "\0", "\\"]
)
def test_what_cannot_be_shown_as_mathml_is_left_to_the_text(latex: str) -> None:
    shown = to_mathml(latex)
    assert shown is None or ("<script" not in shown and "javascript" not in shown)


def test_formulas_become_mathml() -> None:
    shown = to_mathml(r"\frac{x^2}{\sqrt{1+x}} + \arctan|x|")
    assert shown is not None
    assert shown.startswith('<math xmlns="http://www.w3.org/1998/Math/MathML"')
    assert "<mfrac>" in shown


@pytest.mark.browser
def test_the_page_opens_in_a_browser_and_runs_no_completion(page: Path) -> None:
    browser = shutil.which("chromium") or shutil.which("google-chrome") or "chromium-browser"
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom",
               "--enable-logging=stderr", "--virtual-time-budget=3000", page.as_uri()]  # fmt: skip
    result = subprocess.run(command, capture_output=True, text=True, timeout=90)
    assert "<title>run · calculus-harness</title>" in result.stdout
    assert "8 of 8" in result.stdout  # our own script ran
    assert "CONSOLE" not in result.stderr


def test_the_page_shows_curves_and_comparisons(tmp_path: Path) -> None:
    model = tmp_path / "model.py"
    model.write_text(
        "import random\n"
        "def answer(messages, seed):\n"
        "    return random.Random(seed).choice([r'\\boxed{x^2}', r'\\boxed{x^3}'])\n"
        "def other(messages, seed):\n    return answer(messages, seed + 1)\n"
    )
    rows = []
    for subset, parent in (("plain", False), ("<b>shifted</b>", True)):
        for i in range(6):
            formula = {"integrand": f"2x + {i} - {i}", "variable": "x"}
            rows.append({"id": f"{subset}{i}", "task": "integration", "benchmark": "b",
                         "subset": subset, "inputs": formula, "target": formula,
                         "pair_parent": f"plain{i}" if parent else None})  # fmt: skip
    bench = tmp_path / "b.jsonl"
    bench.write_text("".join(json.dumps(row) + "\n" for row in rows))
    run = harness.sweep([f"python/{model}:answer", f"python/{model}:other"], [str(bench)],
                        samples=4, out=tmp_path / "run")  # fmt: skip
    text = write_page(run).read_text(encoding="utf-8")
    for words in ("pass@k over k", "Perturbations against their originals", "minus original",
                  "Models against each other", "% power at the level"):  # fmt: skip
        assert words in text
    assert text.count('class="dot') == 2 + 3
    assert text.count('class="curve') == 4
    assert "<b>shifted" not in text


def test_labels_of_curves_do_not_cover_each_other() -> None:
    placed = paired._apart([(50.0, "a", "c0"), (52.0, "b", "c1"), (90.0, "c", "c2")])
    assert [at for at, *_ in placed] == [50.0, 65.0, 90.0]
    assert paired.spaced(1) == [1]
    assert paired.spaced(8) == list(range(1, 9))
    assert paired.spaced(256)[-1] == 256
    assert len(paired.spaced(256)) <= 16
