r"""Text beside an answer: remarks in rows, approximations, points, names of functions."""

from __future__ import annotations

import pytest

from calculus_harness.rewards.reading.extraction import extract

ROWS = r"\begin{align*} \int_0^1 x\,dx &= 1 - \frac12 && \text{%s}\\ &= \frac12 %s\end{align*}"
CASES = [
    (ROWS % ("by substitution", ""), r"\frac12"),
    (ROWS % ("by substitution", r"&& \text{(evaluate)}"), r"\frac12"),
    (ROWS % ("where $u=x$", r"&& (u = x)"), r"\frac12"),
    # A row break with a length is no opening of a display.
    (
        "\\[\n\\begin{aligned}\nI &= 1 - \\frac12 \\\\[4pt]\n&= \\frac12\n\\end{aligned}\n\\]",
        r"\frac12",
    ),
    ("\\[\n\\begin{aligned}\n\\int x &= x \\\\[2mm]\n&\\quad + 1\\end{aligned}\n\\]", "x + 1"),
    ("$$\\int_2^4 \\frac{dx}{x} = \\ln 2$$\n\n≈ 0.693", r"\ln 2"),
    ("$$\\int_2^4 \\frac{dx}{x} = \\ln 2$$\n$\\approx 0.693$", r"\ln 2"),
    (r"The answer is $\approx 0.693$.", "0.693"),
    (r"When $x = 1$, $y = \pi/4$.", None),
    (r"The value is $\frac{\pi}{4}$. When $x = 1$, $y = \pi/2$.", r"\frac{\pi}{4}"),
    (r"When $a = 1$, the integral is $\pi/4$.", r"\pi/4"),
    (r"$\int_1^2 dx/x = \log 2$. Here $\log$ is the natural logarithm.", r"\log 2"),
    (r"So it is $x^2$, and $\sin$ does not occur.", "x^2"),
    (r"$\pi$", r"\pi"),
    # An operation, a percent sign or a dozen behind a formula makes another value.
    (r"The value is $\pi$ over four.", None),
    (r"The value is $\pi$ over the whole range.", r"\pi"),
    (r"The value is $4$ squared.", None),
    (r"The answer is $\boxed{4}$ over three.", None),
    (r"The answer is $\boxed{4}$\%.", None),
    (r"The answer is 4 percent.", None),
    (r"The answer is $4$, 100\% sure.", "4"),
    (r"The answer is $\boxed{4}$. Times may vary.", "4"),
]


@pytest.mark.parametrize(("text", "answer"), CASES)
def test_what_stands_beside_is_not_the_answer(text: str, answer: str | None) -> None:
    extracted = extract(text).answer
    assert (extracted and " ".join(extracted.split())) == answer
