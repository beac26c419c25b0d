"""Definite integrals: verdicts on answers, against the integral itself."""

import pytest

from calculus_harness.rewards import ProblemError, Status, verify_definite_integral
from calculus_harness.rewards.numeric.quadrature import QuadratureError, evaluate, prepare_definite

RIGHT = [
    (r"\int_0^1 \frac{dx}{1+x^2}", r"\frac{\pi}{4}"),
    (r"\int\limits_{0}^{0.5} x\,dx", r"\frac18"),
    (r"I=\int^1_0 dx\, x^2", r"I = \frac13."),
    (r"\int_0^\infty e^{-x^2} dx", r"\frac{\sqrt{\pi}}{2}"),
    (r"\int_0^\infty \frac{\ln x}{1+x^2}\,dx", "0"),
    (r"\int_0^1 x^{-9/10} dx", "10"),
    (r"\int_0^\infty \frac{\sin x}{x} dx", r"\frac{\pi}{2}"),
    (r"\int_0^\infty \sin(x^2) dx", r"\sqrt{\frac{\pi}{8}}"),
    (r"\int_0^\infty \frac{\cos 5x}{x^2+49} dx", r"\frac{\pi}{14}e^{-35}"),
    (r"\int_0^\infty J_0(x) dx", "1"),
    (r"\int_{0}^{\infty} e^{-1 x} \cos\left(5 x\right) \, dx", r"\frac{1}{1^{2} + 5^{2}}"),
    (r"\int_0^\infty \frac{\cos 5x}{\cosh x} dx", r"\frac{\pi}{2\cosh\frac{5\pi}{2}}"),
    (r"\int_0^\infty \frac{\sin 7x}{e^x-1} dx", r"\frac{\pi}{2}\coth 7\pi-\frac{1}{14}"),
    (r"\int_{-\infty}^\infty e^{-x^2}\cos 12x\,dx", r"\sqrt{\pi}e^{-36}"),
    (r"\int_0^\infty e^{-3x} J_0(20x) dx", r"\frac{1}{\sqrt{409}}"),
    (r"\int_0^3 |x^2-3x+2| dx", r"\frac{11}{6}"),
    (r"\int_0^2 \lfloor x^2 \rfloor dx", r"5-\sqrt2-\sqrt3"),
    (r"\int_{-2}^{2} \max(x, x^2) dx", r"\frac{11}{2}"),
    (
        r"\int_0^a\begin{cases}x&x<1\\2&x\ge1\end{cases}\,dx",
        r"\begin{cases}a^2/2&a<1\\2a-3/2&a\ge1\end{cases}",
    ),
    (r"\int_0^\infty\begin{cases}1&x<1\\e^{-x}&x\ge1\end{cases}\,dx", "1+1/e"),
    (r"\int_0^\infty e^{-ax}\cos(bx) dx", r"\frac{a}{a^2+b^2}"),
    (r"\int_0^\infty \frac{\sin ax}{x}dx", r"\frac{\pi}{2}\operatorname{sgn}(3a)"),
    (
        r"\int_0^{\pi}\ln(1-2a\cos x+a^2)\,dx",
        r"\begin{cases} 0 & |a|<1\\ 2\pi\ln|a| & |a|>1\end{cases}",
    ),
    (r"\int_0^\infty \frac{dx}{x^2+a^2}", r"\frac{\pi}{2|a|}, \quad a \neq 0"),
    (r"\int_0^\infty x^{a-1}e^{-x}dx", r"\Gamma(a), \quad \Re a > 0"),
    (r"\int_1^0 x dx", r"-\frac12"),
    (r"\int_0^1 \frac{\arctan x}{x} dx", "G"),
    (r"\mathrm{PV}\int_{-1}^{2} \frac{dx}{x}", r"\ln 2"),
    (r"\text{p.v.}\int_0^\infty \frac{\cos x}{1-x^2} dx", r"\frac{\pi}{2}\sin 1"),
    (r"\int_1^\infty \frac{dx}{x}", r"\infty"),
    (r"\int_1^\infty \frac{dx}{x}", r"\text{diverges}"),
    (r"\int_{-1}^1 \frac{dx}{x}", r"\text{The integral does not converge}"),
    (r"\int_0^\infty \sin x\,dx", r"\text{divergent}"),
    (r"\int_2^\infty \frac{dx}{x\ln x}", r"+\infty"),
]
WRONG = [
    (r"\int_0^1 \frac{dx}{1+x^2}", r"\frac{\pi}{3}"),
    (r"\int_0^1 \frac{dx}{1+x^2}", "0.785398163397448309615660845819875721"),
    (r"\int_0^1 \frac{dx}{1+x^2}", r"\frac{\pi}{4}+10^{-40}"),
    (r"\int_0^1 \frac{dx}{1+x^2}", r"\text{diverges}"),
    (r"\int_0^2\begin{cases}x&x<1\\2&x\ge1\end{cases}\,dx", "3"),
    (r"\int_0^1\begin{cases}1&\sin(1/x)>0\\0&\text{otherwise}\end{cases}\,dx", "1/2"),
    (r"\int_0^1 \frac{dx}{1+x^2}", r"\infty"),
    (r"\int_0^\infty e^{-ax}\cos(bx) dx", r"\frac{b}{a^2+b^2}"),
    (r"\int_0^\infty e^{-ax}\cos(bx) dx", r"\frac{a}{a^2+b^2+c}"),
    (r"\int_1^\infty \frac{dx}{x}", r"-\infty"),
    (r"\int_1^\infty \frac{dx}{x}", "5"),
    (r"\int_{-1}^1 \frac{dx}{x}", r"\infty"),
    (r"\int_{-1}^1 \frac{dx}{x}", "0"),
    (r"\int_0^\infty \frac{\sin x}{x} dx", r"\frac{\pi}{2}\left(1+10^{-22}\right)"),
    (r"\int_0^\infty \frac{\sin(1/x)}{x^{3/2}} dx", r"\text{\int diverges}"),
]


@pytest.mark.parametrize(("problem", "answer"), RIGHT)
def test_right_answers_are_correct(problem, answer):
    verdict = verify_definite_integral(rf"So $\boxed{{{answer}}}$", problem)
    assert verdict.correct, verdict


@pytest.mark.parametrize(("problem", "answer"), WRONG)
def test_wrong_answers_are_not_correct(problem, answer):
    verdict = verify_definite_integral(rf"So $\boxed{{{answer}}}$", problem)
    assert not verdict.correct, verdict


@pytest.mark.parametrize(
    "answer",
    [
        r"\int_0^1 \frac{dx}{1+x^2}",
        r"\sum_{n=0}^\infty \frac{(-1)^n}{2n+1}",
        r"\lim_{t\to1}\arctan t",
    ],
)
def test_an_integral_or_a_limit_is_no_closed_form(answer):
    verdict = verify_definite_integral(rf"\boxed{{{answer}}}", r"\int_0^1 \frac{dx}{1+x^2}")
    assert verdict.status is Status.NOT_CLOSED_FORM


def test_words_without_a_formula_may_say_that_it_diverges():
    problem = r"\int_0^1 \frac{dx}{x}"
    assert verify_definite_integral("Hence the integral diverges.", problem).correct
    assert not verify_definite_integral("The integral does not diverge.", problem).correct
    assert not verify_definite_integral("It diverges.", problem, strict=True).correct


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"answer": "\\\\frac{\\\\pi}{4}", "numerical_answer": "0.785"}\n```',
        '{"numerical_answer": 0.785, "answer": "\\frac{\\pi}{4}"}',
        '<think>{"answer": "1"}</think> {"answer": "$\\\\pi/4$", "numerical_answer": 0.7}',
    ],
)
def test_the_answer_may_be_an_entry_of_a_json_object(text):
    assert verify_definite_integral(text, r"\int_0^1 \frac{dx}{1+x^2}").correct


def test_evidence_says_how_the_value_was_got():
    def method(problem, answer):
        return verify_definite_integral(rf"\boxed{{{answer}}}", problem).evidence.method

    assert method(r"\int_0^1 x\,dx", r"\frac12") == "enclosure"
    assert method(r"\int_0^1 \frac{dx}{\sqrt x}", "2") == "enclosure"
    assert method(r"\int_0^\infty \frac{\sin x}{x} dx", r"\frac{\pi}{2}") == "enclosure"
    zeta = r"\frac{\pi^2}{6}-1"
    assert method(r"\int_0^1 \operatorname{Li}_2(x)\,dx", zeta) == "two quadratures"
    assert method(r"\int_0^\infty J_0(x)\,dx", "1") == "extrapolation"
    assert method(r"\int_0^1 \frac{dx}{x}", r"\infty") == "divergence"


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        (r"\int x\,dx", "no lower and no upper limit"),
        (r"x^2", "no integral sign"),
        (r"\int_0^1\int_0^1 xy\,dx\,dy", "more than one integral"),
        (r"\int_0^x x\,dx", "holds the variable"),
        (r"\int_0^1 \frac{\,dx", "unreadable"),
        ("", "unreadable"),
        (r"\int_{-2}^{1} \sqrt{x}\,dx", r"not real at x = -1\.99"),
        (r"\int_{-\infty}^0 \ln x\,dx", "the integrand is not real"),
        (r"\int_0^a \sqrt{a-2x}\,dx", "the integrand is not real"),
        (r"\int_0^1 \frac{dx}{x-x}", "has no value between the limits"),
        (r"\int_0^{\ln(-1)} x\,dx", "a limit of integration is not a real number"),
        (r"\int_0^{i} x\,dx", "a limit of integration is not a real number"),
        (r"\int_0^1 e^{ix}\,dx", "the integrand is not real"),
    ],
)
def test_a_problem_that_cannot_be_used_is_one_clear_error(problem, message):
    with pytest.raises(ProblemError, match=message):
        verify_definite_integral(r"\boxed{1}", problem)


def test_a_reference_that_the_integral_refutes_is_an_error():
    problem = r"\int_0^1 x\,dx"
    assert verify_definite_integral(r"\boxed{\frac12}", problem, reference=r"\frac12").correct
    with pytest.raises(ProblemError, match="refutes the reference"):
        verify_definite_integral(r"\boxed{\frac12}", problem, reference=r"\frac13")
    with pytest.raises(ProblemError, match="converges"):
        verify_definite_integral(r"\boxed{\frac12}", problem, reference="diverges")


def test_an_infinity_is_a_reference_of_a_divergent_integral():
    problem = r"\int_1^\infty\frac{dx}{x}"
    for reference in (r"\infty", "diverges", r"+\infty"):
        assert verify_definite_integral(r"\boxed{\infty}", problem, reference=reference).correct
    with pytest.raises(ProblemError, match="diverges"):
        verify_definite_integral(r"\boxed{\infty}", problem, reference=r"-\infty")


def test_a_reference_stands_in_for_a_complex_integral():
    problem, value = r"\int_0^{\pi} e^{ix}\,dx", "2i"
    assert verify_definite_integral(r"\boxed{2i}", problem, reference=value).correct
    assert not verify_definite_integral(r"\boxed{2}", problem, reference=value).correct


def test_a_parameter_may_leave_the_domain_for_some_values():
    problem, right = r"\int_0^{1} \sqrt{a-x}\,dx", r"\frac23\left(a^{3/2}-(a-1)^{3/2}\right)"
    assert verify_definite_integral(rf"\boxed{{{right}}}", problem).correct


def test_a_reference_stands_in_where_the_integral_cannot_be_computed():
    problem = r"\int_1^\infty \frac{\{x\}-\frac12}{\sqrt x}\,dx"
    right = r"\boxed{2\zeta\left(-\frac12\right)+\frac13}"
    assert verify_definite_integral(right, problem).status is Status.UNDECIDED
    verdict = verify_definite_integral(right, problem, reference=r"\frac{1+6\zeta(-\frac12)}{3}")
    assert verdict.correct
    assert verdict.evidence.method == "reference"


def test_a_sympy_integral_is_a_problem():
    sympy = pytest.importorskip("sympy")
    x = sympy.Symbol("x")
    problem = sympy.Integral(sympy.exp(-(x**2)), (x, 0, sympy.oo))
    assert verify_definite_integral(r"\boxed{\frac{\sqrt\pi}{2}}", problem).correct


@pytest.mark.parametrize(
    ("problem", "answer"),
    [
        (r"\int_0^1 x\,dx", r"\frac{1^{2}}{2}"),
        (r"\int_0^1 x\,dx", r"\frac{1^{7+1}}{2}"),
        (r"\int_0^1 x\,dx", r"\frac12+0\cdot\pi"),
        (r"\int_0^1 x\,dx", r"\frac12 \cdot \pi^0"),
        (r"\int_0^1 x\,dx", r"\frac{1}{2}\sin^2(2)+\frac12\cos^2(2)"),
        (r"\int_0^\infty \frac{\cos 5x}{x^2+25} dx", r"\frac{\pi}{10}e^{-25}"),
        (r"\int_0^{2\pi} \sin x\,dx", r"\cos(2\pi)-1"),
    ],
)
def test_numbers_without_effect_on_a_right_answer(problem, answer):
    verdict = verify_definite_integral(rf"\boxed{{{answer}}}", problem)
    assert verdict.status in ("correct", "undecided"), verdict
    if "sin^2" not in answer:
        assert verdict.correct, verdict


def test_terms_of_a_sum_are_integrated_one_by_one():
    """The whole sum is not computed: sin x/x oscillates, and K_0 has no enclosure."""
    problem = r"\int_0^\infty \left(\frac{\sin x}{x} + K_0(x)\right) dx"
    verdict = verify_definite_integral(r"$\boxed{\pi}$", problem)
    assert verdict.correct
    assert verdict.evidence.method == "two quadratures"
    assert not verify_definite_integral(r"$\boxed{\frac{\pi}{2}}$", problem).correct


def test_a_sum_with_a_term_that_diverges_alone_is_not_decided_by_its_terms():
    """The divergence of 1/(x + 1) could cancel, so it proves nothing about the sum."""
    problem = r"\int_0^\infty \left(\frac{\sin x}{x} + K_0(x) + \frac{1}{x+1}\right) dx"
    with pytest.raises(QuadratureError):
        evaluate(prepare_definite(problem), {}, 30)


def test_a_tiny_number_is_not_accepted_for_zero():
    assert verify_definite_integral(r"\boxed{0}", r"\int_{-1}^1 x^3\cos x\,dx").correct
    tiny = verify_definite_integral(r"\boxed{e^{-e^{e^e}}}", r"\int_{-1}^1 x^3\cos x\,dx")
    assert tiny.status is Status.UNDECIDED
    assert verify_definite_integral(r"\boxed{e^{-200}}", r"\int_{200}^\infty e^{-x}\,dx").correct


@pytest.mark.parametrize(
    "tiny",
    [r"e^{-10^9}", r"10^{-300}", r"\operatorname{erfc}(100)", r"(1-\tanh(1000))", "2^{-999}"],
)
def test_a_term_too_small_to_be_seen_is_not_accepted(tiny):
    verdict = verify_definite_integral(rf"\boxed{{\frac12+{tiny}}}", r"\int_0^1 x\,dx")
    assert not verdict.correct, verdict


@pytest.mark.slow
def test_slow_functions_have_a_budget():
    """At 240 digits 13,440 Bessel functions of 2,160 bits would take a minute."""
    integral = prepare_definite(r"\int_0^\infty \frac{J_0(x)\sin 2x}{1+x^2}\,dx")
    with pytest.raises(QuadratureError, match="more work than is allowed"):
        evaluate(integral, {}, 240)


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (r"\boxed{\frac12\ \text{J}}", Status.CORRECT),
        (r"\boxed{0.5\text{ m/s}}", Status.CORRECT),
        (r"\boxed{\frac12\ \mathrm{kg\,m^2}}", Status.CORRECT),
        (r"\boxed{1\,\mathrm{m}}", Status.INCORRECT),
        (r"\boxed{\frac12\text{ km}}", Status.UNPARSEABLE),
    ],
)
def test_a_unit_behind_a_value(answer: str, status: Status) -> None:
    assert verify_definite_integral(answer, r"\int_0^1 x\,dx").status is status


@pytest.mark.parametrize(
    ("integral", "right", "wrong"),
    [
        (r"\int_0^1\lfloor 1+x+10^{-30}\rfloor\,dx", r"1+10^{-30}", "1"),
        (r"\int_0^1\lfloor 1+x+\pi10^{-25}\rfloor\,dx", r"1+\pi10^{-25}", "1"),
        (r"\int_0^1\max(0,x+10^{-40}-1)\,dx", r"\frac12 10^{-80}", "0"),
        (r"\int_{10^{17}}^{10^{17}+1}|x-\frac12-10^{17}|\,dx", r"\frac14", r"\frac12"),
        (r"\int_{10^9}^{10^9+1}\lfloor x+10^{-18}\rfloor\,dx", r"10^9+10^{-18}", r"10^9"),
        (r"\int_0^1\max(10^{20}+x,10^{20}+1-x)\,dx", r"10^{20}+\frac34", r"10^{20}+\frac12"),
        (r"\int_0^{\lceil 2\rceil}1\,dx", "2", "3"),
    ],
)
def test_kinks_that_floats_do_not_keep_apart(integral: str, right: str, wrong: str) -> None:
    assert verify_definite_integral(rf"\boxed{{{right}}}", integral).correct
    assert verify_definite_integral(rf"\boxed{{{wrong}}}", integral).status is Status.INCORRECT
