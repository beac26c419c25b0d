"""The page in a browser: contents, fit, and no completion that runs as script."""

from __future__ import annotations

import csv
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from calculus_harness import harness
from calculus_harness.harness.models.python_function import LocalFunction
from calculus_harness.harness.report import write_page
from calculus_harness.harness.report.sources import Sources
from calculus_harness.harness.studies.search import search, search_settings, search_spec
from calculus_harness.harness.studies.steps import judge_steps
from tests.harness.browser import BAD_LABELS, CLIPPED, NARROW, OVERFLOWING, Browser, browser
from tests.harness.large_run import make
from tests.harness.report.test_page import MODEL, TRICKS, hostile_run

pytestmark = pytest.mark.browser

#: Where the screenshots of `test_the_page_fits` go; by default they are only made.
SCREENSHOTS = os.environ.get("SCREENSHOTS")
ROWS = "[...document.querySelectorAll('tr.row')]"

#: `strong` solves everything but the shifted problems, which it solves once in four samples;
#: `weak` fails every second problem; both write at length.
SKILLED = r"""
import json, random, re

ANSWERS = {answers!r}

def right(messages):
    asked = messages[-1]["content"]
    return next(answer for question, answer in ANSWERS.items() if question in asked)

def written(answer, seed):
    chance = random.Random(seed)
    steps = ["We substitute $u = \\sin x$, so $du = \\cos x\\,dx$."] * chance.randrange(90)
    return "\n\n".join([*steps, "\\boxed{{" + answer + " + C}}"])

def strong(messages, seed):
    wrong = "+ 3 -" in messages[-1]["content"] and seed % 4
    return written(right(messages) + r" + x\arctan x" * bool(wrong), seed)

def weak(messages, seed):
    odd = int(re.findall(r"(\d+)\\cos", messages[-1]["content"])[0]) % 2
    long = " + ".join(rf"\frac{{{{{{i}}}}}}{{{{7}}}} x^{{{{{{i}}}}}}\sin {{i}}x" for i in range(60))
    return written(right(messages) if odd else long, seed)
"""


def problem_rows() -> Iterator[dict[str, Any]]:
    """Twelve originals with a shifted problem each."""
    for subset, count in (("plain", 12), ("shifted", 12)):
        for i in range(1, count + 1):
            shift = "" if subset == "plain" else " + 3 - 3"
            inputs = {"integrand": rf"{i}\cos x \sin 2x{shift}", "variable": "x"}
            yield {
                "id": f"{subset}-{i:02}",
                "task": "integration",
                "benchmark": "bench",
                "subset": subset,
                "inputs": inputs,
                "target": inputs | {"antiderivative": rf"-\frac{{{2 * i}}}{{3}}\cos^3 x"},
                "pair_parent": f"plain-{i:02}" if shift else None,
                "perturbation": "shifted" if shift else None,
                "metadata": {"tags": ["substitution"]},
            }


@pytest.fixture(scope="module")
def skilled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a run of two models on originals and perturbations."""
    folder = tmp_path_factory.mktemp("skilled")
    rows = list(problem_rows())
    (folder / "bench.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    answers = {
        row["inputs"]["integrand"]: row["target"]["antiderivative"] for row in reversed(rows)
    }
    (folder / "skilled.py").write_text(SKILLED.format(answers=answers))
    models = [f"python/{folder}/skilled.py:{name}" for name in ("strong", "weak")]
    return write_page(
        harness.sweep(models, [str(folder / "bench.jsonl")], samples=8, out=folder / "run")
    )


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as opened:
        yield opened


@pytest.fixture(autouse=True)
def _fresh(chromium: Browser) -> Iterator[None]:
    chromium.errors.clear()
    chromium.resize(1300)
    yield
    assert chromium.errors == []


def enter(chromium: Browser, name: str, value: str) -> str:
    """Set a filter; returns how many rows fit."""
    chromium.do(
        f"(() => {{ const at = document.getElementById({name!r}); at.value = {json.dumps(value)};"
        "at.dispatchEvent(new Event('input')); })()"
    )
    time.sleep(0.1)
    return str(chromium.do("document.getElementById('count').textContent"))


def open_row(chromium: Browser, number: int) -> None:
    chromium.do(f"{ROWS}[{number}].click()")
    chromium.wait("document.querySelector('tr.open .pane pre') !== null")


@pytest.mark.parametrize("width", [1400, 420])
def test_the_page_fits(skilled: Path, chromium: Browser, width: int, tmp_path: Path) -> None:
    folder = Path(SCREENSHOTS or tmp_path)
    folder.mkdir(parents=True, exist_ok=True)
    chromium.resize(width)
    for name, anchor in (
        ("results", ""),
        ("where-it-breaks", "section-where-it-breaks"),
        ("problems", "problems?show=disagree&sort=difference&down=1"),
        ("opened", "problems?show=original-only&sort=difference"),
        ("samples", "problems?view=samples&verdict=incorrect"),
    ):
        chromium.open(skilled, anchor)
        for folded in chromium.do("[...document.querySelectorAll('details[id]')].map((e) => e.id)"):
            chromium.do(f"document.getElementById({folded!r}).open = true")
        if name in ("opened", "samples"):
            open_row(chromium, 0)
            chromium.do("document.querySelector('tr[aria-expanded=true]').scrollIntoView()")
        overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert chromium.do(overflow) <= 0, name
        assert chromium.do(OVERFLOWING) == [], name
        assert chromium.do(CLIPPED) == [], name
        assert chromium.do(BAD_LABELS) == [], name
        image = folder / f"{name}-{width}.png"
        chromium.screenshot(image)
        assert image.stat().st_size > 10_000
    frozen = "document.querySelector('#items tbody th').getBoundingClientRect().left"
    frozen_before = chromium.do(frozen)
    chromium.do("document.querySelector('#items').parentElement.scrollLeft = 80")
    assert chromium.do(frozen) == frozen_before


def test_long_names_of_models_leave_room_for_figures(tmp_path: Path, chromium: Browser) -> None:
    def a_model_of_eight_billion_parameters_with_a_long_name(messages: object, seed: int) -> str:
        return r"\boxed{x^2}"

    def another_model_of_eight_billion_parameters(messages: object, seed: int) -> str:
        return r"\boxed{x}"

    models = [
        a_model_of_eight_billion_parameters_with_a_long_name,
        another_model_of_eight_billion_parameters,
    ]
    page = write_page(harness.sweep(models, ["drills"], limit=4, out=tmp_path / "run"))
    chromium.resize(420)
    chromium.open(page)
    widths = "[...document.querySelectorAll({!r})].map((e) => e.getBoundingClientRect().width)"
    assert max(chromium.do(widths.format("#items tbody td.count"))) < 410
    assert chromium.do(OVERFLOWING) == []
    chromium.resize(1400)
    assert max(chromium.do(widths.format("#items thead th.count"))) < 130
    assert chromium.do(NARROW) == []
    gaps = (
        "[...document.querySelectorAll('.filters > label')].map((label) =>"
        "label.getBoundingClientRect().right"
        "- label.querySelector('select').getBoundingClientRect().right)"
    )
    assert max(chromium.do(gaps)) < 4


def test_formulas_of_the_page_have_spaces(skilled: Path, chromium: Browser) -> None:
    chromium.open(skilled)
    gap = (
        "(() => {const m = document.querySelector('#items math');"
        "const [cos, sin] = [...m.querySelectorAll('mi')].filter((e) => e.textContent.length > 1);"
        "const x = cos.nextElementSibling.nextElementSibling;"
        "return [x.textContent, x.getBoundingClientRect().left - cos.getBoundingClientRect().right,"
        "sin.getBoundingClientRect().left - x.getBoundingClientRect().right]; })()"
    )
    name, after_cos, before_sin = chromium.do(gap)
    assert name == "x"
    assert after_cos > 1
    assert before_sin > 1


def test_no_completion_runs_as_script(tmp_path: Path, bench: str, chromium: Browser) -> None:
    page = write_page(hostile_run(tmp_path, bench))
    chromium.open(page, "problems?view=samples")
    assert chromium.do("document.getElementById('count').textContent") == "8 of 8 samples"
    texts = set()
    for number in range(8):  # every one of the hostile ones is shown
        open_row(chromium, number)
        texts |= set(
            chromium.do(
                "[...document.querySelectorAll('.pane pre:not(.raw pre)')]"
                ".map((e) => e.textContent)"
            )
        )
    assert texts == set(TRICKS)
    assert chromium.do("document.title") == "run · calculus-harness"
    assert (
        chromium.do("document.querySelectorAll('img, iframe, svg[onload], a[href^=java]').length")
        == 0
    )
    assert chromium.errors == []
    # Were a text ever parsed as markup, the browser itself would refuse it.
    with pytest.raises(RuntimeError, match="TrustedHTML"):
        chromium.do("document.body.innerHTML = 'x'")
    assert "ran" not in str(
        chromium.do(
            "(() => { const s = document.createElement('script');"
            "document.title = 'quiet'; s.append('document.title = \\'ran\\'');"
            "document.body.append(s);"
            "return document.title; })()"
        )
    )
    chromium.errors.clear()  # what the browser said of these two


def test_a_hostile_address_is_only_text(skilled: Path, chromium: Browser) -> None:
    chromium.open(skilled, "problems?find=%3Cimg%20src%3Dx%3E&open=%22%3E&show=constructor&left={")
    assert chromium.do("document.getElementById('find').value") == "<img src=x>"
    assert chromium.do("document.querySelectorAll('img').length") == 0
    assert chromium.do("document.getElementById('count').textContent") == "0 of 24 problems"


def test_problems_are_filtered_by_what_models_solve(skilled: Path, chromium: Browser) -> None:
    chromium.open(skilled)
    assert chromium.do("document.getElementById('count').textContent") == "24 of 24 problems"
    assert chromium.do(f"{ROWS}[1].textContent").endswith("8/80/8100")
    strong, weak = chromium.do(
        "[...document.getElementById('a').options].slice(1).map(o => o.value)"
    )
    enter(chromium, "a", strong)
    enter(chromium, "b", weak)
    assert enter(chromium, "show", "a-not-b") == "6 of 24 problems"
    assert chromium.do(f"{ROWS}.every((row) => row.textContent.endsWith('8/80/8+100'))")
    enter(chromium, "b", "")
    assert enter(chromium, "show", "original-only") == "12 of 24 problems"
    changes = [
        int(text.replace("−", "-"))
        for text in chromium.do(f"{ROWS}.map((row) => row.lastChild.textContent)")
    ]
    assert changes == sorted(changes)
    assert changes[0] < -50
    assert enter(chromium, "subset", "bench/plain") == "0 of 24 problems"
    chromium.do("document.getElementById('reset').click()")
    assert enter(chromium, "verdict", "incorrect") == "18 of 24 problems"
    assert enter(chromium, "find", "sin substitution shifted-03") == "1 of 24 problems"


def test_an_opened_problem_shows_its_family_and_the_difference_of_two_answers(
    skilled: Path, chromium: Browser
) -> None:
    chromium.open(skilled, "problems?show=original-only&sort=difference")
    open_row(chromium, 0)
    texts = "[...document.querySelectorAll('{}')].map((e) => e.textContent)"
    members = chromium.do(texts.format(".member h4:first-child"))
    assert members[0].endswith("original")
    assert members[1].endswith("perturbed")
    assert members[0].split("-")[-1][:2] == members[1].split("-")[-1][:2]
    assert chromium.do(texts.format(".pane .chip")) == ["correct", "incorrect"]
    assert chromium.do(texts.format(".pane mark")) == [r"x\arctan x + "]
    assert "cos x" in chromium.do(texts.format("details pre"))[0]  # the prompt
    assert chromium.do("document.querySelectorAll('.siblings button').length") == 16
    pressed = (
        "[...document.querySelectorAll('.siblings [aria-pressed=true]')].map(b => b.innerText)"
    )
    pressed_before = chromium.do(pressed)
    chromium.do(
        "document.querySelectorAll('.pane')[1].querySelector('[aria-pressed=false]').click()"
    )
    chromium.wait(f"JSON.stringify({pressed}) !== JSON.stringify({json.dumps(pressed_before)})")
    assert chromium.do(pressed)[0] == pressed_before[0]


def test_the_address_shows_the_same_again(skilled: Path, chromium: Browser) -> None:
    chromium.open(skilled)
    enter(chromium, "find", "shifted")
    enter(chromium, "show", "original-only")
    chromium.do("document.querySelector('th[data-by=key] button').click()")
    open_row(chromium, 3)
    chromium.do(
        "document.querySelector('a[href=\"#section-results\"]').click()"
    )  # goes there, and keeps all
    chromium.wait("location.hash.startsWith('#section-results?')")
    state = "['tr.open', '#count'].map((one) => document.querySelector(one).textContent)"
    state_before, address = chromium.do(state), chromium.do("location.hash")
    assert "open=bench%2Fshifted%2Fshifted-04" in address
    chromium.open(skilled, address[1:])
    chromium.wait("document.querySelector('tr.open .pane pre') !== null")
    assert chromium.do(state) == state_before
    assert chromium.do("document.getElementById('find').value") == "shifted"
    assert chromium.do("document.getElementById('show').value") == "original-only"
    chromium.do(f"{ROWS}[3].click()")
    assert "open=" not in chromium.do("location.hash")


def test_the_filtered_rows_are_downloaded(skilled: Path, chromium: Browser, tmp_path: Path) -> None:
    chromium.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))

    def downloaded(name: str) -> list[dict[str, str]]:
        chromium.do("document.getElementById('download').click()")
        deadline = time.monotonic() + 30
        while not (tmp_path / name).exists():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        with (tmp_path / name).open(newline="") as file:
            return list(csv.DictReader(file))

    chromium.open(skilled, "problems?show=original-only&sort=key&down=1")
    rows = downloaded("problems.csv")
    assert [row["problem"][-2:] for row in rows] == [f"{i:02}" for i in range(12, 0, -1)]
    assert rows[0]["integrand"] == r"12\cos x \sin 2x + 3 - 3"
    assert len(rows[0]) == 3 + 2 * 2
    chromium.open(skilled, "problems?view=samples&verdict=incorrect&subset=bench/plain")
    rows = downloaded("samples.csv")
    assert len(rows) == 6 * 8
    assert {row["verdict"] for row in rows} == {"incorrect"}
    assert rows[0]["answer"].endswith(r"x^{59}\sin 59x + C")  # whole


def test_samples_are_sorted_and_shown(
    tmp_path: Path, bench: str, model: str, chromium: Browser
) -> None:
    (tmp_path / "other.py").write_text(MODEL)
    run = harness.sweep(
        [model, f"python/{tmp_path}/other.py:wrong"], [bench], samples=3, out=tmp_path / "run"
    )
    chromium.open(write_page(run))
    chromium.do("document.querySelector('[data-view=samples]').click()")
    chromium.wait(f"{ROWS}.length === 25")  # of 144, the rest on demand
    chromium.do("document.getElementById('more').click()")
    chromium.do("document.getElementById('more').click()")
    assert chromium.do(f"{ROWS}.length") == 144
    assert enter(chromium, "find", "hard7 e^x") == "6 of 144 samples"
    assert enter(chromium, "find", "") == "144 of 144 samples"
    wrong = int(enter(chromium, "verdict", "incorrect").split()[0])
    assert wrong > 72
    assert chromium.do(f"{ROWS}.every((row) => row.children[1].textContent === 'incorrect')")
    enter(chromium, "verdict", "")

    by_length = "document.querySelector('th[data-by=length] button')"
    chromium.do(f"{by_length}.click()")
    column = f"{ROWS}.map((row) => Number(row.children[6].textContent))"
    chromium.wait(f"{column}[0] === 0")
    numbers = chromium.do(column)
    assert numbers == sorted(numbers)
    chromium.do(f"{by_length}.click()")
    chromium.wait(f"{column}[0] > 100000")
    assert chromium.do("document.querySelector('th[data-by=length]').ariaSort") == "descending"

    # The keyboard alone: find, go down, open.
    chromium.do("document.body.focus()")
    chromium.press("/")
    assert chromium.do("document.activeElement.id") == "find"
    chromium.press("ArrowDown")
    chromium.press("ArrowDown")
    assert chromium.do(f"{ROWS}.indexOf(document.activeElement)") == 1
    chromium.press("Enter")
    chromium.wait("document.querySelector('tr.open .pane pre') !== null")
    text = chromium.do("document.querySelector('tr.open').textContent")
    assert "characters; the whole: calculus-harness view" in text
    assert chromium.do("document.querySelectorAll('tr.open svg path.F').length") >= 1
    assert chromium.do("document.querySelectorAll('tr.open math mfrac').length") >= 1
    chromium.do("document.querySelector('tr.row[aria-expanded=true]').focus()")
    chromium.press("Enter")
    assert chromium.do("document.querySelectorAll('tr.open').length") == 0


@pytest.mark.slow
def test_ten_thousand_problems_of_ten_models_open_at_once(
    tmp_path: Path, chromium: Browser
) -> None:
    make(tmp_path / "run", models=10, problems=10_000, samples=1, words=200, noise=False)
    path = write_page(Sources.open([tmp_path / "run"]))
    assert path.stat().st_size < 50_000_000
    chromium.open(path)
    assert chromium.do("document.getElementById('count').textContent") == "10000 of 10000 problems"
    assert enter(chromium, "show", "disagree") != "10000 of 10000 problems"
    chromium.do("document.querySelector('[data-view=samples]').click()")
    chromium.wait("document.getElementById('count').textContent.includes('of 40000 samples')")
    open_row(chromium, 0)


#: A right solution, a lucky one and a wrong one; the claims as the page marks them, with what is
#: between. The first has a character that is two in JavaScript's strings.
SOLUTIONS = {
    "2x": (
        "𝑆o $\\int 2x\\,dx = x^2 + C$, and $\\boxed{x^2 + C}$",
        ["✓\\int 2x\\,dx = x^2 + C", "✓x^2 + C"],
    ),
    "4x": (
        "$\\int 4x\\,dx = 4\\int x\\,dx = x^2 + C$, so $\\boxed{2x^2 + C}$",
        ["✓\\int 4x\\,dx = 4\\int x\\,dx", "✗x^2 + C", "✓2x^2 + C"],
    ),
    "6x + 0": (
        "$\\int (6x + 0)\\,dx = 6\\int x\\,dx = f(x) = 6x^2 + C$, so $\\boxed{6x^2 + C}$",
        ["✓\\int (6x + 0)\\,dx = 6\\int x\\,dx", "?f(x)", "✗6x^2 + C", "✗6x^2 + C"],
    ),
    "8x": (  # right after a wrong line, but the wrong answer
        "$\\int 8x\\,dx = 8x^2 = \\boxed{8x^2 + C}$",
        ["✗\\int 8x\\,dx = 8x^2", "✗8x^2 + C"],
    ),
}
STEPWISE = r"""
SOLUTIONS = {solutions!r}

def stepwise(messages, seed):
    return SOLUTIONS[messages[-1]["content"]]
"""


def test_every_claim_of_a_solution_is_marked(tmp_path: Path, chromium: Browser) -> None:
    rows = [
        row
        | {"id": str(n), "inputs": inputs, "target": inputs, "pair_parent": (n > 1 and "0") or None}
        | {"perturbation": "zero" if n > 1 else None}
        for n, (row, integrand) in enumerate(zip(problem_rows(), SOLUTIONS, strict=False))
        for inputs in [{"integrand": integrand, "variable": "x"}]
    ]
    (tmp_path / "own.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    texts = {integrand: text for integrand, (text, _) in SOLUTIONS.items()}
    (tmp_path / "stepwise.py").write_text(STEPWISE.format(solutions=texts))
    (tmp_path / "asked.jinja").write_text(
        '+++\ntask = "integration"\ndescription = "The integrand."\n+++\n'
        "{% call user() %}{{ integrand }}{% endcall %}\n"
    )
    run = harness.sweep(
        [f"python/{tmp_path}/stepwise.py:stepwise"],
        [str(tmp_path / "own.jsonl")],
        prompt=str(tmp_path / "asked.jinja"),
        out=tmp_path / "run",
    )
    assert judge_steps(run) == len(SOLUTIONS)
    page = write_page(run)
    chromium.open(page, "problems?sort=key")
    signs = {"correct": "✓", "incorrect": "✗", "unchecked": "?"}
    for number, (text, marks) in enumerate(SOLUTIONS.values()):
        chromium.do("document.querySelector('tr[aria-expanded=true]')?.click()")
        open_row(chromium, number)
        assert chromium.do("document.querySelector('.pane pre').textContent") == text
        claims = chromium.do(
            "[...document.querySelectorAll('.pane:first-child pre .claim')].map((e) =>"
            "[e.className.split('is-')[1], e.textContent])"
        )
        assert [signs[judgement] + words for judgement, words in claims] == marks
    drawn = chromium.do(
        "(() => { const e = document.querySelector('.is-incorrect');"
        "return [getComputedStyle(e, '::before').content, e.title]; })()"
    )
    assert drawn[0] == '"✗"'
    assert ": incorrect\nat x = " in drawn[1]
    for anchor in ("steps-of-solutions", "first-wrong-step-by-perturbation-and-kind"):
        assert chromium.do(f"document.getElementById('section-{anchor}') !== null"), anchor
    assert chromium.do(OVERFLOWING) == []
    image = Path(SCREENSHOTS or tmp_path) / "steps.png"
    chromium.do("document.querySelector('tr[aria-expanded=true]').scrollIntoView()")
    chromium.screenshot(image)
    assert image.stat().st_size > 10_000


def test_a_point_of_a_search_s_map_opens_its_problem(tmp_path: Path) -> None:
    settings = search_settings("general", archive=12, generation_size=20)
    spec = search_spec(settings, model=["python/any:answer"], out=str(tmp_path / "run"))
    wrong = LocalFunction.of(lambda messages, seed: r"\boxed{x^2}")
    page = write_page(search(spec, settings, models=[wrong]))
    with browser() as opened:
        opened.open(page)
        opened.wait("document.body.dataset.ready")
        point = "document.querySelector('svg a[href^=\"#problems?open=search\"]')"
        opened.do(f"{point}.dispatchEvent(new MouseEvent('click', {{bubbles: true}}))")
        opened_text = "document.querySelector('tr.open')?.innerText ?? ''"
        opened.wait(f"({opened_text}).includes('incorrect')")
        assert "search/general/" in opened.do(opened_text)
