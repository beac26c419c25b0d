"""The verifier under attack: random answers, slips, hidden branches, tiny terms, hostile text.

Random answers and the proofs that their mutants are wrong come from the examiner's generator
(``cases/make_antiderivatives.py``), which judges by central differences in mpmath, without any code
of the verifier.
"""

from __future__ import annotations

import importlib.util
import json
import random
import time
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import sympy as sp
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from calculus_harness.rewards import ProblemError, Status, verify_antiderivative
from calculus_harness.rewards.batch import verify_many

pytestmark = pytest.mark.slow

CASES = Path(__file__).parents[1] / "cases"
_spec = importlib.util.spec_from_file_location(
    "make_antiderivatives", CASES / "make_antiderivatives.py"
)
assert _spec is not None
assert _spec.loader is not None
make: Any = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(make)

relaxed = settings(
    deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
many = settings(relaxed, max_examples=150)
seeds = st.integers(0, 10**9)

#: Pairs (f, F), analytic on the whole line, to which the attacks below add their poison.
CLEAN = [
    (r"2x", r"x^2"),
    (r"\cos x", r"\sin x"),
    (r"\frac{1}{1+x^2}", r"\arctan x"),
    (r"e^{-x}", r"-e^{-x}"),
    (r"\frac{x}{x^2+1}", r"\frac12\ln(x^2+1)"),
    (r"\sinh x", r"\cosh x"),
    (r"3x^2+1", r"x^3+x"),
]
clean = st.sampled_from(CLEAN)
decimals = st.decimals(-500, 500, allow_nan=False, places=3).filter(bool)


def judged(answer: str, integrand: str, **options: Any) -> str:
    return verify_antiderivative(f"\\boxed{{{answer}}}", integrand, **options).status.value


# --- right and wrong ------------------------------------------------------------------------


@relaxed
@given(seeds, st.booleans())
def test_a_random_answer_is_right_and_its_mutants_are_wrong(seed: int, long: bool) -> None:
    rng = random.Random(seed)
    big_f = (make.monster if long else make.textbook)(rng)
    assume(big_f.has(make.x))
    f = make.integrand_of(big_f, rng)
    assume(f.has(make.x) and make.proven_right(f, big_f))
    integrand = make.latex_of(f, rng, answer=False)
    answer = make.latex_of(big_f, rng)
    assume(len(integrand) + len(answer) < 5000)
    assert judged(answer, integrand) == "correct"
    tried = 0
    for slip, wrong in make.mutants(big_f, rng):
        if tried == 3:
            break
        if wrong.has(sp.zoo, sp.nan, sp.oo) or not make.proven_wrong(f, wrong):
            continue
        tried += 1
        poison = make.latex_of(wrong, rng)
        assert judged(poison, integrand) in ("incorrect", "undecided"), slip


@many
@given(clean, decimals, st.sampled_from(["{}+{}", "{}-({})", "{1}+{0}", "({})+{}+C"]))
def test_a_constant_changes_nothing_and_a_slope_does(
    pair: tuple[str, str], number: object, shape: str
) -> None:
    f, big_f = pair
    assert judged(shape.format(big_f, number), f) == "correct"
    assert judged(shape.format(big_f, f"{number}\\,x"), f) == "incorrect"


@many
@given(clean, st.integers(2, 400))
def test_a_tiny_slope_is_never_accepted(pair: tuple[str, str], digits: int) -> None:
    f, big_f = pair
    for poison in (rf"10^{{-{digits}}}x", rf"\frac{{\sin x}}{{10^{{{digits}}}}}"):
        assert judged(f"{big_f}+{poison}", f) != "correct"
    assert judged(rf"\left(1+10^{{-{digits}}}\right)\left({big_f}\right)", f) != "correct"
    assert judged(f"{big_f}+10^{{-{digits}}}", f) == "correct"


# --- branches that agree on a part of the line ----------------------------------------------

#: Constant, or zero slope, on one side of {0} only.
HALF_RIGHT = [
    r"\sqrt{{(x-({0}))^2}}-(x-({0}))",
    r"\sqrt{{(x-({0}))^2}}+x",
    r"|x-({0})|-x",
    r"|x-({0})|+x",
    r"\max(x,{0})",
    r"\min(x,{0})",
    r"\sqrt{{x^2-2({0})x+({0})^2}}-x",
    r"\sqrt[4]{{(x-({0}))^4}}+x",
    r"\left(x-({0})\right)\operatorname{{sgn}}\left(x-({0})\right)-x",
    r"\exp\left(\frac12\ln\left((x-({0}))^2\right)\right)+x",
    r"\arccos(\cos(x-({0})))-x",
    r"\arcsin(\sin(x-({0})))+x",
]
#: Slope zero wherever it has one, but with a step.
STEPS = [
    r"\operatorname{{sgn}}(x-({0}))",
    r"\frac{{|x-({0})|}}{{x-({0})}}",
    r"\frac{{\sqrt{{(x-({0}))^2}}}}{{x-({0})}}",
    r"\lfloor x-({0})\rfloor",
    r"\lceil x/7-({0})\rceil",
    r"\operatorname{{sgn}}(x^3-({0})^3)",
    r"\frac{{\sqrt{{x^2-2({0})x+({0})^2}}}}{{x-({0})}}",
    r"\frac{{x^3-({0})^3}}{{\sqrt{{(x^3-({0})^3)^2}}}}",
    r"\frac{{\sqrt{{1-\cos^2(x-({0}))}}}}{{\sin(x-({0}))}}",
    r"\arctan\frac{{\sqrt[4]{{(x-({0}))^4}}}}{{x-({0})}}",
]


@many
@given(clean, decimals, st.sampled_from(HALF_RIGHT))
def test_right_on_one_side_only_is_wrong(pair: tuple[str, str], where: object, poison: str) -> None:
    f, big_f = pair
    assert judged(f"{big_f}+{poison.format(where)}", f) in ("incorrect", "undecided")


@many
@given(clean, decimals, st.sampled_from(STEPS))
def test_a_step_is_wrong(pair: tuple[str, str], where: object, poison: str) -> None:
    f, big_f = pair
    assert judged(f"{big_f}+{poison.format(where)}", f) in ("incorrect", "undecided")


@pytest.mark.parametrize("where", ["-79.882", "300.1", r"-50\sqrt2", "a"])
@pytest.mark.parametrize("step", STEPS[2:3] + STEPS[6:])
@pytest.mark.parametrize(
    "pair", [("e^{-x}", "-e^{-x}"), ("2xe^{x^2}", "e^{x^2}"), ("e^xe^{e^x}", "e^{e^x}")]
)
def test_a_step_beside_large_values(pair: tuple[str, str], where: str, step: str) -> None:
    f, big_f = pair
    assert judged(f"{big_f}+{step.format(where)}", f) in ("incorrect", "undecided")


@many
@given(decimals, decimals, st.sampled_from([r"\cos", r"\sin", r"\sinh"]))
def test_the_modulus_of_an_answer_is_wrong(slope: Decimal, shift: Decimal, name: str) -> None:
    derivative = {r"\cos": r"-\sin", r"\sin": r"\cos", r"\sinh": r"\cosh"}[name]
    u = rf"\left({slope}x+{shift}\right)"
    f = rf"({slope})({derivative}{u})"
    assert judged(rf"{name}{u}", f) == "correct"
    assert judged(rf"\left|{name}{u}\right|", f) == "incorrect"
    if name == r"\sinh" and abs(shift) > 1000 * abs(slope):
        return  # its one zero is so far out that the root is right on nearly all of the line
    assert judged(rf"\sqrt{{{name}^2{u}}}", f) == "incorrect"


@pytest.mark.parametrize("slope", range(1, 40))
def test_no_exception_where_the_domain_is_strict(slope: int) -> None:
    f = rf"\sqrt{{1-\sin^2({slope}x)}}"
    answer = rf"\frac{{\sin({slope}x)}}{{{slope}}}"
    assert judged(answer, f, strict_domain=True) == "incorrect"
    assert judged("-" + answer, f, strict_domain=True) == "incorrect"


@pytest.mark.parametrize("slope", range(1, 40))
def test_modulus_of_the_integrand_without_a_radical(slope: int) -> None:
    answer = rf"\frac{{\operatorname{{arsinh}}(\tan({slope}x))}}{{{slope}}}"
    assert judged(answer, rf"\sec({slope}x)") == "incorrect"


# --- text that means harm -------------------------------------------------------------------

tower_leaves = st.sampled_from(["x", "9", "2", "10", "0", "e", "i", r"\pi", "-x", "1/x", "99999"])


def towers(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.builds("{{{}}}^{{{}}}".format, inner, inner),
        st.builds("({})!".format, inner),
        st.builds(r"\frac{{{}}}{{{}}}".format, inner, inner),
        st.builds(r"\sqrt[{}]{{{}}}".format, inner, inner),
        st.builds(r"\binom{{{}}}{{{}}}".format, inner, inner),
        st.builds(r"\Gamma({})".format, inner),
        st.builds(r"\exp({})".format, inner),
        st.builds(r"\ln({})".format, inner),
        st.builds(r"\tan({})".format, inner),
        st.builds(r"\lfloor {}\rfloor".format, inner),
        st.builds("({})({})".format, inner, inner),
        st.builds("({})-({})".format, inner, inner),
        st.builds(r"\left|{}\right|".format, inner),
    )


@many
@given(st.recursive(tower_leaves, towers, max_leaves=14))
def test_towers_end_quickly_and_earn_nothing(tower: str) -> None:
    begin = time.perf_counter()
    status = judged(rf"\cos x^2+x^3+({tower})^2\sin(x)", r"e^{x^2}", deadline=3)
    assert status != "correct"
    assert time.perf_counter() - begin < 6


@many
@given(st.text(max_size=300) | st.binary(max_size=300).map(lambda b: b.decode("latin-1")))
def test_any_text_gets_a_verdict(text: str) -> None:
    for completion in (text, f"\\boxed{{{text}}}", f"${text}$"):
        verdict = verify_antiderivative(completion, r"\frac{\sin x}{x^2+e^x}", deadline=3)
        assert verdict.status in Status
        assert not verdict.correct


@many
@given(
    st.lists(
        st.sampled_from(
            r"\boxed{ } { \frac \sqrt [ ] ( ) | ^ _ & \\ $ $$ x 2 + - = , \left \right \sin \ln"
            r" \int dx \text{or} \pm C <think> </think> \begin{align} \end{align} ! \{ \} \!"
            r" \lfloor \sum \lim ' ; \cdot".split()
        ),
        max_size=60,
    )
)
def test_shuffled_latex_gets_a_verdict_and_nothing_is_earned(tokens: list[str]) -> None:
    verdict = verify_antiderivative(" ".join(tokens), r"\frac{e^x}{1+x^4}", deadline=3)
    assert verdict.status in Status
    assert not verdict.correct


@relaxed
@given(st.sampled_from(json.loads((CASES / "responses.json").read_text("utf-8"))), st.data())
def test_a_cut_response_gets_a_verdict(row: dict[str, str], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(row["response"])))
    for truncated in (False, True):
        verdict = verify_antiderivative(row["response"][:at], row["integrand"], truncated=truncated)
        assert verdict.status in Status


@many
@given(st.text(alphabet="x2+-^{}()\\frac sin|_$&", max_size=80))
def test_an_integrand_is_read_or_refused(text: str) -> None:
    try:
        verdict = verify_antiderivative(r"\boxed{x}", text, deadline=3)
    except ProblemError:
        return
    assert verdict.status in Status


@many
@given(clean, st.integers(0, 3))
def test_the_same_text_gets_the_same_verdict(pair: tuple[str, str], which: int) -> None:
    f, big_f = pair
    answer = [big_f, big_f + "+x", big_f + "+|x|", big_f + "+"][which]
    first, second = (verify_antiderivative(f"\\boxed{{{answer}}}", f) for _ in range(2))
    assert first.status is second.status
    assert first.evidence.witness == second.evidence.witness
    assert first.evidence.points == second.evidence.points


# --- batches --------------------------------------------------------------------------------

HOSTILE = [
    r"\boxed{9^{9^{9^{9}}}x}",
    r"\boxed{10^{10^{10}}!\,x}",
    r"\boxed{\operatorname{Li}_{1000000}(x)}",
    r"\boxed{\Pi(x;10^9\mid x)}",
    r"\boxed{\zeta(x+10^9i)}",
    r"\boxed{{}_2F_1(10^6,10^6;1;x)}",
    r"\boxed{" + "(" * 100_000,
    r"\frac{" * 50_000,
    "x^{" * 30_000,
    "\\boxed{" + "1/2x" * 2_000 + "}",
    "\x00" * 1000,
    r"\boxed{\sum_{k=1}^{10^9}x^k}",
]


def test_a_batch_with_hostile_items_loses_no_good_one() -> None:
    rng = random.Random(11)
    rows = json.loads((CASES / "responses.json").read_text("utf-8"))
    items = [(r["response"], r["integrand"], r["label"]) for r in rows]
    for hostile in HOSTILE * (1 + len(items) // (20 * len(HOSTILE))):
        items.insert(rng.randrange(len(items)), (hostile, "2x", "hostile"))
    verdicts = verify_many([i[0] for i in items], [i[1] for i in items], workers=2, deadline=2)
    assert len(verdicts) == len(items)
    for (text, integrand, label), verdict in zip(items, verdicts, strict=True):
        if label == "hostile":
            assert not verdict.correct
        else:
            alone = verify_antiderivative(text, integrand)
            assert verdict.status is alone.status, (text, integrand)


# --- right on most of the line only ---------------------------------------------------------


@pytest.mark.parametrize(
    ("integrand", "answer"),
    [
        (r"|x-50|", r"50x-\frac{x^2}{2}"),
        (r"|x^2-10^4|", r"10^4x-\frac{x^3}{3}"),
        (r"\max(x,-40)", r"\frac{x^2}{2}"),
        (r"\operatorname{sgn}(x-60)", "-x"),
        (r"|x-50|+|x+50|", "100x"),
        (r"\arcsin(\sin(x/30))", r"\frac{x^2}{60}"),
        (r"\begin{cases}x&x<70\\1&x\ge70\end{cases}", r"\frac{x^2}{2}"),
    ],
)
def test_the_integrands_far_breakpoints_are_looked_beyond(integrand: str, answer: str) -> None:
    assert judged(answer, integrand) == "incorrect"


def test_a_far_double_zero_of_a_radicand_is_looked_beyond() -> None:
    assert judged(r"50x-\frac{x^2}{2}", r"\sqrt{(x-50)^2}", strict_domain=True) == "incorrect"


#: Without a value on half of the line, and 1, or a constant, on the other half.
NOWHERE = [
    r"\frac{u+|u|}{u+|u|}",
    r"\frac{u+\sqrt{u^2}}{u+\sqrt{u^2}}",
    r"1^{\frac{1}{u+|u|}}",
    r"e^{\frac{0}{u+|u|}}",
    r"\frac{\lfloor u\rfloor!}{\lfloor u\rfloor!}",
    r"\frac{\max(u,0)}{\max(u,0)}",
]


@pytest.mark.parametrize("factor", NOWHERE)
@pytest.mark.parametrize("shift", ["x", r"(x-\frac13)", "(x+7)"])
def test_no_value_where_it_would_be_wrong(factor: str, shift: str) -> None:
    half = factor.replace("u", shift)
    assert judged(rf"\frac{{{shift}^2}}{{2}}\cdot {half}", rf"|{shift}|") != "correct"
    assert judged(rf"\frac{{{shift}^2}}{{2}}+{half}", rf"|{shift}|") != "correct"


# --- constants that are almost whole --------------------------------------------------------

ALMOST_ONE = [
    r"(1+e^{-100})",
    r"(1+e^{-e^5})",
    r"(1+\frac{1}{50!})",
    r"\tanh(50)",
    r"\tanh(5000)",
    r"\operatorname{erf}(10)",
    r"\frac{\sinh 60}{\cosh 60}",
    r"\frac{e^{100}}{e^{100}+1}",
    r"(1+\pi^{-90\sqrt2})",
    r"(1+e^{-4000})",
    r"(1+10^{-2000})",
    r"(1+2^{-5000})",
    r"\cos(10^{-30})",
]


@pytest.mark.parametrize("factor", ALMOST_ONE)
def test_a_factor_of_almost_one_is_not_one(factor: str) -> None:
    for answer in (rf"{factor}\sin x", rf"\sin({factor}x)", rf"\ln(e^{{{factor}\sin x}})"):
        assert judged(answer, r"\cos x") in ("incorrect", "undecided")


@pytest.mark.parametrize(
    "factor",
    [r"\cos(2\pi)", r"\ln e", r"\tan\frac{\pi}{4}", r"e^{\ln 1}", r"\sqrt{1}", r"\frac{10!}{10!}"],
)
def test_a_factor_that_is_one_is_one(factor: str) -> None:
    assert judged(rf"{factor}\sin x", r"\cos x") == "correct"


@pytest.mark.parametrize("between", [r"\\ \text{or} \\", r"\\ \text{or }", r"\text{ or }\\"])
def test_alternatives_on_rows_are_two_answers(between: str) -> None:
    assert judged(rf"x^3+C {between} x^2+C", "2x") == "incorrect"
    assert judged(rf"x^2+C {between} x^3+C", "2x") == "incorrect"
