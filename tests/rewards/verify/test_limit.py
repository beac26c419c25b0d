"""Verdicts on limits: right answers in many forms, near misses, echoes, and hostile texts."""

from __future__ import annotations

import pytest
import sympy

from calculus_harness.benchmarks.calculus_course.bank import entries
from calculus_harness.benchmarks.calculus_course.limits import generated
from calculus_harness.benchmarks.hashed_random import HashedRandom
from calculus_harness.benchmarks.payloads import QuestionTarget
from calculus_harness.harness.studies.redteam.questions.limits import wrong_answers
from calculus_harness.rewards import ProblemError, Status, verify_limit
from calculus_harness.rewards.proof.limit_questions import limit_readings
from calculus_harness.rewards.proof.limits import Limit
from calculus_harness.rewards.reading.expression.tree import Call, Number
from calculus_harness.rewards.verify.agreement.proposed_limits import is_approached

SINE = r"\lim_{x\to0}\frac{\sin x}{x}"
#: How many near misses are refused at least; none may be accepted.
NEAR_MISSES = 1000


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (SINE, "1"),
        (r"\lim_{x\to\infty}\left(1+\frac1x\right)^x", "e"),
        (r"\lim_{x\to0}\frac{2^x-3^x}{x}", r"\ln\frac23"),
        (r"\lim_{x\to0}\frac{2^x-3^x}{x}", r"\ln 2-\ln 3"),
        (r"\lim_{x\to0}\frac{1-\cos x}{x^2}", "0.5"),  # which is 1/2 exactly
        (r"\lim_{x\to0}\frac{\sqrt{5+2\sqrt6+x}-\sqrt{5+2\sqrt6}}{x}", r"\frac{\sqrt3-\sqrt2}{2}"),
        (r"\lim_{x\to0}\frac{1}{x}", r"\text{does not exist}"),
        (r"\lim_{x\to0}\frac{1}{x}", r"\text{DNE}"),
        (r"\lim_{x\to0}\frac{1}{x^2}", r"+\infty"),
        (r"\lim_{n\to\infty}n^2", r"\text{diverges}"),
        (r"\lim_{x\to0}\frac{1}{x^2}", "infinity"),
        (r"\lim_{x\to0}-\frac{1}{x^2}", r"\text{negative infinity}"),
        (SINE, r"\text{The limit is }1"),
        (SINE, r"\text{it converges to }1"),
        (r"\lim_{x\to0}\frac{\sin ax}{\sin bx}", r"\frac ab"),
        (r"\lim_{x\to0}\frac{\Gamma(1+x)-1}{x}", r"-\gamma"),
        # a table of values is one formula
        (r"\lim_{x\to0^+} 2\begin{cases} \frac{\sin x}{x} & x>0 \\ 3 & x<0 \end{cases}", "2"),
        (
            r"$\lim_{x\to0} \left(\begin{cases} x & x>0 \\ 1 & x\le 0 \end{cases}\right)$",
            r"\text{does not exist}",
        ),
        # an angle tends to a zero of the function exponentially fast
        (r"\lim_{x\to-\infty}(1+\cos x)^{1/x}", r"\text{does not exist}"),
        (r"\lim_{x\to\infty}(x-\lfloor x\rfloor)^x", r"\text{does not exist}"),
        (r"\lim_{x\to\infty}(\lfloor x+\frac12\rfloor-\lfloor x\rfloor)", r"\text{DNE}"),
        # series at infinity that cancel
        (r"\lim_{x\to\infty}\frac{\Gamma(x+\frac{1}{\Gamma(x)})-\Gamma(x)}{\ln x}", "1"),
        (
            r"\lim_{x\to\infty}e^{e^x+x^2}(\operatorname{erf}(x-e^{-e^x})-\operatorname{erf}x)",
            r"-\frac{2}{\sqrt\pi}",
        ),
        (r"\lim_{x\to\infty}(x^n-x^{n-k-1})", r"\infty"),
        (r"Given that $f(t)=(\frac{4^t+6^t}{4})^{1/t}$, evaluate $\lim_{t\to\infty} f(t)$.", "6"),
    ],
)
def test_right_answers(text: str, answer: str) -> None:
    verdict = verify_limit(rf"so the limit is $\boxed{{{answer}}}$", text)
    assert verdict.correct, verdict


def test_a_sentence_without_a_box_is_an_answer() -> None:
    assert verify_limit(
        "The sides differ, so the limit does not exist.", r"\lim_{x\to0}\frac1x"
    ).correct


@pytest.mark.parametrize(
    ("text", "answer", "status"),
    [
        (SINE, "2", Status.INCORRECT),
        (SINE, r"\infty", Status.INCORRECT),
        (SINE, r"\text{does not exist}", Status.INCORRECT),
        (SINE, SINE, Status.NOT_CLOSED_FORM),
        (SINE, r"\frac{\sin x}{x}", Status.INCORRECT),
        (SINE, r"1+e^{-e^{e^e}}", Status.UNDECIDED),  # no digits show the difference
        (r"\lim_{x\to\infty}\left(1+\frac1x\right)^x", "2.71828", Status.INCORRECT),
        (r"\lim_{x\to0}\frac1x", r"\infty", Status.INCORRECT),
        (r"\lim_{x\to0}\frac1x", "0", Status.INCORRECT),
        (r"\lim_{x\to0^-}\frac1x", r"\infty", Status.INCORRECT),
        (r"\lim_{x\to2^-}\lfloor x\rfloor", "2", Status.INCORRECT),
        (r"\lim_{x\to0}\frac1{x^2}", r"\text{does not exist}", Status.UNDECIDED),
        (r"\lim_{x\to0}\sqrt x", r"\text{does not exist}", Status.UNDECIDED),
        (r"\lim_{x\to0}\frac{\sin ax}{\sin bx}", r"\frac ba", Status.INCORRECT),
        (r"\lim_{x\to0}\frac{\sin ax}{\sin bx}", r"\frac{a+c}{b}", Status.INCORRECT),
        (r"\lim_{x\to\infty}(1+\cos x)^{1/x^2}", "1", Status.INCORRECT),
        (r"\lim_{x\to\infty}\frac{\sin x}{x}", r"\text{does not exist}", Status.INCORRECT),
        (r"\lim_{x\to\infty}(x^n-x^{n-k-1})", r"-\infty", Status.INCORRECT),
        (r"\lim_{x\to\infty}x^{a-b}", "0", Status.INCORRECT),  # right for a < b only
        (r"\lim_{x\to\infty}x^{a-b}, a<b", "0", Status.CORRECT),
    ],
)
def test_other_answers(text: str, answer: str, status: Status) -> None:
    assert verify_limit(rf"\boxed{{{answer}}}", text).status is status


def test_a_proof_is_told_from_agreement() -> None:
    proved = verify_limit(r"\boxed{1}", SINE, accept="proof")
    assert (proved.correct, proved.evidence.proof) == (True, "expansion")
    text = r"\lim_{x\to\infty}x^{a-b}, a<b"
    assert verify_limit(r"\boxed{0}", text).evidence.method == "expansions at parameters"
    assert verify_limit(r"\boxed{0}", text, accept="proof").status is Status.UNDECIDED


def test_a_refutation_of_parameters_names_them() -> None:
    verdict = verify_limit(r"\boxed{\frac ba}", r"\lim_{x\to0}\frac{\sin ax}{\sin bx}")
    assert verdict.evidence.witness is not None
    assert "a = " in verdict.evidence.witness.point


def test_conditions_and_assumptions_say_which_parameters() -> None:
    text = r"\lim_{x\to\infty}e^{ax}"
    assert verify_limit(r"\boxed{\infty}", text).correct
    assert verify_limit(r"\boxed{0}", text, assumptions={"a": "negative"}).correct
    assert verify_limit(r"\boxed{0}", rf"${text}$ where $a<0$").correct


def test_sympy_limits_are_problems() -> None:
    x = sympy.Symbol("x")
    assert verify_limit(r"\boxed{1}", sympy.Limit(sympy.sin(x) / x, x, 0, "+-")).correct
    assert verify_limit(r"\boxed{-\infty}", sympy.Limit(1 / x, x, 0, "-")).correct


def test_a_point_beside_the_real_line_is_refused() -> None:
    x = sympy.Symbol("x")
    with pytest.raises(ProblemError, match="no point of the real line"):
        verify_limit(r"\boxed{0}", sympy.Limit(1 / x, x, sympy.I * sympy.oo))


def test_references_are_checked() -> None:
    assert verify_limit(r"\boxed{1}", SINE, reference="1").correct
    with pytest.raises(ProblemError, match="refutes"):
        verify_limit(r"\boxed{1}", SINE, reference="2")
    with pytest.raises(ProblemError, match="refutes"):
        verify_limit(r"\boxed{1}", SINE, reference="does not exist")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (r"\int_0^1 x\,dx", "no limit sign"),
        (r"\lim x", "no subscript"),
        (r"\lim_{x\to0}\frac{f(x)}{x}", "does not define"),
        (r"\lim_{n\to\infty}\frac{F_{n+1}}{F_n}", "F_n.* is a term of a sequence"),
        (r"\lim_{x\to0}\lim_{y\to0}xy", "more than one limit"),
        (r"\lim_{x\to0}\sqrt{-1-x^2}", "no real values"),
        (r"\lim_{(x,y,z)\to(0,0,0)}xyz", "no arrow"),
    ],
)
def test_bad_problems_are_told_in_one_line(text: str, message: str) -> None:
    with pytest.raises(ProblemError, match=message) as error:
        verify_limit(r"\boxed{1}", text)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "proposal", "approached"),
    [
        (r"\lim_{x\to0}\frac{1-J_0(x)}{x^2}", Limit(1), False),  # which SymPy 1.14 proposes
        (r"\lim_{x\to0}\frac{1-J_0(x)}{x^2}", Limit(value=Number(1, 4)), True),
        (r"\lim_{x\to0}\frac{1-J_0(x)}{x^2}", Limit(value=Number(1, 3)), False),
        (r"\lim_{x\to\infty}\ln x", Limit(1), True),
        (r"\lim_{x\to\infty}\ln x", Limit(-1), False),
        # a number is no condition
        (r"\lim_{x\to\infty}\ln x", Limit(value=Call("piecewise", (Number(1),) * 2)), False),
    ],
)
def test_values_speak_against_a_proposal(text: str, proposal: Limit, approached: bool) -> None:
    assert is_approached(limit_readings(text)[0], proposal) is approached


@pytest.mark.slow
def test_what_has_no_expansion_is_proposed_and_never_refuted() -> None:
    text = r"\lim_{x\to\infty}\sqrt xe^xK_0(x)"
    right = verify_limit(r"\boxed{\sqrt{\frac\pi2}}", text)
    assert (right.correct, right.evidence.method, right.evidence.proof) == (True, "gruntz", "")
    assert verify_limit(r"\boxed{\sqrt{\frac\pi2}}", text, accept="proof").correct is False
    assert verify_limit(r"\boxed{2}", text).status is Status.UNDECIDED
    assert verify_limit(r"\boxed{2}", r"\lim_{x\to1}(x-1)\zeta(x)").status is Status.UNDECIDED


@pytest.mark.parametrize(
    ("text", "answer", "expected"),
    [
        (r"\lim_{x\to\infty}\lfloor\sin x\rfloor", r"\text{does not exist}", Status.CORRECT),
        (r"\lim_{x\to\infty}\lfloor\sin x\rfloor", "0", Status.INCORRECT),
        (r"\lim_{x\to\infty}\frac{\lfloor\sin x\rfloor}{x}", "0", Status.UNDECIDED),
        (r"\lim_{n\to\infty}(-1)^n\lceil\sin n\rceil", "0", Status.UNDECIDED),
    ],
)
def test_floors_of_what_oscillates(text: str, answer: str, expected: Status) -> None:
    assert verify_limit(rf"\boxed{{{answer}}}", text).status is expected


def test_an_infinity_that_is_proposed_has_a_sign() -> None:
    text = r"\lim_{x\to\infty}-x\sqrt xe^xK_0(x)"
    assert verify_limit(r"\boxed{-\infty}", text).correct
    assert verify_limit(r"\boxed{\infty}", text).status is Status.UNDECIDED


def test_conditions_behind_a_long_formula_are_read() -> None:
    text = rf"\lim_{{x\to0}} |a|{'(x+1)' * 14}{'+x' * 200}, a<0"
    assert verify_limit(r"\boxed{-a}", text).correct


def test_a_parameter_is_judged_at_zero_only_where_it_may_be_zero() -> None:
    text = r"\lim_{x\to\infty}\arctan(ax), a\ge%d"
    assert verify_limit(r"\boxed{\frac\pi2}", text % 1).correct
    assert verify_limit(r"\boxed{\frac\pi2}", text % 0).status is Status.UNDECIDED


def _near_misses() -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    rows = [(entry.question, entry.answer) for entry in entries("limits")]
    for index in range(60):
        target = generated(31, index).target_as(QuestionTarget)
        rows.append((target.question, target.answer or ""))
    for number, (text, answer) in enumerate(rows):
        pairs += [(text, wrong) for wrong in wrong_answers(HashedRandom(number), text, answer)]
    return pairs


def test_no_near_miss_is_accepted() -> None:
    pairs = _near_misses()
    assert len(pairs) >= NEAR_MISSES
    verdicts = [(pair, verify_limit(rf"\boxed{{{pair[1]}}}", pair[0])) for pair in pairs]
    assert [pair for pair, verdict in verdicts if verdict.correct] == []
    # most are refuted; the rest differ by what no digits show, or say less than is known
    refuted = sum(verdict.status is not Status.UNDECIDED for _, verdict in verdicts)
    assert refuted > 0.8 * len(pairs)


@pytest.mark.parametrize(
    "text",
    [
        r"\lim_{x\to0}" + r"\sin(" * 60 + "x" + ")" * 60,
        r"\lim_{x\to0}" + "+".join(rf"\sin({k}x)^{k}" for k in range(1, 60)),
        r"\lim_{x\to0}\frac{" + r"\tan x" * 80 + "}{x^{80}}",
        r"\lim_{x\to\infty}x^{10^{100}}e^{-x}",
        r"\lim_{x\to0}\left(1+x\right)^{10^{50}}",
    ],
)
def test_work_is_bounded(text: str) -> None:
    try:
        verdict = verify_limit(r"\boxed{7}", text, deadline=1)
    except ProblemError:
        return
    assert verdict.status in (Status.INCORRECT, Status.UNDECIDED)


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        (r"\lim_{N\to\infty}\sum_{n=1}^N \frac1{n^2}", r"\frac{\pi^2}{6}", r"1 \infty"),
        (r"\lim_{n\to\infty} 3\sum_{k=0}^{2n} 2^{-k}", "6", "3"),
        (r"\lim_{n\to\infty}\sum_{k=1}^{n}\frac{1}{k}", r"\infty", "2"),
        (r"\lim_{n\to\infty}\prod_{k=2}^{n}\frac{k^3-1}{k^3+1}", r"\frac23", "1"),
        (r"\lim_{n\to\infty}\frac1n\sum_{k=1}^n \sqrt{\frac kn}", r"\frac23", r"\frac12"),
        (r"\lim_{n\to\infty}n^{-3/2}\sum_{k=1}^n \sqrt k", r"\frac23", "1"),
    ],
)
def test_limits_of_partial_sums_are_series_or_integrals(
    question: str, right: str, wrong: str
) -> None:
    assert verify_limit(rf"\boxed{{{right}}}", question).correct
    for answer in wrong.split():
        assert verify_limit(rf"\boxed{{{answer}}}", question).status is Status.INCORRECT


@pytest.mark.parametrize(
    "question",
    [
        r"\lim_{n\to\infty}\sum_{k=1}^n \frac1n\ln\frac kn",  # the integral is improper
        r"\lim_{n\to\infty}\sum_{k=1}^{n}\frac{1}{\sqrt{n^2-k^2}}",
        r"\lim_{n\to\infty}(\sum_{k=1}^{n}\frac{1}{k} - \ln n)",
    ],
)
def test_other_limits_of_sums_are_not_read(question: str) -> None:
    with pytest.raises(ProblemError):
        verify_limit(r"\boxed{-1}", question)


@pytest.mark.parametrize("inner", [r"\tanh(1000)+x", r"\tanh(3000)+x", r"\operatorname{erf}(60)+x"])
def test_a_proposal_does_not_decide_on_which_side_of_a_step_the_point_is(inner: str) -> None:
    """The floor is 0, and SymPy proposes 1."""
    verdict = verify_limit(r"\boxed{1}", rf"\lim_{{x\to0}}\lfloor {inner}\rfloor")
    assert not verdict.correct
