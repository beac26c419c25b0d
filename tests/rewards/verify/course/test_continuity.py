"""Parameters for a continuous function: answers are substituted into the function."""

from __future__ import annotations

import pytest

from calculus_harness.rewards import ProblemError, Status, verify_limit

LINEAR = r"f(x)=\begin{cases} kx & x<1\\ 2 & x\ge1\end{cases}"
SQUARE = LINEAR.replace("kx", "k^2x").replace("2 &", "4 &")
PARABOLA = r"f(x)=\begin{cases} ax+b & x\le 1\\ x^2 & x>1\end{cases}"
THREE = (
    r"f(x)=\begin{cases}x^2-1 & \text{if } x<3\\ 2ax & \text{if } x = 3 \\ bx+2 & x>3\end{cases}"
)
SINE = r"$$f(x)=\begin{cases}\dfrac{\sin 5x}{2x}, & x\neq 0,\\[4pt] k, & x=0.\end{cases}$$"


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        (
            f"{SINE} For which value of the constant $k$ is $f$ continuous at 0? [3]",
            r"\frac52|k=\frac52",
            "0",
        ),
        (f"If ${LINEAR}$ is continuous, what is the value of $k$?", "2|k=2", "1|4"),
        (rf"Find $k$ so that ${LINEAR}$ is continuous on $\mathbb{{R}}$.", "2", r"1|\frac12"),
        (
            f"Find the values of $a$ and $b$ that make ${THREE}$ continuous.",
            r"a=\frac43, b=2|(\frac43,2)|(a,b)=(\frac43,2)|a=\frac43\text{ and }b=2",
            r"a=2,b=\frac43|(2,\frac43)",
        ),
        (
            f"Determine $a$ and $b$ so that ${PARABOLA}$ is differentiable at $x=1$.",
            r"a=2,\quad b=-1",
            "a=1,b=0",
        ),
    ],
)
def test_values_of_parameters(question: str, right: str, wrong: str) -> None:
    for answer in right.split("|"):
        verdict = verify_limit(rf"\boxed{{{answer}}}", question)
        assert (verdict.status, verdict.evidence.proof) == (Status.CORRECT, "expansion"), answer
    for answer in wrong.split("|"):
        assert verify_limit(rf"\boxed{{{answer}}}", question).status is Status.INCORRECT, answer


def test_a_limit_for_almost_all_values_refutes_no_exception() -> None:
    question = (
        r"Find $k$ so that $f(x)=\begin{cases} x^k & x>0\\ 1 & x\le0\end{cases}$ is continuous."
    )
    assert verify_limit(r"\boxed{0}", question).status is Status.UNDECIDED
    assert verify_limit(r"\boxed{2}", question).status is Status.INCORRECT


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (f"Determine $a$ and $b$ so that ${PARABOLA}$ is continuous.", "a=2,b=-1"),
        (f"Let ${SQUARE}$. Find $k$ such that $f$ is continuous.", "2"),
        (f"Let ${SQUARE}$. Find $k$ such that $f$ is continuous.", r"\pm2"),
    ],
)
def test_a_value_that_is_not_the_only_one_is_undecided(question: str, answer: str) -> None:
    assert verify_limit(rf"\boxed{{{answer}}}", question).status is Status.UNDECIDED


@pytest.mark.parametrize(
    "ask",
    [
        f"Find $k$ so that ${LINEAR}$ is not continuous.",
        f"Find $k+1$ if ${LINEAR}$ is continuous.",
        f"If ${LINEAR}$ is continuous, find $f(0)$.",
        f"If ${LINEAR}$ is continuous, find the square of $k$.",
        f"If ${LINEAR}$ is continuous, find $k$ and double it.",
        f"If ${LINEAR}$ is continuous, find the largest $k$ that is a root of $k^2=4$.",
        f"Find $k$ so that ${LINEAR}$ is continuous at $x=5$.",
        f"Find $k$ so that ${LINEAR}$ is left-continuous.",
        f"Is ${LINEAR.replace('kx', 'x')}$ continuous?",
    ],
)
def test_another_question_is_not_read(ask: str) -> None:
    for answer in ("2", "3", "4", "0"):
        with pytest.raises(ProblemError):
            verify_limit(rf"\boxed{{{answer}}}", ask)
