"""Verdicts on sums and questions about power series."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculus_harness.benchmarks.calculus_course.bank import Entry, entries
from calculus_harness.benchmarks.calculus_course.sums import drawn, latex_of
from calculus_harness.benchmarks.hashed_random import HashedRandom
from calculus_harness.harness.studies.redteam.case import case_at
from calculus_harness.harness.studies.redteam.questions.sums import wrong_answers
from calculus_harness.rewards import ProblemError, Status, verify_sum
from calculus_harness.rewards.numeric.summation.choices import choices
from calculus_harness.rewards.reading.expression.build import add, number
from calculus_harness.rewards.reading.expression.traversal import fold, substitute
from calculus_harness.rewards.reading.expression.tree import Symbol
from calculus_harness.rewards.reading.problem.power_series import asks_of_series
from calculus_harness.rewards.reading.problem.sums import read_sum

from ...examples import examples

BASEL = r"\sum_{n=1}^{\infty} \frac{1}{n^2}"
SINE = r"Taylor polynomial of degree 4 about $x=0$ of $\sin x$"
#: Near misses of the bank, of which none may be accepted.
NEAR_MISSES = 1_000


def status(text: str, answer: str) -> Status:
    return verify_sum(rf"so it is $\boxed{{{answer}}}$", text).status


@pytest.mark.parametrize("entry", entries("sums"), ids=lambda entry: entry.id)
def test_the_bank_is_right(entry: Entry) -> None:
    verdict = verify_sum(rf"$\boxed{{{entry.answer}}}$", entry.question)
    assert verdict.correct, verdict
    strict = verify_sum(rf"$\boxed{{{entry.answer}}}$", entry.question, accept="proof")
    assert strict.correct == (verdict.evidence.proof != "agreement")


def test_near_misses_of_the_bank_are_never_accepted() -> None:
    tried = 0
    for round_ in range(20):
        for entry in entries("sums"):
            rng = HashedRandom("near misses", round_, entry.id)
            for wrong in rng.shuffled(wrong_answers(rng, entry.question, entry.answer))[:3]:
                assert status(entry.question, wrong) is not Status.CORRECT, (entry, wrong)
                tried += 1
        if tried >= NEAR_MISSES:
            return
    raise AssertionError(f"only {tried} near misses")


def test_a_binomial_coefficient_that_vanishes_below_60_is_seen() -> None:
    """Beside a factorial, no digits show the binomial coefficient; exact numbers do."""
    text = r"\sum_{k=1}^{n} k\, k!"
    assert status(text, r"(n+1)!-1+\binom{n}{60}") is Status.INCORRECT
    assert status(text, r"(n+1)!-1+\binom{n}{1000}") is Status.UNDECIDED


@pytest.mark.parametrize(
    ("text", "answer", "expected"),
    [
        (BASEL, r"\zeta(2)", Status.CORRECT),
        (BASEL, r"\frac{\pi^2}{8}", Status.INCORRECT),
        (BASEL, "1.644934066848", Status.INCORRECT),
        (BASEL, BASEL, Status.NOT_CLOSED_FORM),
        (BASEL, r"1+\frac14+\frac19+\cdots", Status.NOT_CLOSED_FORM),
        (BASEL, r"\text{diverges}", Status.INCORRECT),
        (BASEL, r"\frac{\pi^2}{6}+e^{-e^{e^e}}", Status.UNDECIDED),
        (BASEL, r"\frac{\pi^2}{6}+x", Status.INCORRECT),
        (r"\sum_{n=0}^{\infty} \frac{n^2-2}{n!}", "0", Status.CORRECT),
        (r"\sum_{n=0}^{\infty} \frac{n^2-2}{n!}", r"e^{-e^{e^e}}", Status.UNDECIDED),
        (r"\sum_{k=1}^{4} k", "10", Status.CORRECT),
        (r"\sum_{k=1}^{4} k", "1+2+3+4", Status.NOT_CLOSED_FORM),
        (r"\sum_{k=1}^{4} k", "4+3+2+1", Status.NOT_CLOSED_FORM),
        (r"\sum_{k=1}^{4} k", r"\infty", Status.INCORRECT),
        (r"\sum_{n=1}^{\infty} \frac1n", r"\infty", Status.CORRECT),
        (r"\sum_{n=1}^{\infty} \frac1n", r"-\infty", Status.INCORRECT),
        (r"-\sum_{n=1}^{\infty} \frac1n", r"-\infty", Status.CORRECT),
        (r"\sum_{n=0}^{\infty} (-1)^n", r"\frac12", Status.INCORRECT),
        (r"\sum_{n=2}^{\infty} \frac{1}{n\ln n}", r"\text{diverges}", Status.CORRECT),
        (r"\sum_{n=2}^{\infty} \frac{1}{n\ln^2 n}", r"\text{diverges}", Status.INCORRECT),
        (r"\sum_{k=1}^{n} k + 1", r"\frac{n(n+1)}{2}+1", Status.CORRECT),
        (r"\sum_{k=1}^{n} k + 1", r"\frac{n(n+1)}{2}+n", Status.CORRECT),
        (r"\sum_{n=1}^{\infty} \frac{\sin(nx)}{n}", r"\frac{\pi-x}{2}", Status.CORRECT),
        (SINE, r"x-\frac{x^3}{6}+O(x^5)", Status.CORRECT),
        (SINE, r"x-\frac{x^3}{6}+o(x^4)", Status.CORRECT),
        (
            r"first three nonzero terms of the Maclaurin series of $\sin x$",
            r"x-\frac{x^3}{6}+\frac{x^5}{120}+\cdots",
            Status.CORRECT,
        ),
        (
            r"first three nonzero terms of the Maclaurin series of $\sin x$",
            r"x-\frac{x^3}{6}",
            Status.INCORRECT,
        ),
        # an empty sum, or minus the sum over what is between
        (r"\sum_{n=10}^{5} n", "0", Status.CORRECT),
        (r"\sum_{n=10}^{5} n", "-30", Status.CORRECT),
        (r"\sum_{n=10}^{5} n", "30", Status.INCORRECT),
        (r"\sum_{i=k}^{k-1} i^2", "1", Status.INCORRECT),
        (r"\sum_{i=j+k}^{k-1} i", r"-\frac{j(j+2k-1)}{2}", Status.CORRECT),
        (r"\sum_{m=-3/2}^{3/2} m^2", "5", Status.UNDECIDED),
        (r"\sum_{m=-\infty}^{\infty} x\delta_{m n}", "x", Status.CORRECT),
        (r"\sum_{m=-\infty}^{\infty} (-1)^m m\delta_{mn}", "(-1)^n n", Status.CORRECT),
        (r"\sum_{m=-\infty}^{\infty} (-1)^m m\delta_{mn}", "n", Status.INCORRECT),
        (r"\sum_{m=0}^{\infty} m^2\delta_{mn}", "n^2", Status.CORRECT),
        (r"\sum_{k=1}^{5} k^2\delta_{k3}", "9", Status.CORRECT),
        (r"\sum_{k=1}^{5} k^2\delta_{k7}", "49", Status.INCORRECT),
        (r"\sum_{k=1}^{N} k\delta_{kj}", "j", Status.INCORRECT),  # which may exceed N
        (r"\sum_{k=1}^{1000000} k", "500000500000", Status.CORRECT),
        (r"\sum_{k=1}^{1000000} k", "500000500001", Status.INCORRECT),
        (
            r"\sum_{k=0}^{10^{20}} \frac{1}{(k+1)(k+2)}",
            r"\frac{10^{20}+1}{10^{20}+2}",
            Status.CORRECT,
        ),
        (r"\sum_{k=1}^{n} \frac{1}{k}", r"\operatorname{harmonic}(n)", Status.CORRECT),
        (
            r"\sum_{n=1}^{M} A B^n",
            r"A \left(\begin{cases} M & \text{for}\: B = 1 "
            r"\\\frac{B - B^{M+1}}{1 - B} & \text{otherwise} \end{cases}\right)",
            Status.CORRECT,
        ),
        # longer than any fitted number, and proved all the same
        (
            r"\sum_{k=u}^{u+v+w-1} k",
            "+".join([r"\frac{(u+v+w-1)(u+v+w)}{2}", *["123456789u-123456789u"] * 12])
            + r"-\frac{u(u-1)}{2}",
            Status.CORRECT,
        ),
        (SINE, r"x-\frac{x^3}{6}+\cdots", Status.CORRECT),
        (SINE, r"x-\frac{x^3}{6}+O(x^4)", Status.INCORRECT),
        (SINE, r"x-\frac{x^3}{6}+O(x^6)", Status.INCORRECT),
        (SINE, r"x-\frac{x^3}{6}+\frac{x^5}{120}", Status.INCORRECT),
        (SINE, r"x+\frac{x^3}{6}", Status.INCORRECT),
        (SINE, r"\sin x", Status.INCORRECT),
        (SINE, r"\infty", Status.INCORRECT),
        (SINE, r"x-\frac{x^3}{6}+(x^{10})^5", Status.INCORRECT),
        (SINE, r"x-\frac{x^3}{6}+(x^{40})^{40}", Status.UNDECIDED),
        ("Radius of convergence of $\\sum_{n=0}^{\\infty} \\frac{x^n}{n!}$", "3", Status.INCORRECT),
        ("Radius of convergence of $\\sum_{n=1}^{\\infty} n x^n$", r"\infty", Status.INCORRECT),
        ("Radius of convergence of $\\sum_{n=1}^{\\infty} n x^n$", "R=1", Status.CORRECT),
        (
            r"Lagrange form of the remainder of degree 1 for $e^x$ about $x=0$",
            r"\frac{e^{\xi}x^2}{2}",
            Status.CORRECT,
        ),
        (
            r"Lagrange form of the remainder of degree 1 for $e^x$ about $x=0$",
            r"\frac{e^{\xi}x^3}{6}",
            Status.INCORRECT,
        ),
        (r"Coefficient of $x^n$ in the power series of $\frac{1}{1-2x}$", "n^2", Status.INCORRECT),
        (r"\sum_{n=0}^{\infty} x^{n}",
         r"\begin{cases} \frac{1}{1 - x} & \text{for}\: \left|{x}\right| < 1 "
         r"\\\sum_{n=0}^{\infty} x^{n} & \text{otherwise} \end{cases}", Status.CORRECT),
    ],
)  # fmt: skip
def test_statuses(text: str, answer: str, expected: Status) -> None:
    assert status(text, answer) is expected


@pytest.mark.parametrize(
    ("text", "right", "wrong"),
    [
        (r"\sum_{n=1}^\infty r^n, r>1", r"\infty", r"\frac{r}{1-r}"),
        (r"\sum_{k=0}^n |r-1|r^k, r>1", "r^{n+1}-1", "1-r^{n+1}"),
        (r"\sum_{k=0}^n |r-2|, r>2", "(n+1)(r-2)", "(n+1)(2-r)"),
        (r"\sum_{k=1}^n k, n>100", r"\frac{n(n+1)}{2}", r"\frac{n(n-1)}{2}"),
        (r"\sum_{k=1}^n |k-m|, m>n", r"mn-\frac{n(n+1)}{2}", r"\frac{n(n+1)}{2}-mn"),
        (r"\sum_{k=1}^n a|k-10|, n>19, a>1", r"\frac{an(n-19)}{2}+90a", "an(n-19)/2"),
    ],
)
def test_every_value_of_a_parameter_fits_its_conditions(text: str, right: str, wrong: str) -> None:
    assert status(text, right) is Status.CORRECT
    assert status(text, wrong) is Status.INCORRECT


@pytest.mark.parametrize(
    "addend",
    [
        "n" + "".join(f"(n-{k})(n-12-{k})" for k in range(1, 13)),
        "|n-30|+n-30",
        r"\max(0,n-12-12-6)",
        r"\max(n,e^4)-e^4",
        r"\max(n,30)-30",
        r"\begin{cases}0&\sqrt n<6\\1&\text{otherwise}\end{cases}",
        r"\sin\frac{\pi(5!)!}{n!}",
    ],
)
def test_a_coefficient_that_agrees_for_small_numbers_only_is_undecided(addend: str) -> None:
    text = r"Coefficient of $x^n$ in the power series of $\frac{1}{1-x}$"
    assert status(text, f"1+{addend}") is Status.UNDECIDED


def test_a_coefficient_may_have_cases() -> None:
    text = r"Coefficient of $x^n$ in the power series of $-\ln(1-x)$"
    for condition in (r"n\ge1", "n>0"):
        answer = rf"\begin{{cases}}\frac1n&{condition}\\0&\text{{otherwise}}\end{{cases}}"
        assert status(text, answer) is Status.CORRECT


def test_one_value_of_a_parameter_depends_on_the_answer() -> None:
    series = r"\sum_{k=0}^\infty \frac{a}{2^k}"
    drawn = [{values["a"] for values in choices(read_sum(series)[0], 0, text)} for text in "xy"]
    foreseen = sorted(drawn[0] & drawn[1])
    zeros = "".join(rf"(a-\frac{{{a.numerator}}}{{{a.denominator}}})" for a in foreseen)
    assert status(series, "2a") is Status.CORRECT
    assert status(series, f"2a+{zeros}") is Status.INCORRECT


def test_a_sentence_without_a_box_may_say_that_a_sum_diverges() -> None:
    text = r"\sum_{n=1}^{\infty} \frac{n}{n+1}"
    assert verify_sum("The terms do not tend to zero. So the series diverges.", text).correct


@pytest.mark.parametrize(
    ("term", "word"),
    [
        (r"\frac{(-1)^n}{\ln n}", "conditionally convergent"),
        (r"\frac{(-1)^{3n+1}}{n\ln n}", "conditionally convergent"),
        (r"(-1)^n(\sqrt{n+1}-\sqrt n)", "conditionally convergent"),
        (r"\frac{1}{(-1)^n\ln n}", "conditionally convergent"),
        (r"\frac{(-1)^{2n}}{\ln n}", "divergent"),
        (r"\frac{(-1)^n n}{n+1}", "divergent"),
        (r"\frac{(-1)^n}{n\ln^2 n}", "absolutely convergent"),
        (r"\frac{1}{n\ln(n)^{3/2}}", "absolutely convergent"),
    ],
)
def test_alternating_series(term: str, word: str) -> None:
    question = "absolutely convergent, conditionally convergent, or divergent"
    text = rf"Determine whether $\sum_{{n=2}}^{{\infty}} {term}$ is {question}."
    for answer in question.replace(" or", "").split(", "):
        status = verify_sum(rf"\boxed{{\text{{{answer}}}}}", text).status
        assert status is (Status.CORRECT if answer == word else Status.INCORRECT)


def test_iterated_logarithms_decide_convergence() -> None:
    for exponent, right in ((1, "diverges"), (2, "converges")):
        term = rf"\frac{{1}}{{n(\ln n)(\ln\ln n)^{exponent}}}"
        for answer in ("converges", "diverges"):
            expected = Status.CORRECT if answer == right else Status.INCORRECT
            text = rf"Does $\sum_{{n=3}}^\infty {term}$ converge?"
            assert status(text, rf"\text{{{answer}}}") is expected


def test_a_sum_does_not_both_converge_and_diverge() -> None:
    """The logarithm may be the logarithm of n (ln ln n)^2; then the sum diverges."""
    text = r"Does $\sum_{n=3}^\infty \frac{1}{n\ln n(\ln\ln n)^2}$ converge?"
    assert status(text, r"\text{converges}") is Status.CORRECT
    assert status(text, r"\text{diverges}") is Status.UNDECIDED


def test_the_convergence_of_a_sum_may_need_a_proof() -> None:
    for term in (r"\frac{(-1)^n}{n^2}", r"\frac{(-1)^n}{\ln n}"):
        text = rf"Does $\sum_{{n=2}}^\infty {term}$ converge?"
        assert verify_sum(r"\boxed{\text{converges}}", text, accept="proof").correct


@pytest.mark.parametrize(
    "term",
    [
        r"\frac{a}{\ln n}",
        "(-1)^n n!!",
        r"\lfloor\sin n\rfloor",
        r"\frac{1}{(n+20)\ln(n+20)(\ln\ln(n+20))\ln\ln\ln(n+20)}",
    ],
)
def test_what_is_not_compared_may_diverge(term: str) -> None:
    for answer in ("converges", "diverges"):
        text = rf"Does $\sum_{{n=2}}^\infty {term}$ converge?"
        assert status(text, rf"\text{{{answer}}}") is Status.UNDECIDED


def test_leibniz_criterion_needs_monotone_terms_that_are_defined() -> None:
    """(-1)^n / (ln n + (-1)^n) is no monotone sequence with signs, and the series diverges."""
    ask = "Determine whether $%s$ is absolutely convergent, conditionally convergent, or divergent."
    for series in (
        r"\sum_{n=3}^\infty \frac{(-1)^n}{\ln n + (-1)^n}",
        r"\sum_{n=1}^\infty \frac{(-1)^n}{\ln n}",
    ):
        answer = r"\boxed{\text{conditionally convergent}}"
        assert verify_sum(answer, ask % series).status is Status.UNDECIDED


@pytest.mark.parametrize(
    "term", [r"\frac{1}{n}", r"\frac{1}{n-3}", r"\ln n", r"\sqrt{n-2}", r"\frac{1}{\sqrt{n}}"]
)
def test_a_series_whose_first_terms_are_not_defined_does_not_diverge(term: str) -> None:
    """Neither at 0, nor at a number where the term has a pole or is not real."""
    verdict = verify_sum(r"\boxed{\infty}", rf"\sum_{{n=0}}^{{\infty}} {term}")
    assert verdict.status is Status.UNDECIDED
    assert "not defined at" in verdict.evidence.detail
    assert verify_sum(r"\boxed{\infty}", rf"\sum_{{n=4}}^{{\infty}} {term}").correct


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x^2", "no sum sign"),
        (r"\sum_1^{\infty} n", "range of the index"),
        (r"\sum_{n=1}^{\infty} a_n", "term of a sequence"),
        (r"\sum_{n=1}^{\infty} f(n)", "function that the problem does not define"),
        (r"\sum_{n=1}^{\infty} \sum_{m=1}^{\infty} \frac{1}{nm}", "more than one sum"),
        (r"Taylor polynomial of $\sin x$ about $x=0$", "degree is missing"),
        (r"Taylor polynomial of degree 3 of $\ln x$", "point of the expansion is missing"),
        (r"Taylor polynomial of degree 3 about $x=0$ of $|x|$", "no Taylor series"),
        (r"Taylor polynomial of degree 99 about $x=0$ of $e^x$", "up to 40"),
        (r"Radius of convergence of $\sum_{n=1}^{\infty} \frac{1}{n}$", "variable"),
    ],
)
def test_unreadable_questions_give_one_clear_line(text: str, message: str) -> None:
    with pytest.raises(ProblemError, match=message) as raised:
        verify_sum(r"\boxed{1}", text)
    assert "\n" not in str(raised.value)


SUMS = [entry for entry in entries("sums") if not asks_of_series(entry.question)]


@given(st.sampled_from(SUMS), st.integers(-3, 5), st.sampled_from(["{}", "2({})", "{}+1"]))
@examples(150)
def test_a_shift_of_the_index_never_changes_a_verdict(entry: Entry, shift: int, form: str) -> None:
    problem = read_sum(entry.question)[0]
    moved = add(Symbol(problem.counter), number(-shift))
    lower, upper = (
        end if isinstance(end, int) else add(end, number(shift))
        for end in (problem.lower, problem.upper)
    )
    folded = [
        end if isinstance(end, int) or fold(end) is None else number(fold(end) or 0)
        for end in (lower, upper)
    ]
    term = substitute(problem.term, problem.counter, moved)
    shifted = latex_of(problem._replace(term=term, lower=folded[0], upper=folded[1]))
    answer = entry.answer if "text" in entry.answer else form.format(entry.answer)
    assert status(shifted, answer) is status(entry.question, answer)


@given(st.integers(0, 2**20))
@examples(100)
def test_generated_questions_are_right(index: int) -> None:
    generated = drawn(7, index)
    assert status(generated.text, generated.answer) is Status.CORRECT


@pytest.mark.parametrize("name", ["sums", "bank_sums"])
def test_the_red_team_finds_nothing(name: str) -> None:
    for index in range(120):
        case = case_at(name, 5, index)
        verdict = verify_sum(case.completion, case.integrand)
        assert verdict.correct == case.wanted, case


@pytest.mark.parametrize(
    ("product", "right", "wrong", "proof"),
    [
        (
            r"\prod_{n=2}^\infty (1-\frac1{n^2})",
            r"\frac12",
            r"\frac13 -\frac12 0 \infty",
            "enclosure",
        ),
        (
            r"\prod_{n=1}^\infty \frac{4n^2}{4n^2-1}",
            r"\frac{\pi}{2}",
            r"\frac{\pi}{3}",
            "enclosure",
        ),
        (r"3\prod_{n=2}^\infty \frac{n^3-1}{n^3+1}", "2", r"\frac23", "enclosure"),
        (r"\prod_{n=1}^\infty (1+\frac1n)", r"\infty \text{diverges}", "1 0", "divergence"),
        (r"\prod_{n=2}^\infty (1-\frac1n)", "0", r"1 \infty", "divergence"),
        (r"\prod_{k=1}^n (1+\frac1k)", "n+1", r"n n+1+\binom{n}{400}", "telescoping"),
        (r"\prod_{k=1}^n (-2k)", "(-2)^nn!", "", "telescoping"),
        (r"\prod_{k=1}^n \cos\frac{x}{2^k}", r"\frac{\sin{x}}{2^n\sin(x/2^n)}", "1", "telescoping"),
        (
            r"\prod_{k=1}^{n-1}\sin\frac{k\pi}{n}",
            r"\frac{n}{2^{n-1}}",
            r"\frac{n}{2^n}",
            "agreement",
        ),
    ],
)
def test_products(product: str, right: str, wrong: str, proof: str) -> None:
    question = rf"Let $P={product}$. Evaluate $P$."
    for answer in right.split():
        for text in (product, question):
            verdict = verify_sum(rf"\boxed{{{answer}}}", text)
            assert (verdict.status, verdict.evidence.proof) == (Status.CORRECT, proof), answer
    for answer in wrong.split():
        assert verify_sum(rf"\boxed{{{answer}}}", product).status is Status.INCORRECT, answer


@pytest.mark.parametrize(
    "question",
    [
        r"Find the sum of the digits of $\prod_{k=1}^{5} k$.",
        r"How many factors does $\prod_{k=1}^{5} k$ have?",
        r"\prod_{p \text{ prime}} (1-p^{-2})",
        r"Does $\prod_{n=1}^\infty (1+\frac1{n^2})$ converge?",
    ],
)
def test_other_questions_about_products_are_not_read(question: str) -> None:
    with pytest.raises(ProblemError):
        verify_sum(r"\boxed{120}", question)


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        (
            r"For what values of $x$ does $\sum_{n=0}^\infty\frac{x^n}{2^n}$ converge?",
            "|x|<2",
            "[-2,2)",
        ),
        (r"Find all $x$ for which $\sum_{n=1}^\infty\frac{x^n}{n}$ converges.", "[-1,1)", "(-1,1)"),
    ],
)
def test_the_values_for_which_a_power_series_converges(
    question: str, right: str, wrong: str
) -> None:
    assert verify_sum(rf"\boxed{{{right}}}", question).correct
    assert verify_sum(rf"\boxed{{{wrong}}}", question).status is Status.INCORRECT


@pytest.mark.parametrize(
    ("text", "right", "wrong"),
    [
        (r"3+\sum_{n=1}^\infty 3^{-n}", r"\frac72", "2"),
        (r"Evaluate $3-\sum_{n=1}^\infty 3^{-n}$.", r"\frac52", "1"),
        (r"1-\frac12\sum_{n=1}^\infty 3^{-n}+1", r"\frac74", r"\frac34"),
        (r"a+b\sum_{n=1}^\infty 3^{-n}", r"a+\frac b2", r"\frac{a+b}{2}"),
        (r"2\cdot\sum_{n=1}^\infty 3^{-n}", "1", r"\frac12"),
        (r"1+\prod_{k=1}^{3} k", "7", "12"),
    ],
)
def test_a_factor_and_an_addend_before_the_sign(text: str, right: str, wrong: str) -> None:
    assert verify_sum(rf"\boxed{{{right}}}", text).correct
    assert verify_sum(rf"\boxed{{{wrong}}}", text).status is Status.INCORRECT


EXPANSIONS = [
    (
        r"Find the Maclaurin series of $e^{2x}$.",
        r"\sum_{n=0}^\infty \frac{2^n x^n}{n!}|1+\sum_{n=1}^\infty \frac{(2x)^n}{n!}",
        r"\sum_{n=0}^\infty \frac{x^n}{n!}|\sum_{n=1}^\infty \frac{(2x)^n}{n!}"
        r"|\sum_{n=0}^\infty \frac{2^n+(e^{-30})^{30}}{n!}x^n"
        r"|\sum_{n=0}^\infty (\frac{2^n}{n!}+(\tanh 30-1)^{30})x^n",
    ),
    (
        r"Represent $\frac{x}{1+4x^2}$ by a power series in $x$, with its general term.",
        r"\sum_{n=0}^\infty (-1)^n4^nx^{2n+1}|\sum_{k=1}^\infty (-4)^{k-1}x^{2k-1}"
        r"|x-4x^3+16x^5-64x^7+\cdots",
        r"\sum_{n=0}^\infty 4^nx^{2n+1}|\sum_{n=0}^\infty (-1)^n4^nx^{2n}",
    ),
    (
        r"Expand $\frac{1}{1-x}$ as a Taylor series about $x=2$.",
        r"\sum_{n=0}^\infty (-1)^{n+1}(x-2)^n",
        r"\sum_{n=0}^\infty x^n|\sum_{n=0}^\infty (-1)^{n}(x-2)^n",
    ),
    (
        r"Using $\sin^2x=\frac{1-\cos2x}{2}$, find the power series of $\sin^2 x$ about $0$.",
        r"\sum_{n=1}^{\infty}\frac{(-1)^{n+1}2^{2n-1}x^{2n}}{(2n)!}",
        r"\sum_{n=1}^{\infty}\frac{(-1)^{n}2^{2n-1}x^{2n}}{(2n)!}",
    ),
]


@pytest.mark.parametrize(("question", "right", "wrong"), EXPANSIONS)
def test_a_power_series_is_the_answer(question: str, right: str, wrong: str) -> None:
    for answer in right.split("|"):
        assert verify_sum(rf"\boxed{{{answer}}}", question).correct, answer
    for answer in wrong.split("|"):
        assert verify_sum(rf"\boxed{{{answer}}}", question).status is Status.INCORRECT, answer


def test_what_is_no_power_series_is_not_accepted() -> None:
    question = EXPANSIONS[0][0]
    for answer in ("e^{2x}", "1+2x+2x^2+\\cdots", r"\lim_{n\to\infty}(1+\frac{2x}{n})^n"):
        assert verify_sum(rf"\boxed{{{answer}}}", question).status is Status.UNPARSEABLE
    factors = "".join(f"(n-{k})" for k in range(1, 30))
    for term in (
        r"(\frac{2^n}{n!}+\binom{n}{200})x^n",
        rf"(\frac{{2^n}}{{n!}}+n{factors})x^n",
        r"\frac{e^{2x}}{2^{n+1}}",
        r"(\frac{(2x)^{2n}}{(2n)!}+\frac{(2x)^{2n+1}}{(2n+1)!})",  # right, and not read
    ):
        answer = rf"\boxed{{\sum_{{n=0}}^\infty {term}}}"
        assert verify_sum(answer, question).status is Status.UNDECIDED, term


def test_the_factors_of_a_product_are_no_closed_form() -> None:
    product = r"\prod_{k=1}^{4} (2k-1)"
    assert verify_sum(r"\boxed{1\cdot3\cdot5\cdot7}", product).status is Status.NOT_CLOSED_FORM
    assert verify_sum(r"\boxed{3\cdot35}", product).correct


@pytest.mark.parametrize(
    ("answer", "question"),
    [("e", r"\sum_{n=0}^{500}\frac{1}{n!}"), ("1", r"\sum_{n=0}^{10^6}2^{-n-1}")],
)
def test_the_value_of_an_infinite_sum_is_not_that_of_a_long_one(answer: str, question: str) -> None:
    assert verify_sum(rf"\boxed{{{answer}}}", question).status is not Status.CORRECT


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        (r"\sum_{k=1}^{99}\frac{k}{(k+1)!}", r"1-\frac{1}{100!}", r"1-\frac{1}{99!}"),
        (r"\sum_{k=1}^{2023} k\cdot k!", "2024!-1", "2024!"),
        (r"\sum_{k=0}^{1000} 2^{-k}", "2-2^{-1000}", "2"),
    ],
)
def test_equal_fractions_need_no_digits(question: str, right: str, wrong: str) -> None:
    verdict = verify_sum(rf"\boxed{{{right}}}", question)
    assert (verdict.status, verdict.evidence.proof) == (Status.CORRECT, "enclosure")
    assert verify_sum(rf"\boxed{{{wrong}}}", question).status is Status.INCORRECT


@pytest.mark.parametrize("addend", ["x^{1000}", "10^{-40}x^{50}", "x^{100}-x^{101}"])
def test_terms_beside_a_series_are_compared_or_refused(addend: str) -> None:
    question = r"Find the Maclaurin series of $\frac{1}{1-x}$."
    series = r"\sum_{n=0}^\infty x^n"
    assert status(question, series) is Status.CORRECT
    assert status(question, f"{series} + {addend}") is not Status.CORRECT
