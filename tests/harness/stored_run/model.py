"""The model of the stored run: right at powers by luck of the seed, and never the same twice."""

import re

ANSWERS = (
    r"The answer is $\boxed{\sin x + C}$.",
    r"I do not know.",
    r"\boxed{\int f(x)\,dx}",
    r"\boxed{e^{}",
)


def answer(messages: list[dict[str, str]], seed: int) -> str:
    """One of several answers; the hash of this file is part of the model's identity."""
    question = messages[-1]["content"]
    if "Prompt:" in question:
        return "01"[seed % 2]
    power = re.search(r"(\d+) ?x\^\{?(\d)", question)
    if power and seed % 3:
        factor, exponent = map(int, power.groups())
        return rf"\boxed{{\frac{{{factor}}}{{{exponent + 1}}}x^{{{exponent + 1}}}}}"
    return ANSWERS[seed % len(ANSWERS)]
