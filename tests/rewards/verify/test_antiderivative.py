"""The entrance of the verifier: promises beyond single verdicts (see cases/)."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import sympy
from flint import arb, ctx

from calculus_harness.rewards import (
    NoCertificateError,
    ProblemError,
    Status,
    certify,
    verify_antiderivative,
)
from calculus_harness.rewards.numeric.ball_arithmetic.balls import Conventions, precision
from calculus_harness.rewards.numeric.sampling import pool as pools
from calculus_harness.rewards.numeric.sampling.integrand import _prepare_text, prepare
from calculus_harness.rewards.numeric.sampling.pool import BASE_BITS

HOSTILE = [
    r"9^{9^{9^{9^{9}}}}",
    "x^{" * 60 + "x" + "}" * 60,
    r"(10^{10^{10}})!",
    "(" * 100_000 + "x" + ")" * 100_000,
    r"\frac{" * 5_000,
    "x+" * 500_000 + "1",
    r"\sin" * 3_000 + " x",
    r"\sqrt{" * 400 + "x" + "}" * 400,
    "e^{" * 150 + "x" + "}" * 150,
    r"\int x\,dx",
    r"\tan(10^{10^{8}} x)",
    r"\operatorname{Li}_{1000000}(x)",
    "\x00\ud800\u202e",
]


@pytest.mark.parametrize("answer", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_answers_get_a_verdict_and_no_reward(answer: str) -> None:
    for completion in (answer, rf"\boxed{{{answer}}}"):
        verdict = verify_antiderivative(completion, "x")
        assert not verdict.correct
        assert verdict.reward == 0.0


@pytest.mark.parametrize(
    ("integrand", "variable"),
    [
        ("t^2", "x"),
        (r"\int t^2\,dt", "x"),
        (r"\frac{1}{", "x"),
        (r"x=2", "x"),
        ("f(x)", "x"),
        (r"\int x\,dx\,dy", None),
        ("at+b", None),
        (r"\int \sin x\,dx\,dx +", "x"),
    ],
)
def test_a_bad_problem_is_an_error_and_no_verdict(integrand: str, variable: str | None) -> None:
    with pytest.raises(ProblemError):
        verify_antiderivative("x", integrand, variable=variable)


def test_unknown_assumption_is_a_problem_error() -> None:
    with pytest.raises(ProblemError, match="positive"):
        verify_antiderivative("x", "a", variable=None, assumptions={"a": "prime"})


def test_the_variable_is_inferred_when_it_is_not_given() -> None:
    assert verify_antiderivative("t^3/3", r"\int t^2\,dt", variable=None).correct
    assert verify_antiderivative("t^3/3", "t^2", variable=None).correct


def test_sympy_integrand() -> None:
    x = sympy.Symbol("x")
    assert verify_antiderivative(r"\sin(x^2)+C", 2 * x * sympy.cos(x**2)).correct
    assert not verify_antiderivative(r"\cos(x^2)+C", 2 * x * sympy.cos(x**2)).correct


def test_assumptions_choose_the_parameters() -> None:
    answer = r"\frac{1}{a}\arctan\frac{x}{a}"
    assert verify_antiderivative(answer, r"\frac{1}{x^2+a^2}").correct
    right_only_if_negative = r"-\frac{1}{|a|}\arctan\frac{x}{a}"
    assert not verify_antiderivative(right_only_if_negative, r"\frac{1}{x^2+a^2}").correct
    assert verify_antiderivative(
        right_only_if_negative, r"\frac{1}{x^2+a^2}", assumptions={"a": "negative"}
    ).correct


def test_same_text_same_verdict_whatever_came_before() -> None:
    cases = [
        (r"\ln|x|", r"\frac1x"),
        (r"2\sqrt{\sin x}", r"\sqrt{\csc x-\sin x}"),
        (r"x^2+C x", "2x"),
        (r"\frac{1}{a}\arctan\frac{x}{a}", r"\frac{1}{x^2+a^2}"),
    ]

    def verdicts(order: list[tuple[str, str]]) -> dict[tuple[str, str], object]:
        rows: dict[tuple[str, str], object] = {}
        for case in order:
            verdict = verify_antiderivative(*case)
            row = verdict.to_dict()
            row["evidence"].pop("seconds")
            rows[case] = row
        return rows

    _prepare_text.cache_clear()
    cold = verdicts(cases)
    assert verdicts(cases[::-1]) == cold  # warm
    _prepare_text.cache_clear()
    assert verdicts(cases[::-1]) == cold


def test_threads_do_not_disturb_each_other_or_the_callers_precision() -> None:
    right = (r"\frac{x}{2}\sqrt{1-x^2}+\frac12\arcsin x", r"\sqrt{1-x^2}")
    wrong = (r"\frac{x}{2}\sqrt{1-x^2}-\frac12\arcsin x", r"\sqrt{1-x^2}")
    tiny = (r"x^2/2+10^{-200}x", "x")
    jobs = [right, wrong, tiny] * 40
    ctx.prec = 53
    with ThreadPoolExecutor(8) as pool:
        statuses = list(pool.map(lambda job: verify_antiderivative(*job).status, jobs))
    assert statuses == [Status.CORRECT, Status.INCORRECT, Status.INCORRECT] * 40
    assert ctx.prec == 53


def test_works_off_the_main_thread_with_special_functions() -> None:
    statuses: list[Status] = []
    thread = threading.Thread(
        target=lambda: statuses.append(
            verify_antiderivative(r"\operatorname{Li}_2(x)", r"-\frac{\ln(1-x)}{x}").status
        )
    )
    thread.start()
    thread.join()
    assert statuses == [Status.CORRECT]


def test_a_small_domain_is_searched_if_the_candidates_are_few(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pools, "candidates", lambda _: iter([(0.3, True), (7.0, True)]))
    pool = prepare(r"\sqrt{1-4x^2}", "x", None).pool(Conventions(), 0)
    assert [float(point.x.real) for point in pool.take(1)] == [0.3]
    assert (len(pool.take(4)), pool.tier) == (4, "real")


def test_the_evidence_says_why() -> None:
    accepted = verify_antiderivative(r"\sin(x^2)+C", r"2x\cos(x^2)").evidence
    assert accepted.points >= 1
    assert accepted.digits > 15
    assert accepted.coverage == 1.0
    refuted = verify_antiderivative(r"\sin(x^2)+C", r"2x\sin(x^2)").evidence
    assert refuted.witness is not None
    assert refuted.witness.expected != refuted.witness.got
    branch = verify_antiderivative(r"-2\sqrt{1-\sin x}", r"\sqrt{1+\sin x}")
    assert branch.correct
    assert branch.evidence.coverage is not None
    assert branch.evidence.coverage < 1
    assert "branch" in branch.evidence.flags
    secant = verify_antiderivative(r"\operatorname{arcsec}x", r"\frac{1}{x\sqrt{x^2-1}}").evidence
    principal = verify_antiderivative(r"\frac34xe^{\ln(x)/3}", "x^{1/3}").evidence
    assert (principal.flags, principal.proof) == (("principal_roots",), "identity")
    assert (secant.flags, secant.coverage) == (("textbook_secants",), 1.0)  # preferred to a branch
    both = verify_antiderivative(
        r"\operatorname{arcsec}x-\frac23(-x)^{3/2}+x",
        r"\frac{1}{x\sqrt{x^2-1}}+\sqrt{-x}+\frac{x+5}{\sqrt{(x+5)^2}}",
    )
    assert both.correct
    assert both.evidence.flags == ("textbook_secants", "branch")
    jumps = verify_antiderivative(
        r"\frac{2}{\sqrt3}\arctan\frac{\tan(x/2)}{\sqrt3}", r"\frac{1}{2+\cos x}"
    )
    assert jumps.correct
    assert "discontinuous" in jumps.evidence.flags
    # the gamma function has poles on the left of 0
    jumps = verify_antiderivative(r"\arctan(\Gamma(x))", r"\frac{\Gamma(x)\psi(x)}{1+\Gamma(x)^2}")
    assert (jumps.correct, jumps.evidence.flags) == (True, ("discontinuous",))


def test_undecided_is_scored_as_the_caller_chooses() -> None:
    case = (r"\arcsin(10x)+x^{5000}", r"\frac{10}{\sqrt{1-100x^2}}")
    assert verify_antiderivative(*case).status is Status.UNDECIDED
    assert verify_antiderivative(*case).reward == 0.0
    assert verify_antiderivative(*case, undecided_reward=0.25).reward == 0.25


@pytest.mark.parametrize(
    ("integrand", "bare"),
    [
        (r"\int \frac{dx}{1+x^2}", r"\frac{1}{1+x^2}"),
        (r"\int \frac{x\,dx}{1+x^2}", r"\frac{x}{1+x^2}"),
        (r"$\displaystyle\int 2x\cos(x^2)\,\mathrm{d}x$", r"2x\cos(x^2)"),
        (r"\int dx", "1"),
        (r"\[\int \sqrt{c + d x}\, d x\]", r"\sqrt{c + d x}"),
        (r"\int \frac{dx}{c + d x}", r"\frac{1}{c + d x}"),
        (r"x^2\,dx", "x^2"),
        ("x^2 dx", "x^2"),
        ("c + d x", "d x + c"),
        ("b d x", "d b x"),
        ("∫ x e^x dx", "x e^x"),
    ],
)
def test_an_integral_sign_and_a_differential_are_not_the_integrand(
    integrand: str, bare: str
) -> None:
    written, expected = prepare(integrand, "x", None), prepare(bare, "x", None)
    assert written.symbols == expected.symbols
    points = expected.pool(Conventions(), 0).take(4)
    with precision(BASE_BITS):
        for point in points:
            values = expected.pool(Conventions(), 0).values
            tape = written.tape(Conventions())
            value = tape.run(point.x, values, derivative=False)[tape.root][0]
            assert value.overlaps(expected.pool(Conventions(), 0).f(point, BASE_BITS))


@pytest.mark.parametrize(
    ("answer", "integrand", "status"),
    [
        ("x", "1", Status.CORRECT),
        ("$x$", "1", Status.CORRECT),
        ("C", "0", Status.CORRECT),
        ("$C$", "0", Status.CORRECT),
        ("C", "x", Status.INCORRECT),
        ("t", "1", Status.INCORRECT),
    ],
)
def test_a_text_that_is_one_letter_is_an_answer(
    answer: str, integrand: str, status: Status
) -> None:
    assert verify_antiderivative(answer, integrand).status is status


def test_points_that_tell_no_branch_do_not_count() -> None:
    # Far out the radical's share is below the digits compared, so both its signs seem to hold.
    f = r"1+\frac{10x}{\sqrt{x^2+1}}\operatorname{sech}^2(10\sqrt{x^2+1})"
    assert verify_antiderivative(r"x+\tanh(10\sqrt{x^2+1})", f).correct
    wrong = verify_antiderivative(r"x-\tanh(10\sqrt{x^2+1})", f)
    assert wrong.status is Status.INCORRECT
    assert "another value of a root" in wrong.evidence.detail


@pytest.mark.parametrize(
    ("answer", "integrand", "status"),
    [
        (r"\ln|e^{2ix}+1|+x\tan x", r"x\sec^2 x", "correct"),
        (r"\ln|x+i|", r"\frac{x}{x^2+1}", "correct"),
        (r"\ln|x+i|+x^2", r"\frac{x}{x^2+1}", "incorrect"),
        (r"\ln|x-i|", r"\frac{2x}{x^2+1}", "incorrect"),
    ],
)
def test_bars_around_what_is_not_real(answer: str, integrand: str, status: str) -> None:
    assert verify_antiderivative(rf"\boxed{{{answer}}}", integrand).status == status


@pytest.mark.parametrize("scale", [1, 3, 40, 500])
def test_what_can_be_computed_near_the_origin_only_is_decided_there(scale: int) -> None:
    """Further out tanh is 1 to more digits than are computed, and artanh has no value."""
    u = rf"\tanh({scale}x^3)"
    f = rf"{3 * scale}x^2\sqrt{{{u}}}"
    right = rf"\operatorname{{artanh}}(\sqrt{{{u}}})-\arctan(\sqrt{{{u}}})"
    assert verify_antiderivative(right, f).status is Status.CORRECT
    assert verify_antiderivative(right + r"+\frac{x}{9}", f).status is Status.INCORRECT


def test_a_branch_is_indifferent_where_the_rest_is_astronomical() -> None:
    """At x = 70 no digit of the root is visible beside e^{2e^x}: such points show no branch."""
    f = r"4e^x e^{2e^x}-\frac{3x}{\sqrt{x^2+7}}"
    wrong = r"2e^{2e^x}+3\sqrt{x^2+7}"
    assert verify_antiderivative(wrong, f).status is Status.INCORRECT


def test_more_points_are_taken_where_the_first_cannot_be_computed() -> None:
    p = r"-2 x^{3} - 6 x^{2} + 4 x - 4"  # positive for x < -3.7 only, and soon in the hundreds
    u = rf"\sqrt{{\tanh\left({p}\right)}}"
    f = rf"\left(-6 x^{{2}} - 12 x + 4\right) {u}"
    right = [
        rf"\operatorname{{artanh}}\left({u}\right) - \arctan\left({u}\right) + {n}"
        for n in range(1, 9)
    ]
    assert all(verify_antiderivative(answer, f).status is Status.CORRECT for answer in right)


@pytest.mark.parametrize(
    ("integral", "answer", "status"),
    [
        (r"\int |x|\,dx, x > 0", r"\frac{x^2}{2}", Status.CORRECT),
        (r"\int |x|\,dx, x \ge 0", r"\frac{x^2}{2}", Status.CORRECT),
        (r"$\int |x|\,dx$ for $x < 0$", r"-\frac{x^2}{2}", Status.CORRECT),
        (
            r"\int \frac{1}{x\sqrt{x^2+1}}\,dx, x > 0",
            r"-\operatorname{arsinh}(1/x)",
            Status.CORRECT,
        ),
        (r"\int x\,dx, x > 0", r"\frac{x^2}{2} + |x| - x", Status.CORRECT),
        (r"\int |x|\,dx, x > 0", r"-\frac{x^2}{2}", Status.INCORRECT),
        (r"\int a|x|\,dx, x < 0", r"-x^2", Status.INCORRECT),
        (r"\int |x|\,dx", r"\frac{x^2}{2}", Status.INCORRECT),
        (r"\int |x-1|\,dx, 0 < x < 1", r"x - \frac{x^2}{2}", Status.CORRECT),
        (r"\int |x-1|\,dx, 0 < x < 1", r"\frac{x^2}{2} - x", Status.INCORRECT),
        (r"\int \sqrt{(x-a)^2}\,dx, x<a", r"ax-\frac{x^2}{2}", Status.CORRECT),
        (r"\int \sqrt{(x-a)^2}\,dx, x<a", r"\frac{x^2}{2}-ax", Status.INCORRECT),
        (r"\int \frac{1}{x}\,dx, x>3", r"\ln(x-3)", Status.INCORRECT),
        # right for negative x only
        (r"\int \frac{dx}{x\sqrt{x^2-1}}", r"\arcsin\frac1x", Status.CORRECT),
        (r"\int \frac{dx}{x\sqrt{x^2-1}}, x>1", r"\arcsin\frac1x", Status.INCORRECT),
        (r"\int \frac{dx}{x\sqrt{x^2-1}}, x>1", r"\arccos\frac1x", Status.CORRECT),
        (r"\int \frac{dx}{x\sqrt{x^2-1}}, x<-1", r"\arcsin\frac1x", Status.CORRECT),
    ],
)
def test_stated_bounds_of_the_variable_count(integral: str, answer: str, status: Status) -> None:
    verdict = verify_antiderivative(rf"$\boxed{{{answer}}}$", integral)
    assert verdict.status is status
    if status is Status.INCORRECT and "x < 0" in integral:
        assert verdict.evidence.witness is not None
        assert "x = -" in str(verdict.evidence.witness)


def test_what_the_whole_line_decides_is_not_judged_again_between_bounds() -> None:
    """The evidence is about x itself, for a certificate."""
    for answer, proof in (("x^2", "witness"), (r"\frac{x^2}{2}", "identity")):
        assert certify(rf"$\boxed{{{answer}}}$", r"\int x\,dx, x > 0")["kind"] == proof


def test_a_witness_between_bounds_has_the_values_at_x() -> None:
    verdict = verify_antiderivative(r"$\boxed{2x^2}$", r"\int |x|\,dx, 2 < x < 3")
    witness = verdict.evidence.witness
    assert witness is not None
    x, expected, got = map(arb, (witness.point.split("=")[1], witness.expected, witness.got))
    assert 2 < x < 3
    assert expected.overlaps(x)
    assert got.overlaps(4 * x)


def test_coverage_is_the_share_of_points_on_the_principal_branch() -> None:
    evidence = verify_antiderivative(r"$\boxed{\frac{x^2}{2}}$", r"\sqrt{x^2}").evidence
    assert evidence.coverage == pytest.approx(0.5, abs=0.1)


@pytest.mark.parametrize("sign", ["", "-"])
def test_a_constant_of_integration_may_be_huge(sign: str) -> None:
    answer = rf"$\boxed{{\frac{{x^2}}{{2}}+x\max(0,{sign}C-10^{{20}})}}$"
    assert verify_antiderivative(answer, "x").status is Status.INCORRECT


def test_an_answer_that_is_too_large_is_undecided() -> None:
    answer = r"\sum_{k=1}^{2400}\sin\sin\sin kx"
    assert verify_antiderivative(rf"$\boxed{{{answer}}}$", "x").status is Status.UNDECIDED


def test_an_answer_that_was_undecided_for_want_of_work_is_judged_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answer, f = r"$\boxed{\sin x}$", r"\sqrt{1-\sin^2 x}+0"
    with monkeypatch.context() as patch:
        patch.setattr("calculus_harness.rewards.numeric.outcome.BUDGET", 0)
        assert verify_antiderivative(answer, f).status is Status.UNDECIDED
    assert verify_antiderivative(answer, f).correct


def test_a_verdict_on_a_half_line_has_no_certificate() -> None:
    for answer in (r"-\frac{x^2}{2}", "-x^2"):
        with pytest.raises(NoCertificateError, match="sign of the variable"):
            certify(rf"$\boxed{{{answer}}}$", r"\int |x|\,dx, x < 0")


def test_a_variable_of_whole_numbers_is_refused() -> None:
    with pytest.raises(ProblemError, match="cannot be integer"):
        verify_antiderivative(r"$\boxed{x}$", "1", variable="x", assumptions={"x": "integer"})
