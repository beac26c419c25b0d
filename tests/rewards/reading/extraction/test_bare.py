r"""Formulas without delimiters: spacing commands, tables, names of functions."""

from __future__ import annotations

import pytest

from calculus_harness.rewards import Status, verify_antiderivative
from calculus_harness.rewards.reading.extraction import extract

SPACED = [
    (r"\ln x", r"<answer>x\ln x\; - \; x+C</answer>"),
    (r"\ln x", r"Answer: x \ln x \; - \; x \; + \; C"),
    (r"\ln x", r"\int \ln x \, dx \; = \; x \ln x \; - \; x \; + \; C"),
    (r"\ln x", r"\displaystyle\int \ln x\; dx = x\ln x-x+C"),
    (r"\frac1x", r"\ln\! \left|x\right|+C"),
    (r"\frac1{1+x^2}", r"\arctan\! \left(x\right)+C"),
    ("2x", r"\{x^2+C \;|\; C\in\mathbb R\}"),
    ("|x|", r"F(x) = \left\{\begin{array}{ll} x^2/2 & x\ge 0\\ -x^2/2 & x<0\end{array}\right. + C"),
]
CUT = [  # the part behind the space is right, the whole is not
    ("1", r"x^3\; + x + C"),
    ("1", r"Answer: x^3 \; + \; x + C"),
    ("1", r"\ln\! x + C"),
    (r"\sin x", r"x^3 \: - \cos x + C"),
    ("1", r"x^3 \left. + x + C \right."),
]


def status(completion: str, integrand: str) -> Status:
    return verify_antiderivative(completion, integrand).status


@pytest.mark.parametrize(("integrand", "completion"), SPACED)
def test_a_spacing_command_does_not_end_a_sentence(integrand: str, completion: str) -> None:
    assert status(completion, integrand) is Status.CORRECT


@pytest.mark.parametrize(("integrand", "completion"), CUT)
def test_nothing_is_cut_off_at_a_spacing_command(integrand: str, completion: str) -> None:
    assert status(completion, integrand) is not Status.CORRECT


def test_punctuation_still_ends_a_sentence() -> None:
    assert extract(r"The answer is x^2\: + \: C. Done!").answer == r"x^2\: + \: C"


TABLES = [
    r"Therefore, F(x) = \begin{cases}A+C, & x\ge 0\\ B+C, & x<0\end{cases}",
    r"The answer is \begin{cases}A & \text{for } x\ge 0\\ B & \text{for } x<0\end{cases}",
    r"\begin{cases} A & \text{for}\: x \geq 0 \\B & \text{otherwise} \end{cases}",
    "The answer is\n\\begin{cases}\nA & x\\ge 0\\\\\nB & x<0\n\\end{cases}\n",
    "So F(x) = \\begin{cases}\nA & x\\ge 0\\\\\nB & x<0\n\\end{cases}\n+ C",
]
EXTRAS = [
    r"The answer is x + \begin{cases}A & x\ge 0\\ B & x<0\end{cases}",
    r"The answer is \begin{cases}A & x\ge 0\\ B & x<0\end{cases} + x",
    "The answer is\n\\begin{cases}\nA & x\\ge 0\\\\\nB & x<0\n\\end{cases}\n+ x",
]


@pytest.mark.parametrize("layout", TABLES)
def test_a_table_is_one_formula(layout: str) -> None:
    right = layout.replace("A", r"\frac{x^2}{2}").replace("B", r"-\frac{x^2}{2}")
    assert status(right, "|x|") is Status.CORRECT
    for first, second in ((r"\frac{x^2}{3}", r"-\frac{x^2}{2}"), (r"\frac{x^2}{2}", "x^2")):
        wrong = layout.replace("A", first).replace("B", second)
        assert status(wrong, "|x|") is not Status.CORRECT


@pytest.mark.parametrize("layout", EXTRAS)
def test_terms_beside_a_table_count(layout: str) -> None:
    completion = layout.replace("A", r"\frac{x^2}{2}").replace("B", r"-\frac{x^2}{2}")
    assert status(completion, "|x|") is not Status.CORRECT


NAMES = [
    (r"\frac{\ln(1-x)}{x}", "F(x) = -polylog(2, x) + C", "F(x) = -x polylog(2, x) + C"),
    ("W(x)", "x*LambertW(x) - x + x/LambertW(x)", "x*LambertW(x) + x/LambertW(x)"),
    (
        r"\sin(x^2)",
        "sqrt(2)*sqrt(pi)*fresnels(sqrt(2)*x/sqrt(pi))/2",
        "sqrt(2)*sqrt(pi)*fresnels(sqrt(2)*x/sqrt(pi))",
    ),
    ("J_1(x)", "-besselj(0, x)", "besselj(0, x)"),
    (r"\frac{1}{1+x^2}", "arctg x + C", "2 arctg x + C"),
    (r"\cosh x", "Then the answer is senh x + C", "Then the answer is senh x + x + C"),
]


@pytest.mark.parametrize(("integrand", "right", "wrong"), NAMES)
def test_a_name_of_a_function_is_no_word(integrand: str, right: str, wrong: str) -> None:
    assert status(right, integrand) is Status.CORRECT
    assert status(wrong, integrand) is not Status.CORRECT


def test_nothing_is_cut_off_at_a_name() -> None:
    assert status("arctg x + C", "1") is not Status.CORRECT
    assert status("2x + besselj(0, x)*(x) + C", "1") is not Status.CORRECT


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Final answer: **π/2**\n(Numerically this is about 1.5708.)", "π/2"),
        ("Final: −ln|cos x| + C   (equivalently ln|sec x| + C)", "-ln|cos x| + C"),
        ("Answer: 1/2 (about 0.5)", "1/2"),
        ("so it is 5. [ANSWER] 0 [/ANSWER]", "0"),
        ("(the answer is 7)", "7"),
    ],
)
def test_a_remark_in_brackets_is_not_the_answer(text: str, answer: str) -> None:
    extracted = extract(text).answer
    assert extracted is not None
    assert extracted.rstrip(")") == answer
