"""How answers are read: the rows of ``cases/answers.toml``, and properties of layouts."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculus_harness.rewards import (
    Verdict,
    verify_antiderivative,
    verify_definite_integral,
    verify_integer,
    verify_label,
    verify_value,
)
from calculus_harness.rewards.reading.extraction import extract
from calculus_harness.rewards.reading.extraction.words.vocabulary import Role, is_name, role_of
from tests.examples import examples
from tests.rewards.steps import steps

CASES = Path(__file__).parents[2] / "cases" / "answers.toml"
JUDGES = {
    "integrand": verify_antiderivative,
    "integral": verify_definite_integral,
    "value": verify_value,
    "integer": verify_integer,
    "label": verify_label,
}


def rows() -> Iterator[Any]:
    for group in tomllib.loads(CASES.read_text(encoding="utf-8"))["class"]:
        for side in ("right", "wrong"):
            for completion in group[side]:
                yield pytest.param(group, completion, side, id=f"{group['name']}: {completion}")


def judged(group: dict[str, Any], completion: str) -> Verdict:
    task = next(name for name in JUDGES if name in group)
    options = {"variable": group["variable"]} if "variable" in group else {}
    return JUDGES[task](completion, group[task], **options)


@pytest.mark.parametrize(("group", "completion", "side"), list(rows()))
def test_row(group: dict[str, Any], completion: str, side: str) -> None:
    verdict = judged(group, completion)
    assert verdict.correct == (side == "right"), (verdict.answer, verdict.evidence.detail)


# --- Properties of layouts -----------------------------------------------------------------------

FORMULAS = {"x^2": True, "x^2+1": True, "x^2 + C": True, "x^3": False, "2x^2+C": False}
#: Layouts of two answers of one box or two.
PAIRS = [
    r"\boxed{%s \text{ or } %s}",
    r"\boxed{%s \\ %s}",
    r"$\boxed{%s}$ or $\boxed{%s}$",
    r"\boxed{%s} or \boxed{%s}",
    r"$$\boxed{%s} \quad\text{or}\quad \boxed{%s}$$",
    r"\boxed{\begin{aligned} F_1 &= %s \\ F_2 &= %s \end{aligned}}",
    r"\[\boxed{\begin{gathered} %s \\ %s \end{gathered}}\]",
    r"\boxed{F(x) = %s,\quad G(x) = %s}",
]


@examples(60)
@given(st.sampled_from(PAIRS), st.sampled_from(sorted(FORMULAS)), st.sampled_from(sorted(FORMULAS)))
def test_several_answers_are_right_if_all_are(layout: str, first: str, second: str) -> None:
    verdict = verify_antiderivative(layout % (first, second), "2x")
    assert verdict.correct == (FORMULAS[first] and FORMULAS[second])


TERMS = ["x^2", r"\sin x", r"\frac{x}{2}", r"e^{x}"]
SLOPES = [r"2x", r"\cos x", r"\frac12", r"e^x"]


@examples(60)
@given(
    st.lists(st.integers(0, 3), min_size=2, max_size=3, unique=True),
    st.integers(0, 2),
    st.sampled_from(["$%s + C$", r"\(%s\)", r"So $$F(x) = %s$$", "%s", r"\[F = %s + C.\]"]),
    st.booleans(),
)
def test_a_box_around_any_term_of_a_sum(
    terms: list[int], boxed: int, layout: str, negated: bool
) -> None:
    boxed %= len(terms)
    addends = [TERMS[term] for term in terms]
    addends[boxed] = rf"\boxed{{{addends[boxed]}}}"
    slope = " + ".join(SLOPES[term] for term in terms)
    completion = layout % " + ".join(addends)
    if negated:
        completion = layout % f"-({' + '.join(addends)})"
    assert verify_antiderivative(completion, slope).correct != negated


@examples(60)
@given(
    st.integers(1, 99),
    st.integers(1, 99),
    st.sampled_from([",", "{,}"]),
    st.sampled_from(["%sx", r"%s\,x + C", r"\frac{%sx}{1}", "F(x) = %sx"]),
)
def test_a_decimal_comma_is_a_decimal_point(n: int, digits: int, comma: str, layout: str) -> None:
    box = layout % f"{n}{comma}{digits:02}"
    assert verify_antiderivative(rf"\boxed{{{box}}}", f"{n}.{digits:02}").correct
    assert not verify_antiderivative(rf"\boxed{{{box}}}", f"{n}.{digits:02} + 1").correct


@examples(100)
@given(st.text(alphabet="abcdefghilmnoprstuwy ", min_size=3, max_size=30))
def test_words_that_are_not_in_the_list_make_an_answer_unparseable(words: str) -> None:
    if role_of(words) is not Role.UNKNOWN or is_name(words):
        return
    verdict = verify_antiderivative(rf"\boxed{{\text{{{words}}} x^2}}", "2x")
    assert not verdict.correct


HOSTILE = {
    "brackets": r"\boxed{x^2%s}" % ("(" * 9_000),
    "remarks": r"\boxed{x^2%s}" % (" (x>0)" * 2_500),
    "rows": r"\boxed{%s}" % (r"x^2 \\ " * 2_500),
    "texts": r"\boxed{%s}" % (r"\text{a }" * 2_000),
    "offers": r"$\boxed{x^2}" + r"\text{ or }\boxed{x^2}" * 600 + "$",
    "boxes": r"x+\boxed{x} " * 1_500,
    "commas": r"\boxed{%sx}" % ("1,5+" * 4_000),
    "list": r"\boxed{%sx}" % ("1," * 9_000),
    "groups": r"\boxed{%sx}" % ("1 000 " * 3_000),
    "pairs": r"\boxed{\left(x%s\right)}" % (r"\right. \left. " * 1_000),
    "bullets": "- For $x>0$: $x$\n" * 1_000,
    "quads": r"$\boxed{x^2}%s$" % (r"\quad " * 3_000),
    "labels": r"\boxed{%s}" % ("answer: " * 2_000),
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_the_work_is_linear_in_the_text(text: str) -> None:
    assert steps(lambda: extract(text)) < 40 * len(text)
