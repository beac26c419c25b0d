"""The page: whole, self-contained, and nobody's completion runs as script."""

from __future__ import annotations

import base64
import csv
import gzip
import io
import json
import random
import sys
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from calculus_harness import harness
from calculus_harness.benchmarks.problem import Problem
from calculus_harness.harness.core.errors import UserError
from calculus_harness.harness.report import write_page
from calculus_harness.harness.report.figures.curves import spaced
from calculus_harness.harness.report.figures.figure import apart
from calculus_harness.harness.report.figures.files import write_figures
from calculus_harness.harness.report.page import packing
from calculus_harness.harness.report.page import samples as items
from calculus_harness.harness.report.page.mathml import to_mathml
from calculus_harness.harness.report.page.refutation import plot
from calculus_harness.harness.report.page.sections import figures
from calculus_harness.harness.report.sources import Sources
from calculus_harness.harness.report.summary import export_summary, remarks
from calculus_harness.harness.store.run import Run
from calculus_harness.rewards import verify_antiderivative
from tests.harness.conftest import Command
from tests.harness.large_run import make

#: Ways to break out of a page, each as a completion of its own.
TRICKS = [
    '</pre><script>document.title = "run"</script> \\boxed{x}',
    '</script><script>document.title = "run"</script>',
    "<!-- <script> --><img src=x onerror=\"document.title = 'run'\">",
    '<math><mtext><table><mglyph><style><!--</style><img title="--><img src=1 onerror=alert(1)>">',
    "\\boxed{\\href{javascript:alert(1)}{x} </math><script>document.title=1</script>}",
    "\\boxed{\\text{</mtext></math><svg onload=alert(1)>}}",
    "{{ 7 * 7 }} {% raw %} ]]> \u2028 \u202e \\boxed{\\unicode{x3c}script>}",
    "\\boxed{x^2 < 3 & \"quoted\" > '1'}",
]
MODEL = rf"""
import itertools
count = itertools.count()

def answer(messages, seed):
    return {TRICKS!r}[next(count) % {len(TRICKS)}]

def wrong(messages, seed):
    return "So it is " + r"\boxed{{\frac{{x^2}}{{2}} e^x}}" + " indeed." + " really" * 20000
"""


def hostile_run(path: Path, bench: str) -> Run:
    """A run whose completions are `TRICKS`, each once."""
    model = path / "model.py"
    model.write_text(MODEL)
    return harness.sweep([f"python/{model}:answer"], [bench], limit=4, samples=2, out=path / "run")


@pytest.fixture
def page(tmp_path: Path, bench: str) -> Path:
    return write_page(hostile_run(tmp_path, bench))


class Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def unpacked(page: Path, name: str) -> Any:
    text = page.read_text(encoding="utf-8")
    data = text.partition(f'id="{name}">')[2].partition("</script>")[0]
    return json.loads(gzip.decompress(base64.b64decode(data)))


def test_the_page_holds_only_what_we_wrote(page: Path) -> None:
    parser = Elements()
    parser.feed(page.read_text(encoding="utf-8"))
    scripts = [attributes for tag, attributes in parser.found if tag == "script"]
    assert [script.get("type") for script in scripts] == ["text/plain"] * 5 + [None]
    tags = [tag for tag, _ in parser.found]
    assert not {"img", "math", "iframe", "object", "link"} & set(tags)
    assert tags.count("svg") == 3
    for _, attributes in parser.found:
        assert not any(name.startswith("on") for name in attributes)
        assert attributes.get("src") is None  # nothing is loaded from anywhere
        assert (attributes.get("href") or "#").startswith("#")


def test_every_sample_is_in_the_page(page: Path) -> None:
    index, details = unpacked(page, "samples"), unpacked(page, "details-0")
    assert len(index["status"]) == len(details) == 8
    texts = [detail["texts"]["Completion"] for detail in details]
    assert sorted(head for head, _, _ in texts) == sorted(TRICKS)
    problem = unpacked(page, "problems-0")[0]
    question, formula = problem["asked"]
    assert question.endswith("x e^x")
    assert formula[0] == "math"
    assert question in problem["prompt"][0]
    assert unpacked(page, "index")["key"][0].startswith("bench/easy/easy")


@pytest.mark.parametrize(
    "latex",
    ["", "x" * 1000, "{" * 500, r"\frac", r"\href{javascript:alert(1)}{x}", "\0", "\\", *TRICKS],
)
def test_what_is_no_formula_is_left_to_the_text(latex: str) -> None:
    def names(tree: list[Any]) -> Iterator[str]:
        yield tree[0]
        yield from tree[1]
        for child in tree[2:]:
            if isinstance(child, list):
                yield from names(child)

    mathml = to_mathml(latex)
    if mathml is not None:
        assert not {"script", "img", "svg", "href", "onload", "annotation"} & set(names(mathml))


def test_formulas_become_mathml() -> None:
    mathml = to_mathml(r"\frac{x^2}{\sqrt{1+x}} + \arctan|x|")
    assert mathml is not None
    assert mathml[0] == "math"
    assert '"mfrac"' in json.dumps(mathml)


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"\sin x \sin 2x", "sin_x_sin_2x"),
        (r"x\arctan x", "x_arctan_x"),
        (r"\sin^2 x\cos x", "sin2_x_cos_x"),
        (r"\sin(x)\ln|x|", "sin(x)_ln_|x|"),
        (r"e^{x}\ln\ln x", "ex_ln_ln_x"),
        (r"-\sin\left(x\right)", "\u2212sin(x)"),
        (r"2\operatorname{arctanh} x", "2_arctanh_x"),
        (r"\int \log_{10} x\,dx", "\u222blog10_x_dx"),
        (r"\sqrt{x\sin x}+\sin 2", "x_sin_x+sin_2"),
    ],
)
def test_names_of_functions_stand_apart(latex: str, text: str) -> None:
    def plain(tree: list[Any]) -> str:
        if tree[0] == "mspace":
            return "_"
        return "".join(plain(child) if isinstance(child, list) else child for child in tree[2:])

    tree = to_mathml(latex)
    assert tree is not None
    assert plain(tree) == text


def test_a_sign_is_no_difference() -> None:
    def forms(latex: str) -> list[str | None]:
        tree = to_mathml(latex)
        assert tree is not None
        (row,) = tree[2:]
        return [element[1].get("form") for element in row[2:] if element[2:] in (["\u2212"], ["+"])]

    assert forms("x(-3x^4-7)+2") == ["prefix", None, None]
    assert forms("-x=-y-(+z)") == [None, "prefix", None, "prefix"]


# --- room ---


def test_texts_are_shortened_until_they_have_room() -> None:
    letters, chance = "abcdefghijklmnopqrstuvwxyz0123456789", random.Random(0)
    long = ["".join(chance.choices(letters, k=60_000)) for _ in range(3)]
    details = [{"facts": [], "texts": {"Completion": text, "Reasoning": ""}} for text in long]

    def content_at(share: int) -> list[Any]:
        packed = items._packed(details, share)
        assert len(packed) <= share
        return json.loads(gzip.decompress(base64.b64decode(packed)))

    head, omitted, tail = content_at(10**9)[0]["texts"]["Completion"]
    assert (len(head), omitted, len(tail)) == (20_000, 20_000, 20_000)
    assert long[0].startswith(head)
    assert long[0].endswith(tail)
    assert len(content_at(20_000)[0]["texts"]["Completion"][0]) == 1_500
    assert len(content_at(3_000)[0]["texts"]["Completion"][0]) == 300
    assert "texts" not in content_at(60)[0]


def test_of_too_many_samples_every_model_has_some(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path / "run", models=2, problems=12, samples=3, words=5, noise=False)
    for limit, count in ((72, 72), (50, 48), (24, 24), (10, 10)):
        monkeypatch.setattr(items, "MAX_SAMPLES", limit)
        page = write_page(Sources.open([tmp_path / "run"]))
        index = unpacked(page, "samples")
        assert len(index["model"]) == count
        assert index["model"].count(0) == index["model"].count(1) == count / 2
        assert f"{72 - count} further samples" in page.read_text() or count == 72
        assert len(unpacked(page, "index")["key"]) == 12


def test_a_short_text_is_whole() -> None:
    assert packing.shortened("all of it", 8, 12) == ["all of it", 0, ""]
    assert packing.shortened("", 300, 500) == ["", 0, ""]


# --- the plot of a refutation ---


def witness_of(integrand: str, answer: str, **policy: Any) -> tuple[Problem, Any]:
    formula = {"integrand": integrand, "variable": "x"}
    problem = Problem("p", "integration", "b", "s", formula, formula)
    verdict = verify_antiderivative(rf"\boxed{{{answer}}}", integrand, **policy)
    assert verdict.evidence.witness is not None
    return problem, verdict


def test_a_wrong_answer_is_plotted_around_its_witness() -> None:
    problem, verdict = witness_of(r"x\cos x", r"x\sin x - \cos x")
    drawn = plot(problem, verdict.answer, verdict.evidence.witness)
    assert drawn is not None
    middle = len(drawn["x"]) // 2
    assert drawn["x"][middle] == pytest.approx(drawn["at"], rel=1e-4)
    assert drawn["f"][middle] == pytest.approx(drawn["expected"], rel=1e-4)
    assert drawn["F"][middle] == pytest.approx(drawn["got"], rel=1e-4)
    assert drawn["F"][middle] != pytest.approx(drawn["f"][middle], rel=1e-2)


def test_where_nothing_is_real_the_curve_has_a_gap() -> None:
    problem, verdict = witness_of(r"\ln x", r"x\ln x")
    drawn = plot(problem, verdict.answer, verdict.evidence.witness)
    assert drawn is not None
    for x, value in zip(drawn["x"], drawn["f"], strict=True):
        assert (value is None) == (x <= 0)


def test_what_cannot_be_plotted_has_no_plot() -> None:
    problem, verdict = witness_of(r"x\cos x", r"x\sin x - \cos x")
    witness = verdict.evidence.witness
    assert plot(problem, None, witness) is None
    assert plot(problem, r"\frac{", witness) is None
    assert plot(problem, r"x^3", witness) is None  # not the values that the verifier saw
    assert plot(problem, verdict.answer, None) is None
    slow, judged = witness_of(r"x", r"\mathrm{Li}_2(x)")
    assert plot(slow, judged.answer, judged.evidence.witness) is None


# --- comparisons on the page ---


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
            rows.append(
                {
                    "id": f"{subset}{i}",
                    "task": "integration",
                    "benchmark": "b",
                    "subset": subset,
                    "inputs": formula,
                    "target": formula,
                    "pair_parent": f"plain{i}" if parent else None,
                }
            )
    bench = tmp_path / "b.jsonl"
    bench.write_text("".join(json.dumps(row) + "\n" for row in rows))
    run = harness.sweep(
        [f"python/{model}:answer", f"python/{model}:other"],
        [str(bench)],
        samples=4,
        out=tmp_path / "run",
    )
    text = write_page(run).read_text(encoding="utf-8")
    for words in (
        "pass@k over k",
        "Perturbations against their originals",
        "perturbed − original",
        "Models against each other",
        "% power at the level",
    ):
        assert words in text
    assert text.count('class="dot') == 2 + 3
    assert text.count('class="curve') == 2 * 3
    assert "<b>shifted" not in text


def test_several_runs_are_on_one_page_and_told_apart(
    model: str, bench: str, tmp_path: Path, cli: Command
) -> None:
    for name, prompt in (("one", "antiderivbench"), ("two", "direct")):
        harness.sweep([model], [bench], prompt=prompt, samples=2, out=tmp_path / name)
    done = cli("report", tmp_path / "one", tmp_path / "two", "--out", tmp_path / "both.html")
    assert done.returncode == 0, done.stderr
    assert "model.py:answer [antiderivbench]" in done.stdout
    assert "model.py:answer [direct]" in done.stdout
    text = (tmp_path / "both.html").read_text(encoding="utf-8")
    assert "Models against each other" in text
    short = model.rpartition("/")[2]
    assert f"{short} [direct] − {short} [antiderivbench]" in text
    assert len(unpacked(tmp_path / "both.html", "samples")["status"]) == 96
    index = unpacked(tmp_path / "both.html", "index")
    assert len(index["key"]) == 24  # each once
    assert index["names"]["model"] == [f"{model} [antiderivbench]", f"{model} [direct]"]
    assert not (tmp_path / "one" / "report.html").exists()
    twice = cli("report", tmp_path / "one", tmp_path / "one")
    assert twice.returncode == 2
    assert "named twice" in twice.stderr


def test_names_are_short_where_that_tells_models_apart(tmp_path: Path, bench: str) -> None:
    models = []
    for folder, function in (("one", "answer"), ("one", "wrong"), ("two", "answer")):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "model.py").write_text(MODEL)
        models.append(f"python/{tmp_path}/{folder}/model.py:{function}")
    for some, short in (
        (models[:2], ["model.py:answer", "model.py:wrong"]),
        (models, models),
    ):
        run = harness.sweep(some, [bench], limit=2, out=tmp_path / f"run{len(some)}")
        assert Sources.open([run]).short_names == dict(zip(some, short, strict=True))


# --- figures for papers ---


@pytest.mark.slow
@pytest.mark.plots
def test_figures_are_the_same_every_time(model: str, bench: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    run = harness.sweep([model], [bench], samples=4, out=tmp_path / "run")
    names = {"pass_at_k", "subsets", "verdicts", "characters"}
    files = write_figures(figures(Sources.open([run])), tmp_path / "a")
    again = write_figures(figures(Sources.open([run])), tmp_path / "b")
    assert {path.name for path in files} == {
        f"{n}.{s}" for n in names for s in ("pdf", "png", "svg")
    }
    for file, rewritten in zip(files, again, strict=True):
        assert file.read_bytes() == rewritten.read_bytes()
        start = {".pdf": b"%PDF", ".png": b"\x89PNG", ".svg": b"<svg"}[file.suffix]
        assert file.read_bytes().startswith(start)
    assert "bench/easy" in (tmp_path / "a" / "subsets.svg").read_text()


@pytest.mark.slow
@pytest.mark.plots
def test_labels_of_figures_are_not_cut(bench: str, tmp_path: Path) -> None:
    """Matplotlib's letters are wider than a browser's: nothing reaches the left or right edge."""
    from matplotlib.image import imread

    def a_model_with_a_very_long_name(messages: object, seed: int) -> str:
        return r"\boxed{(x-1)e^x}" if seed % 3 else "It is hard to say."

    run = harness.sweep([a_model_with_a_very_long_name], [bench], samples=4, out=tmp_path / "run")
    for path in write_figures(figures(Sources.open([run])), tmp_path / "figures"):
        if path.suffix == ".png":
            pixels = imread(path)[:, :, :3]
            assert pixels.min() < 0.5
            assert pixels[:, [0, 1, -2, -1]].min() == 1, path.name


def test_figures_without_matplotlib_say_what_is_needed(
    model: str, bench: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = harness.sweep([model], [bench], limit=2, out=tmp_path / "run")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(UserError, match="the extra 'plots'"):
        write_figures(figures(Sources.open([run])), tmp_path / "figures")


# --- beams and labels in the tables ---


def test_a_beam_search_is_reported_by_fail_at_k(tmp_path: Path, cli: Command) -> None:
    (tmp_path / "bench.jsonl").write_text('{"integrand": "2x", "id": "a"}\n')
    (tmp_path / "model.py").write_text(
        "def answer(messages, seed, count):\n"
        "    return [r'\\boxed{x}', r'\\boxed{x^2}', r'\\boxed{x^3}', r'\\boxed{1}'][:count]\n"
    )
    done = cli(
        *f"sweep --model python/{tmp_path}/model.py:answer -n 4 --beams 4 --temperature 0".split(),
        *f"--benchmark {tmp_path}/bench.jsonl --out {tmp_path}/run --json".split(),
    )
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(done.stdout)["rows"]
    assert [(e["k"], e["value"]) for e in row["fails"]] == [(1, 1.0), (4, 0.0)]
    assert [(e["k"], e["value"]) for e in row["passes"]] == [(1, 0.0), (4, 1.0)]
    header, _, line = cli("report", tmp_path / "run", "--format", "markdown").stdout.splitlines()
    assert "| pass@1 | Fail@1 | Fail@4 |" in header
    assert "| 100.0 [2.5, 100.0] | 0.0 [0.0, 97.5] |" in line


def test_labels_are_reported_with_f1_and_confusion(tmp_path: Path, cli: Command) -> None:
    rows = [
        {
            "id": f"p{i}",
            "task": "derivation_step",
            "benchmark": "b",
            "subset": "s",
            "inputs": {"step": str(i)},
            "target": {"label": int(i < 4)},
        }
        for i in range(8)
    ]
    (tmp_path / "bench.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "prompt.jinja").write_text(
        '+++\ntask = "derivation_step"\ndescription = "Only the number."\n+++\n'
        "{% call user() %}{{ step }}{% endcall %}\n"
    )
    (tmp_path / "model.py").write_text(  # right on 0 to 2 and 4 to 5, wrong on 3 and 6, mute on 7
        "def answer(messages, seed):\n"
        "    said = [1, 1, 1, 0, 0, 0, 1, None][int(messages[-1]['content'])]\n"
        "    return 'I do not know.' if said is None else rf'\\boxed{{{said}}}'\n"
    )
    done = cli(
        *f"sweep --model python/{tmp_path}/model.py:answer --out {tmp_path}/run --json".split(),
        *f"--prompt {tmp_path}/prompt.jinja --benchmark {tmp_path}/bench.jsonl".split(),
    )
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(done.stdout)["rows"]
    assert row["labels"]["accuracy"] == 5 / 8
    assert row["labels"]["confusion"] == {
        "0": {"0": 2, "1": 1, "none": 1},
        "1": {"0": 1, "1": 3, "none": 0},
    }
    assert row["labels"]["f1"] == pytest.approx(2 * 3 / (4 + 4))
    report = cli("report", tmp_path / "run", "--all").stdout
    assert "F1   macro F1" in report
    assert "of label 0 2 as 0, 1 as 1, 1 as no label; of label 1 1 as 0, 3 as 1" in report


def test_labels_of_curves_do_not_cover_each_other() -> None:
    ends = [(50.0, "a", "c0"), (52.0, "b", "c1"), (90.0, "c", "c2")]
    assert [at for at, *_ in apart(ends, lowest=100)] == [50.0, 65.0, 90.0]
    assert [at for at, *_ in apart(ends, lowest=70)] == [40.0, 55.0, 70.0]
    assert spaced(1) == [1]
    assert spaced(8) == list(range(1, 9))
    assert spaced(256)[-1] == 256
    assert len(spaced(256)) <= 16


def test_what_one_model_spent_is_told_for_each_of_its_runs(
    model: str, bench: str, tmp_path: Path
) -> None:
    summary = harness.summarise(harness.sweep([model], [bench], out=tmp_path / "run"))
    usage = summary.rows[0].usage
    assert usage is not None
    spent = replace(usage, tokens_per_problem=7.0)
    rows = [replace(summary.rows[0], label=label, usage=spent) for label in ("m [one]", "m [two]")]
    lines = remarks(replace(summary, rows=tuple(rows)))
    assert [line[:7] for line in lines if "7 tokens a problem" in line] == ["m [one]", "m [two]"]


def test_samples_mean_the_same_in_every_form(tmp_path: Path, model: str, bench: str) -> None:
    run = harness.sweep([model], [bench], limit=4, samples=3, out=tmp_path / "run")
    summary = harness.summarise(run)
    for row in json.loads(export_summary(summary, "json"))["rows"]:
        assert row["samples"] == 3 * row["problems"]
        assert row["samples_per_problem"] == 3
    for row in csv.DictReader(io.StringIO(export_summary(summary, "csv"))):
        assert int(row["samples"]) == 3 * int(row["problems"])
        assert row["samples_per_problem"] == "3"
    for form in ("markdown", "latex"):
        lines = export_summary(summary, form).splitlines()
        heading = next(line for line in lines if "subset" in line)
        assert "problems | samples per problem |".replace("|", "|&"[form == "latex"]) in heading


def test_an_empty_table_says_no_percent(tmp_path: Path, model: str, bench: str) -> None:
    summary = harness.summarise(harness.sweep([model], [bench], out=tmp_path / "run"))
    assert remarks(replace(summary, rows=()))[:1] != ["In percent; pass@k with its 95 % interval."]
    text = " ".join(remarks(replace(summary, rows=(), unscored=3, policy="published")))
    assert "3 answers not scored yet under published" in text
