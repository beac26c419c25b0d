"""Series whose general term is not written with a sum sign, and limits of sequences.

The questions were written in the ways of textbooks before the reader for them was. Every wrong
answer is a near miss: another sign, a factor, an index shifted by one, a lost factorial.
"""

from __future__ import annotations

from fractions import Fraction

import pytest

from calculus_harness.rewards import ProblemError
from calculus_harness.rewards.numeric.summation.finite import exact
from calculus_harness.rewards.questions import QUESTIONS
from calculus_harness.rewards.reading.expression.build import number
from calculus_harness.rewards.reading.expression.general_term import general_term
from calculus_harness.rewards.reading.expression.traversal import substitute
from calculus_harness.rewards.reading.problem.sums import read_sum
from calculus_harness.rewards.verdict import Status

SERIES = [
    (
        r"Find the sum of the series $1 + \frac12 + \frac14 + \frac18 + \cdots$.",
        "2",
        r"1|3|\frac32",
    ),
    (
        r"Find the sum: $1 - \frac{1}{2!}x^2 + \frac{1}{4!}x^4 - \frac{1}{6!}x^6 + \cdots$",
        r"\cos x",
        r"\cosh x|\sin x|-\cos x|\frac{1}{1+x^2}|\cos x - 1",
    ),
    (r"$x-\frac{x^3}{3!}+\frac{x^5}{5!}-\frac{x^7}{7!}+\ldots$", r"\sin x", r"-\sin x|\arctan x"),
    (
        r"Evaluate $1 - \frac13 + \frac15 - \frac17 + \cdots$",
        r"\frac{\pi}{4}",
        r"-\frac\pi4|\frac{\pi}{2}|\ln 2|\frac\pi4-1",
    ),
    (
        r"Determine whether the series $3 - 4 + \frac{16}{3} - \frac{64}{9} + \cdots$ is convergent"
        r" or divergent. If it is convergent, find its sum.",
        r"\text{diverges}",
        r"\frac97|9",
    ),
    (
        r"Compute the sum of $\frac{1}{1\cdot2}+\frac{1}{2\cdot3}+\frac{1}{3\cdot4}"
        r"+\frac{1}{4\cdot 5}+\cdots$.",
        "1",
        r"2|\frac12|\text{diverges}",
    ),
    (r"Find the exact value of $10 - 2 + 0.4 - 0.08 + \cdots$", r"\frac{25}{3}", r"\frac{25}{2}|8"),
    (
        r"Find the sum of the alternating harmonic series $1-\frac12+\frac13-\frac14+\cdots$.",
        r"\ln 2",
        r"-\ln 2|\ln 2-1|1-\ln 2|\text{diverges}",
    ),
    (r"$1+x+\frac{x^2}{2!}+\frac{x^3}{3!}+\cdots$", "e^x", r"e^x-1|\frac{1}{1-x}|e^{2x}|xe^x"),
    (r"$1-x+\frac{x^2}{2!}-\frac{x^3}{3!}+\cdots$", "e^{-x}", r"e^x|-e^{-x}|\frac{1}{1+x}"),
    (r"Find $1+1+\frac12+\frac16+\frac{1}{24}+\cdots$.", "e", "e-1|e+1|3"),
    (r"$1+\frac14+\frac19+\frac1{16}+\cdots = ?$", r"\frac{\pi^2}{6}", r"\frac{\pi^2}{8}|\frac43"),
    (r"Find the sum of $a+ar+ar^2+ar^3+\cdots$ for $|r|<1$.", r"\frac{a}{1-r}", r"\frac{ar}{1-r}"),
    (r"$1 + 2x + 3x^2 + 4x^3 + \cdots$ for $|x|<1$", r"\frac{1}{(1-x)^2}", r"\frac{x}{(1-x)^2}"),
    (
        r"Find the interval of convergence of $1 + 2x + 3x^2 + 4x^3 + \cdots$.",
        "(-1,1)",
        "[-1,1]|(-1,1]|(-2,2)",
    ),
    (
        r"Find the radius of convergence of $\frac{x}{2}+\frac{2x^2}{4}+\frac{3x^3}{8}"
        r"+\frac{4x^4}{16}+\dots$",
        "2",
        r"\frac12|1",
    ),
    (
        r"Find the sum of $1+x+\frac{x^2}{2!}+\cdots+\frac{x^n}{n!}+\cdots$.",
        "e^x",
        r"e^x-1|\frac{1}{1-x}|xe^x|e^{-x}",
    ),
    (
        r"Write $1^2+2^2+\cdots+n^2$ in closed form.",
        r"\frac{n(n+1)(2n+1)}6",
        r"\frac{n(n-1)(2n-1)}6",
    ),
    (r"Find $1+2+4+\cdots+2^n$.", "2^{n+1}-1", "2^n-1|2^{n+1}|2^{n+1}-2"),
    (r"$1+3+5+\cdots+(2n-1)$", "n^2", "(n+1)^2|n^2-1|n(n+1)"),
    (r"Does $1+\frac12+\frac13+\frac14+\cdots$ converge?", r"\text{diverges}", r"\text{converges}"),
    (r"Does $1+\frac12+\frac14+\frac18+\cdots$ converge?", r"\text{converges}", r"\text{diverges}"),
]
SEQUENCES = [
    (
        r"Find the limit of the sequence $a_n = \frac{3n^2+1}{2n^2-n}$.",
        r"\frac32",
        r"\frac23|\infty",
    ),
    (
        r"Determine whether the sequence $a_n = \left(1+\frac{2}{n}\right)^n$ converges or"
        r" diverges. If it converges, find its limit.",
        "e^2",
        r"e|\text{diverges}|e^{-2}|2e",
    ),
    (r"Let $a_n = \sqrt{n^2+n}-n$. Compute $\lim_{n\to\infty} a_n$.", r"\frac12", r"0|-\frac12|1"),
    (
        r"Does the sequence $\left\{\frac{\ln n}{n}\right\}_{n=1}^{\infty}$ converge? If so, find"
        r" the limit.",
        "0",
        r"1|\text{diverges}",
    ),
    (r"Find the limit of the sequence $\{n \sin(1/n)\}$.", "1", r"0|\infty"),
    (
        r"The sequence $(a_n)$ is given by $a_n = (-1)^n \frac{n}{n+1}$ for $n \geq 1$. Find its"
        r" limit or state that the sequence diverges.",
        r"\text{The sequence diverges.}",
        "1|0|-1",
    ),
    (r"Find the limit of the sequence $a_n = r^n$ where $|r|<1$.", "0", "1|r"),
    (
        r"Determine whether the sequence $a_n=\frac{2n}{n+1}$ converges as $n\to\infty$;"
        r" if so, find its limit.",
        "2",
        r"1|-2|\text{diverges}",
    ),
    (r"Find the limit of the sequence $x_n=\frac{n}{n+1}$ as $n$ approaches $\infty$.", "1", "0|2"),
    (r"To what value does the sequence $\frac{n}{n+1}$ converge?", "1", "0|2"),
    (r"Let $a_n=\frac{2n}{n+1}$. Find $\lim a_n$.", "2", "1"),
]
FINITE = [
    (r"Find $1+2+3+\cdots+100$.", "5050", "4950|5151"),
    (r"Find $5+3+1-1-\cdots-9$.", "-16", "-7|16"),
    (r"Find $1-2+4-8+\cdots-512$.", "-341", "341|1023"),
    (r"Find $1+3+6+10+\cdots+55$.", "220", "165|286"),
    (r"Find $\frac12+\frac16+\frac1{12}+\frac1{20}+\cdots+\frac1{110}$.", r"\frac{10}{11}", "1"),
    (r"Find $\frac12+\frac16+\frac1{12}+\frac1{20}+\frac1{30}+\cdots$.", "1", "2"),
    (r"Find $1+x+x^2+\cdots+x^{10}$.", r"\frac{x^{11}-1}{x-1}", r"\frac{x^{10}-1}{x-1}"),
    (
        r"Find $\frac{1}{n}+\frac{2}{n}+\frac{3}{n}+\cdots+\frac{n}{n}$.",
        r"\frac{n+1}{2}",
        r"\frac{n-1}{2}",
    ),
    (r"Express the recurring decimal $0.2333\ldots$ as a fraction.", r"\frac{7}{30}", "7/33"),
]
#: Limits of sums with dots: what stands under the limit sign, the limit, and another number.
LIMITS = [
    (r"\frac{1+2+3+\cdots+n}{n^2}", r"\frac12", "1"),
    (r"\frac{1^3+2^3+\cdots+n^3}{n^4}", r"\frac14", r"\frac13"),
    (
        r"\left(\frac{1}{n+1}+\frac{1}{n+2}+\frac{1}{n+3}+\cdots+\frac{1}{2n}\right)",
        r"\ln 2",
        r"\ln 3",
    ),
    (r"\frac{1}{n^2}(1+2+\cdots+n)", r"\frac12", "1"),
]
REFUSED = [
    ("sum", r"Find the sum of $1+\frac12+\frac13+\cdots$", "general term"),
    ("sum", r"$\frac12+\frac13+\frac15+\frac17+\cdots$", "general term"),
    ("sum", r"$2+3+5+8+\cdots$", "general term"),
    ("sum", r"$1+\frac12-\frac14-\frac18+\cdots$", "general term"),
    ("sum", r"$\frac{1}{n}+\frac{3}{n}+\cdots+\frac{n}{n}$", "general term"),
    ("sum", r"$1+2+4+\cdots+16$", "general term"),  # 1, 2, 4, 7, 11, 16
    ("sum", r"$1+2+3+\cdots+\frac{7}{2}$", "general term"),
    ("sum", r"$1+2+\cdots+100$", "general term"),
    ("sum", r"$\frac1n+\frac1n+\frac1n+\cdots+\frac1n$", "general term"),
    ("sum", r"Write $2.718281828\ldots$ as a fraction.", "something else|fraction"),
    ("limit", r"$\lim_{n\to\infty}\frac{1+2+\cdots+n}{n^2}\cdot n$", "unreadable|infinite"),
    ("limit", r"$\lim_{n\to\infty}\frac{1+2+\cdots+n}{n^2}+1$", "unreadable|infinite"),
    ("sum", r"$1+1+1+\cdots+1$", "general term"),
    ("sum", r"$1+3+6+\cdots+55$", "general term"),
    ("sum", r"$1+2+3+\cdots+100+\cdots$", "general term"),
    ("sum", r"$f(1)+f(2)+f(3)+f(4)+\cdots$", "something else"),
    ("sum", r"Find the sum of the first ten terms of $1+\frac12+\frac14+\frac18+\cdots$", "first"),
    ("sum", r"Find the sum of the even terms of $1+\frac12+\frac14+\frac18+\cdots$", "even"),
    ("limit", r"Does the sequence $a_n=\frac1n$ converge?", "limit of the sequence is not asked"),
    ("limit", r"Find the limit of the sequence $a_n = \frac{a_{n-1}}{2}$.", "first term"),
    ("limit", r"Find the limit of the sequence $s_n$ given $a_n=2^{-n}$.", "one sequence"),
    (
        "limit",
        r"Consider the partial sums of the sequence $a_n=2^{-n}$. Find the limit.",
        "may change the question",
    ),
    (
        "limit",
        r"Let $a_n=\frac1n$ for even $n$ and $a_n=1$ for odd $n$. Find $\lim_{n\to\infty} a_n$.",
        "one of several cases",
    ),
    ("limit", r"For which value of $a$ does $\lim_{x\to0}\frac{ax+a-1}{x}$ exist?", "may change"),
    ("derivative", r"Find $f^{(n)}(0)$ for $f(x) = e^{3x}$.", "order is a letter"),
]


def status(task: str, question: str, answer: str) -> Status:
    return QUESTIONS[task].verify(rf"\boxed{{{answer}}}", question).status


@pytest.mark.parametrize(
    ("task", "question", "right", "wrong"),
    [("sum", *case) for case in SERIES + FINITE]
    + [("limit", *case) for case in SEQUENCES]
    + [("limit", rf"Find $\lim_{{n\to\infty}}{body}$.", *case) for body, *case in LIMITS],
)
def test_right_answers_are_accepted_and_near_misses_refuted(
    task: str, question: str, right: str, wrong: str
) -> None:
    assert status(task, question, right) is Status.CORRECT
    for answer in filter(None, wrong.split("|")):
        assert status(task, question, answer) is Status.INCORRECT, answer


@pytest.mark.parametrize(("task", "question", "message"), REFUSED)
def test_what_is_not_read_is_said_in_one_line(task: str, question: str, message: str) -> None:
    with pytest.raises(ProblemError, match=message):
        status(task, question, "1")


#: Known sequences. Those that begin like 1, 2, 3, 4 or 1, 2, 4, 8 and go on otherwise are left out.
RECURSIONS = {
    "primes": "2 3 5 7 11 13 17 19 23",
    "Fibonacci": "1 1 2 3 5 8 13 21 34",
    "Lucas": "2 1 3 4 7 11 18 29 47",
    "tribonacci": "1 1 2 4 7 13 24 44 81",
    "Catalan": "1 1 2 5 14 42 132 429",
    "Motzkin": "1 1 2 4 9 21 51 127",
    "partitions": "1 1 2 3 5 7 11 15 22",
    "Bell": "1 1 2 5 15 52 203 877",
    "triangular": "1 3 6 10 15 21 28 36",
    "pronic": "2 6 12 20 30 42 56",
    "Mersenne": "1 3 7 15 31 63 127",
    "central binomials": "1 2 6 20 70 252 924",
    "double factorials": "1 3 15 105 945 10395",
    "n to the n": "1 4 27 256 3125 46656",
    "factorials": "1 1 2 6 24 120 720 5040",
    "squares": "1 4 9 16 25 36 49",
    "cubes": "1 8 27 64 125 216",
    "odd": "1 3 5 7 9 11 13",
    "powers": "1 3 9 27 81 243",
}


@pytest.mark.parametrize("name", RECURSIONS)
@pytest.mark.parametrize("are_inverted", [False, True])
def test_no_wrong_general_term_is_inferred(name: str, are_inverted: bool) -> None:
    values = [Fraction(value) ** (-1 if are_inverted else 1) for value in RECURSIONS[name].split()]
    for begin in range(len(values) - 4):
        for count in range(4, len(values) - begin):
            term = general_term([number(v) for v in values[begin : begin + count]], "k")
            if term is None:
                continue
            for at, value in enumerate(values[begin:]):
                value_of_term = exact(substitute(term, "k", number(at)), {})
                assert value_of_term == value, (begin, count)


def test_an_index_is_no_parameter_of_the_question() -> None:
    (problem,) = read_sum(r"$n+\frac{n}{2}+\frac{n}{4}+\frac{n}{8}+\cdots$")
    assert problem.counter != "n"
    assert problem.parameters == ("n",)


@pytest.mark.parametrize(
    ("task", "question", "right", "wrong"),
    [
        ("definite", r"a\int_0^1 x\,dx", r"\frac{a}{2}", r"\frac12"),
        ("definite", r"Evaluate $a\int_0^1 x\,dx$.", r"\frac{a}{2}", r"\frac12"),
        ("sum", r"Find $a\sum_{k=0}^{\infty} 2^{-k}$.", "2a", "2"),
    ],
)
def test_a_factor_before_a_sign_is_no_word(
    task: str, question: str, right: str, wrong: str
) -> None:
    assert status(task, question, right) is Status.CORRECT
    assert status(task, question, wrong) is Status.INCORRECT


def test_a_function_that_is_defined_by_cases_has_no_single_formula() -> None:
    question = r"Let $f(x)=x^2$ for $x<1$ and $f(x)=3x$ for $x\ge1$. Find $\lim_{x\to1^+} f(x)$."
    with pytest.raises(ProblemError):
        status("limit", question, "3")
