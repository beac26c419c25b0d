"""The page of six models on seven subsets, and of models with different problems."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from calculus_harness.harness.report import write_page
from calculus_harness.harness.report.page.sections import sections
from calculus_harness.harness.report.sections import Section
from calculus_harness.harness.report.sources import Sources
from tests.harness import scripted_run as scripted
from tests.harness.browser import CLIPPED, NARROW, OVERFLOWING, Browser, browser
from tests.harness.report.test_page_in_browser import (
    ROWS,
    SCREENSHOTS,
    enter,
    open_row,
)

MODELS = tuple(f"api/model-of-{size}-billion-parameters" for size in (1, 3, 8, 14, 32, 70))
PERTURBED = ("shifted_arguments", "renamed", "negated", "constants", "composed", "robustness_sums")
#: Half of the 19,100 pixels that the page of three models once had.
HALF = 9_550


def outcome(model: int, subset: str, number: int, sample: int) -> scripted.Outcome:
    """A model's answer: the larger the model, the more answers are right."""
    turn = (number * 7 + sample * 3 + model * 5 + len(subset)) % 12
    if turn < 5 + model - 2 * (subset != "plain"):
        return scripted.RIGHT
    wrong = (scripted.SIGN, scripted.MISSING, scripted.NO_BOX, scripted.CUT, scripted.REFUSED)
    return wrong[(number + sample) % len(wrong)]


@pytest.fixture(scope="module")
def run_of_many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    problems = scripted.problems("plain", 12)
    for subset in PERTURBED:
        problems += scripted.problems(subset, 12, "plain")
    scripts = {
        name: lambda *of, model=model: outcome(model, *of) for model, name in enumerate(MODELS)
    }
    return scripted.make(tmp_path_factory.mktemp("many") / "run", scripts, problems, 4).path


@pytest.fixture(scope="module")
def page(run_of_many: Path) -> Path:
    return write_page(Sources.open([run_of_many]))


def apart(folder: Path) -> Sources:
    """Two runs with 6 common problems; a third model answers with errors alone."""
    plain, separate = scripted.problems("plain", 10), scripted.problems("other", 5)
    strong = {
        "api/strong": lambda s, n, k: scripted.RIGHT if n < 6 else scripted.SIGN,
        "api/down": lambda s, n, k: scripted.ERROR,
    }
    scripted.make(folder / "a", strong, plain)
    weak = {"api/weak": lambda s, n, k: (scripted.RIGHT, scripted.REFUSED)[n % 2]}
    scripted.make(folder / "b", weak, plain[:6] + separate)
    return Sources.open([folder / "a", folder / "b"])


def section(tables: list[Section], title: str) -> Section:
    return next(table for table in tables if table.title == title)


# --- without a browser: nothing is ranked across different problems ---


def test_models_are_ranked_on_common_problems_alone(tmp_path: Path) -> None:
    sources = apart(tmp_path)
    tables = sections(sources, opened=True)
    table = section(tables, "Results")
    assert table.headings == (
        *("pass@1", "asked", "all 6 common problems"),
        *("bench/plain (not the same problems)", "bench/other (5)"),
    )
    rows = {row[0]: row[1:] for row in table.rows}
    assert list(rows) == ["strong", "weak", "down"]
    assert rows["strong"][:2] == ("10", rows["strong"][1])
    assert rows["strong"][1].startswith("100.0 [")
    assert rows["strong"][2].startswith("60.0 [")
    assert rows["strong"][2].endswith("] of 10")
    assert rows["weak"][1].startswith("50.0 [")
    assert rows["weak"][2].endswith("] of 6")
    assert rows["down"] == ("10", "no score", "no score", "")
    wide = section(tables, "Results with all columns")
    assert not any("all" in row[:2] for row in wide.rows)


def test_figures_leave_out_what_models_do_not_share(tmp_path: Path) -> None:
    sources = apart(tmp_path)
    assert sources.shared_subsets == {"bench/other"}
    assert {row.subset for row in sources.comparable_rows} == {"bench/other"}
    assert len(sources.common_problems) == 6


def test_one_set_of_problems_has_totals(run_of_many: Path) -> None:
    sources = Sources.open([run_of_many])
    table = section(sections(sources, opened=True), "Results")
    assert table.headings[:3] == ("pass@1", "asked", "all 84 common problems")
    totals = [float(row[2].split()[0]) for row in table.rows]
    assert totals == sorted(totals, reverse=True)
    assert "all" in sources.shared_subsets


def test_ways_to_fail_are_rates_of_their_own_with_advice(tmp_path: Path) -> None:
    table = section(sections(apart(tmp_path), opened=True), "How it fails")
    assert table.headings == ("model", "answers", "error", "refused", "wrong sign")
    assert set(table.rows) == {
        ("strong", "10", "", "", "40.0"),
        ("weak", "11", "", "45.5", ""),
        ("down", "10", "100.0", "", ""),
    }
    (advice,) = table.notes.values()
    assert [line.partition(":")[0] for line in advice] == ["Error (down)", "Refused (weak)"]


def test_the_sentences_and_cards_say_what_they_are_about(tmp_path: Path) -> None:
    sources = apart(tmp_path)
    text = write_page(sources, tmp_path / "both.html").read_text()
    assert sources.findings is not None
    for sentence in sources.findings.lines:
        assert sentence.replace("'", "&#39;") in text
    cards = re.findall(r"<div title=.*?</div>", text, re.DOTALL)
    assert ["on 6 common problems" in card for card in cards] == [True, True, False]
    assert "no score" in cards[2]
    assert "nothing but errors on 10 problems" in cards[2]


def test_models_without_common_problems_are_not_ordered(tmp_path: Path) -> None:
    scripts = {"api/one": lambda s, n, k: scripted.RIGHT}
    scripted.make(tmp_path / "a", scripts, scripted.problems("plain", 4))
    scripted.make(
        tmp_path / "b",
        {"api/two": lambda s, n, k: scripted.SIGN},
        scripted.problems("other", 4),
    )
    sources = Sources.open([tmp_path / "a", tmp_path / "b"])
    table = section(sections(sources, opened=True), "Results")
    assert table.headings == ("model", "asked", "bench/plain (4)", "bench/other (4)")
    assert "not to be compared" in write_page(sources, tmp_path / "page.html").read_text()


def test_only_the_results_stand_before_the_problems(run_of_many: Path) -> None:
    sources = Sources.open([run_of_many])
    assert [table.title for table in sections(sources, opened=True) if not table.folded] == [
        "Results",
        "How it fails",
    ]
    assert len(sections(sources, opened=False)) > 6


# --- in a browser ---


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as opened:
        yield opened


@pytest.fixture(autouse=True)
def _no_errors(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    if "chromium" in request.fixturenames:
        opened: Browser = request.getfixturevalue("chromium")
        assert opened.errors == []


#: Texts with a contrast below 4.5 to what is behind them, with it. Colours are painted to be read,
#: since the values that a style has are written in several notations.
FAINT = """(() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const painted = (colours) => {
    canvas.clearRect(0, 0, 1, 1);
    for (const colour of colours) { canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); }
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const luminance = (rgb) => rgb.map((value) => value / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
    .reduce((sum, value, at) => sum + value * [0.2126, 0.7152, 0.0722][at], 0);
  return [...document.querySelectorAll('body *')].filter((one) => one.getClientRects().length
    && !one.closest('svg, option, :disabled')
    && [...one.childNodes].some((text) => text.nodeType === 3 && text.textContent.trim()))
    .map((one) => {
      const behind = [];
      for (let at = one; at; at = at.parentElement) {
        behind.unshift(getComputedStyle(at).backgroundColor);
      }
      const colours = [...behind, getComputedStyle(one).color];
      const [a, b] = [painted(behind), painted(colours)].map(luminance);
      return [one.textContent.slice(0, 30), (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)];
    }).filter(([, contrast]) => contrast < 4.5);
})()"""


@pytest.mark.browser
@pytest.mark.parametrize("width", [1400, 420])
def test_seven_subsets_of_six_models_are_readable(
    page: Path, chromium: Browser, width: int, tmp_path: Path
) -> None:
    folder = Path(SCREENSHOTS or tmp_path)
    folder.mkdir(parents=True, exist_ok=True)
    chromium.resize(width)
    for name, anchor in (
        ("many", ""),
        ("many-problems", "problems"),
        ("many-samples", "problems?view=samples&failure=wrong+sign"),
        ("many-opened", "problems?a=" + MODELS[5] + "&b=" + MODELS[0] + "&show=a-not-b"),
    ):
        chromium.open(page, anchor)
        if name == "many":
            height = chromium.do("document.documentElement.scrollHeight")
            assert height < (HALF if width == 420 else HALF / 2)
            for folded in chromium.do(
                "[...document.querySelectorAll('details[id]')].map((e) => e.id)"
            ):
                chromium.do(f"document.getElementById({folded!r}).open = true")
        if name == "many-opened":
            open_row(chromium, 0)
            chromium.do("document.querySelector('tr[aria-expanded=true]').scrollIntoView()")
            chromium.wait("document.querySelector('.family.cut') !== null")  # seven twins
        overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert chromium.do(overflow) <= 0, name
        assert chromium.do(OVERFLOWING) == [], name
        assert chromium.do(CLIPPED) == [], name
        assert chromium.do(NARROW) == [], name
        scrolling = (
            "[...document.querySelectorAll('.scroll')].filter((one) => one.checkVisibility()"
            " && one.scrollWidth > one.clientWidth + 1).map((one) => one.ariaLabel)"
        )
        assert chromium.do(scrolling) == [], name
        image = folder / f"{name}-{width}.png"
        chromium.screenshot(image)
        assert image.stat().st_size > 10_000


@pytest.mark.browser
def test_which_where_and_how_are_on_one_screenful(page: Path, chromium: Browser) -> None:
    chromium.resize(1400)
    chromium.open(page)
    assert chromium.do("document.querySelectorAll('.findings p').length") == 3
    for lowest in (".findings p:last-child", ".headline", "#section-results"):
        bottom = f"document.querySelector({lowest!r}).getBoundingClientRect().bottom"
        assert chromium.do(bottom) < 900, lowest


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_have_contrast(page: Path, chromium: Browser, scheme: str) -> None:
    chromium.resize(1400)
    media = [{"name": "prefers-color-scheme", "value": scheme}]
    chromium.call("Emulation.setEmulatedMedia", features=media)
    try:
        chromium.open(page, "problems")
        open_row(chromium, 0)
        chromium.do(
            "document.querySelectorAll('.inside details').forEach((e) => { e.open = true })"
        )
        assert chromium.do(FAINT) == []
        chromium.open(page, "problems?view=samples")
        assert chromium.do(FAINT) == []
    finally:
        chromium.call("Emulation.setEmulatedMedia", features=[])


@pytest.mark.browser
def test_buttons_of_samples_have_labels(page: Path, chromium: Browser) -> None:
    chromium.open(page, "problems")
    open_row(chromium, 0)
    labels = chromium.do(
        "[...document.querySelectorAll('.siblings button')].map((e) => e.innerText)"
    )
    assert len(labels) == 8
    assert all(re.fullmatch(r"#\d (correct|incorrect|no answer)", label) for label in labels)


@pytest.mark.browser
def test_ways_to_fail_are_filters(page: Path, chromium: Browser) -> None:
    chromium.open(page, "problems?view=samples")
    ways = chromium.do(
        "[...document.getElementById('failure').options].slice(1).map((o) => o.value)"
    )
    assert ways == ["refused", "truncated", "no box", "wrong sign", "missing term"]
    total = 0
    for way in ways:
        total += int(enter(chromium, "failure", way).split()[0])
        assert chromium.do(f"{ROWS}.every((row) => row.children[2].textContent === {way!r})")
    assert total == int(enter(chromium, "failure", "").split()[0]) - int(
        enter(chromium, "verdict", "correct").split()[0]
    )
    chromium.open(page, "problems?failure=missing+term")
    count = chromium.do("document.getElementById('count').textContent")
    assert 0 < int(count.split()[0]) < 84


@pytest.mark.browser
def test_escape_clears_the_filters_and_then_closes(page: Path, chromium: Browser) -> None:
    chromium.open(page, "problems?find=plain3&verdict=incorrect&sort=key")
    assert chromium.do("document.getElementById('count').textContent") != "84 of 84 problems"
    chromium.do("document.getElementById('find').focus()")
    chromium.press("Escape")
    chromium.wait("document.getElementById('count').textContent === '84 of 84 problems'")
    assert chromium.do("document.getElementById('find').value") == ""
    assert chromium.do("location.hash") == "#problems?sort=key"
    open_row(chromium, 2)
    chromium.press("Escape")
    chromium.wait("document.querySelector('tr.open') === null")


@pytest.mark.browser
def test_columns_are_chosen_and_the_address_keeps_them(page: Path, chromium: Browser) -> None:
    headings = "[...document.querySelectorAll('#items thead th')].map((e) => e.innerText)"
    chromium.open(page, "problems?view=samples")
    columns = chromium.do(headings)
    assert "seconds" in columns
    assert "finished by" not in columns
    for name in ("seconds", "finished by"):
        chromium.do(
            "[...document.querySelectorAll('#columns label')]"
            f".find((e) => e.textContent.trim() === {name!r}).querySelector('input').click()"
        )
    chromium.wait(f"{headings}.includes('finished by')")
    chosen = chromium.do(headings)
    assert set(chosen) ^ set(columns) == {"seconds", "finished by"}
    widths = f"{ROWS}.map((row) => row.children.length)"
    assert set(chromium.do(widths)) == {len(chosen)}
    chromium.open(page, chromium.do("location.hash")[1:])
    assert chromium.do(headings) == chosen
    chromium.do("document.getElementById('reset').click()")
    assert chromium.do(headings) == chosen


@pytest.mark.browser
def test_two_models_stand_beside_each_other(page: Path, chromium: Browser) -> None:
    a, b = MODELS[5], MODELS[0]
    chromium.open(page, f"problems?a={a}&b={b}")
    buttons = "[...document.querySelectorAll('#versus button')]"
    texts = chromium.do(f"{buttons}.map((e) => e.innerText)")
    counts = {name: int(count) for name, count in (text.split(": ") for text in texts)}
    assert list(counts) == ["both solve", "only A", "only B", "neither"]
    assert sum(counts.values()) == 84
    chromium.do(f"{buttons}[1].click()")
    chromium.wait(f"{ROWS}.length && document.getElementById('show').value === 'a-not-b'")
    assert chromium.do("document.getElementById('count').textContent").startswith(
        f"{counts['only A']} of"
    )
    open_row(chromium, 0)
    models = (
        "[...document.querySelectorAll('.pane [aria-label=Model]')]"
        ".map((e) => e.selectedOptions[0].text)"
    )
    assert chromium.do(models) == [a, b]
    chromium.do("document.querySelectorAll('.pane .siblings button')[2].click()")
    numbers = (
        "[...document.querySelectorAll('.siblings [aria-pressed=true]')]"
        ".map((e) => e.innerText.slice(0, 2))"
    )
    chromium.wait(f"{numbers}.join() === '#2,#2'")
    assert chromium.do(models) == [a, b]


@pytest.mark.browser
def test_a_sample_has_its_raw_request_and_response(page: Path, chromium: Browser) -> None:
    chromium.open(page, "problems?sort=key")
    open_row(chromium, 0)
    request, response = chromium.do(
        "[...document.querySelector('.raw').querySelectorAll('pre')]"
        ".map((e) => JSON.parse(e.textContent))"
    )
    assert request["messages"][-1]["role"] == "user"
    assert r"\cos x + 2x" in request["messages"][-1]["content"]
    assert request["sampling"]["max_tokens"] == 16_384
    assert request["seed"] == response["sample"]
    assert response["key"].endswith(f":answer:{response['sample']}")
    assert response["completion_tokens"] == 50
    assert response["text"] == chromium.do("document.querySelector('.pane pre').textContent")


@pytest.mark.browser
def test_a_cut_formula_is_marked(tmp_path: Path, chromium: Browser) -> None:
    problems = scripted.problems("plain", 2)
    long = " + ".join(rf"{i}x^{{{i}}}" for i in range(1, 80))
    scripts = {"api/one": lambda s, n, k: ("incorrect", long if n else "x", "stop")}
    run = scripted.make(tmp_path / "run", scripts, problems)
    chromium.resize(1400)
    chromium.open(write_page(run), "problems?view=samples&sort=key")
    cut = (
        "[...document.querySelectorAll('td.answer .formula')]"
        ".map((e) => e.classList.contains('cut'))"
    )
    chromium.wait(f"{cut}.includes(true)")
    assert chromium.do(cut) == [False, True]
    mark = "getComputedStyle(document.querySelector('.formula.cut'), '::after').content"
    assert chromium.do(mark) == '"…"'
    chromium.do("document.querySelector('.formula.cut').scrollLeft = 1e6")
    chromium.wait(f"!{cut}.includes(true)")


@pytest.mark.browser
def test_a_model_of_nothing_but_errors_fails_no_problem(tmp_path: Path, chromium: Browser) -> None:
    chromium.resize(1400)
    chromium.open(write_page(apart(tmp_path), tmp_path / "page.html"), "problems?sort=key")
    cells = f"{ROWS}.map((row) => [...row.children].slice(1).map((cell) => cell.innerText))"
    rows = chromium.do(cells)  # strong, down, weak, range
    assert rows[:2] == [["–", "–", "1/1", "0"], ["–", "–", "0/1", "0"]]
    assert rows[5:7] == [["1/1", "error", "1/1", "0"], ["1/1", "error", "0/1", "100"]]
    assert enter(chromium, "show", "disagree") == "3 of 15 problems"
