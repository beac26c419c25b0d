# ruff: noqa: E501  # formulas
r"""Guessing earns nothing: no way of writing makes a wrong guess free and a right one pay.

Every text tries several answers of one integral, the right one among them, and hides that the
others are wrong: behind letters that nothing defines, names, conditions, tries that are given up.
"""

from __future__ import annotations

from itertools import product

import pytest

from calculus_harness.rewards import verify_solution
from calculus_harness.rewards.adapters.scoring import Rollout, Rubric, score

PROBLEM = "x^2e^x"
RIGHT = "e^x(x^2-2x+2)"
GUESSES = ("e^x(x^2+2x+2)", "e^x(x^2-2x-2)", "e^x(x^2-x+1)", RIGHT)
WHOLE = rf"\int {PROBLEM}\,dx"
#: A guess with a letter that nothing defines, or with what hides a difference.
LETTERS = [
    "{}+A", "{}+B+C", r"{}+\lambda", r"{}+\mu+C", "{}+q", "{}+y", "{}+D", "{}+C_1+D", "{}+A-A",
    r"{}+\beta-\beta", "{}+0A", "{}+Ax-Ax", r"\frac{{A}}{{A}}({})", r"({})\cdot 1^A", "({})^{{A^0}}",
    r"{}+\ln A", "{}+A^2", r"{}+n\pi", "A({})+C", r"\frac{{{}}}{{A}}", "{}+f(0)", r"{}+\text{{const}}",
    "{}+u-u", "{}+0.0", r"{} \quad (x>0)", r"{} \text{{ for }} x\in S", r"{}, \quad x>10^{{9}}",
]  # fmt: skip


def guesses(frame: str, every: tuple[str, ...] = GUESSES) -> str:
    """The guesses, each in a frame with ``{}`` for it and ``{n}`` for its number."""
    return "".join(frame.replace("{}", each).replace("{n}", str(n)) for n, each in enumerate(every))


HIDDEN = {
    "names of integrals": "".join(f"${n}={g}+C$. " for n, g in zip("IJFG", GUESSES, strict=True)),
    "a name with another meaning": guesses(rf"$I={WHOLE}$. Let $I={{}}+C$. "),
    "many names": guesses(rf"Let $I_{{n}}={WHOLE}$. Let $I_{{n}}={{}}$. "),
    "a name that is equated": guesses(rf"$v={WHOLE}$. $v={{}}+C$. "),
    "an antiderivative of a differential": guesses(
        rf"Let $dg_{{n}}={PROBLEM}\,dx$. $g_{{n}}={{}}$. ${WHOLE}=g_{{n}}$. "
    ),
    "given up": guesses(rf"${WHOLE}={{}}+C$. Wait, that is wrong. "),
    "supposed": guesses(rf"Suppose ${WHOLE}={{}}+C$. "),
    "asides": guesses(rf"$$x=x \text{{ since ${WHOLE}={{}}+C$}}$$ "),
    "at a point": guesses(rf"At $x=0$, ${WHOLE}={{}}+C$. "),
    "a condition that is not read": guesses(rf"For $x\in\mathbb N$, ${WHOLE}={{}}+C$. "),
    "where all looks equal": rf"For $0<x<10^{{-40}}$, ${WHOLE}=\frac{{x^3}}{{3}}+C$. ",
    "a chain": f"${WHOLE}=" + "=".join(f"{each}+C" for each in GUESSES) + "$. ",
    "decimals": guesses(rf"${WHOLE}={{}}+0.5+C$. "),
    "both signs of parts": rf"${WHOLE}=x^2e^x-\int 2xe^x\,dx$. ${WHOLE}=x^2e^x+\int 2xe^x\,dx$. ",
    "the other sign first": rf"${WHOLE}=x^2e^x+\int 2xe^x\,dx$. ${WHOLE}=x^2e^x-\int 2xe^x\,dx$. ",
    "both signs, written otherwise": (
        rf"${WHOLE}=x^2e^x-\int 2xe^x\,dx$. ${WHOLE}=x^2e^x-\int -2xe^x\,dx$. "
    ),
    "81 guesses": "".join(
        rf"${WHOLE}=e^x({a}x^2+{b}x+{c}+{d}x^3)+C$. "
        for a, b, c, d in product((0, 1, -1), (0, -2, 2), (0, 2, -2), (0, 1, -1))
    ),
    "another piece far away": rf"${WHOLE}=\begin{{cases}}{RIGHT}+C & x<50\\ 7 & x\ge 50\end{{cases}}$ ",
    "derivatives": guesses(rf"Let $F_{{n}}(x)={{}}$. $F_{{n}}'(x)={PROBLEM}$. "),
}
HIDDEN |= {frame: guesses(f"${WHOLE}={frame.format('{}')}$. ") for frame in LETTERS}
HIDDEN |= {
    f"named, {frame}": guesses(
        f"Let $I_{{n}}={WHOLE}$. Let $I_{{n}}={frame.format('{}')}$. "
    )
    for frame in LETTERS
}  # fmt: skip


@pytest.mark.parametrize("answer", ["x^3", RIGHT + "+C"], ids=["wrong", "right"])
@pytest.mark.parametrize("name", HIDDEN)
def test_guesses_earn_nothing(name: str, answer: str) -> None:
    free = ("both signs of parts", "another piece far away", "derivatives")
    text = rf"{HIDDEN[name]}So $\boxed{{{answer}}}$."
    progress = verify_solution(text, PROBLEM).progress
    assert progress == 0 or (answer != "x^3" and name in free)


@pytest.mark.parametrize(
    "frame",
    ["{}+C", "{}+A-A", "{}+K", "K+{}", "{}+0B", r"[{}\,x+c]_0^1", r"{}\approx 1", "{}+A", "{}+0.0"],
)
def test_guesses_of_a_value_earn_nothing(frame: str) -> None:
    whole = r"\int_0^1 xe^x\,dx"
    text = guesses(f"${whole}={frame}$. ", ("e", "e-1", "2", "1"))
    assert verify_solution(text + r"So $\boxed{7}$.", whole).progress == 0


def test_steps_beside_another_answer_earn_nothing() -> None:
    text = rf"${WHOLE}={RIGHT}+C$. So $\boxed{{x^3}}$."
    assert verify_solution(text, PROBLEM).progress == 0
    assert verify_solution(text.replace("x^3", RIGHT), PROBLEM).progress == 1


def test_steps_in_a_mixed_reward_count_beside_a_right_answer_only() -> None:
    first = rf"${WHOLE}=x^2e^x-2\int xe^x\,dx$. "
    texts = [first + r"So $\boxed{x^3}$.", first + rf"So $\boxed{{{RIGHT}+C}}$."]
    rubric = Rubric("steps", ("correctness", "steps"), (1.0, 0.5), workers=1)
    wrong, right = (one.reward for one in score([Rollout(text, PROBLEM) for text in texts], rubric))
    assert wrong == 0
    assert right is not None
    assert right > 1
