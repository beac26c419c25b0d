r"""A labelled corpus of solutions: derivations of `templates`, written down in many voices.

Every solution is right, or has a planted error with a known place and kind. An error is ``lucky``
(all later lines and the answer are right), ``last`` (in the last line) or ``carried`` (all later
lines carry the error on).

    python -m tests.rewards.verify.solution_steps.corpus > solutions.jsonl
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from random import Random

from .templates import TEMPLATES
from .templates.derivations import Derivation, Line

SIZE = 400
SEED = 22


@dataclass(frozen=True)
class Labelled:
    """A labelled solution; ``start`` and ``end`` enclose the wrong text."""

    id: str
    integrand: str
    text: str
    voice: str
    label: str
    kind: str = ""
    start: int = -1
    end: int = -1


#: Files of solutions that were written by hand (tests/rewards/cases).
HAND = ("solutions", "unseen_first", "unseen_second")


def by_hand(name: str) -> list[Labelled]:
    """The solutions of a file; <<< and >>> enclose the first wrong text of a solution."""
    path = Path(__file__).parents[2] / "cases" / f"{name}.toml"
    rows = []
    for row in tomllib.loads(path.read_text("utf-8"))["solution"]:
        text = row["text"]
        start, end = text.find("<<<"), text.find(">>>") - 3
        text = text.replace("<<<", "").replace(">>>", "")
        label = "right" if start < 0 else "lucky" if row.get("lucky") else "wrong"
        problem = row.get("integral") or row["integrand"]
        rows.append(Labelled(row["name"], problem, text, "hand", label, "", start, end))
    return rows


class Page:
    """A growing text, with the place of every line's right side."""

    def __init__(self, style: Callable[[str], str]) -> None:
        self.text = ""
        self.style = style
        self.places: dict[int, tuple[int, int]] = {}

    def say(self, text: str) -> None:
        self.text += text

    def write(self, latex: str, number: int | None = None) -> None:
        latex = self.style(latex)
        if number is not None:
            self.places[number] = len(self.text), len(self.text) + len(latex)
        self.text += latex


Voice = Callable[[Page, Derivation], None]


def _introduce(
    page: Page, derivation: Derivation, opening: str, closing: str, between: str
) -> None:
    """The lines before the chain, as a sentence."""
    for number, line in enumerate(derivation.before):
        words = line.prose or "and"
        page.say(f"{words if not number else words.lower() if words[1:] else words} {opening}")
        page.write(line.left)
        page.say(" = ")
        page.write(line.right, number)
        page.say(closing + (between if number + 1 < len(derivation.before) else ". "))


def _conclude(page: Page, derivation: Derivation, opening: str, closing: str) -> None:
    """The lines after the chain."""
    start = len(derivation.before) + len(derivation.chain)
    for number, line in enumerate(derivation.after, start):
        page.say(f"{line.prose} {opening}")
        page.write(line.left)
        page.say(" = ")
        page.write(line.right, number)
        page.say(f"{closing}.\n")


def _integral_of(derivation: Derivation) -> str:
    return rf"\int {derivation.integrand}\,dx"


def _links(derivation: Derivation) -> Iterator[tuple[int, Line]]:
    return enumerate(derivation.chain, len(derivation.before))


def displays(page: Page, derivation: Derivation) -> None:
    _introduce(page, derivation, "$", "$", ", ")
    page.say("Then\n\\[ ")
    page.write(_integral_of(derivation))
    for number, line in _links(derivation):
        page.say(" = ")
        page.write(line.right, number)
        page.say(" \\]\nand so\n\\[ " if line is not derivation.chain[-1] else ". \\]\n")
    _conclude(page, derivation, "$", "$")


def align(page: Page, derivation: Derivation) -> None:
    _introduce(page, derivation, "$", "$", ", ")
    page.say("We get\n\\begin{align*}\n")
    page.write(_integral_of(derivation))
    for number, line in _links(derivation):
        page.say(" &= ")
        page.write(line.right, number)
        page.say(" \\\\\n" if line is not derivation.chain[-1] else "\n")
    page.say("\\end{align*}\n")
    _conclude(page, derivation, "\\(", "\\)")


def one_line(page: Page, derivation: Derivation) -> None:
    _introduce(page, derivation, "$", "$", " and ")
    page.say("\n$$")
    page.write(_integral_of(derivation))
    for number, line in _links(derivation):
        page.say("=")
        page.write(line.right, number)
    page.say("$$\n")
    _conclude(page, derivation, "$$", "$$")


def restated(page: Page, derivation: Derivation) -> None:
    page.say(f"We want $\\displaystyle {_integral_of(derivation)}$.\n\n")
    _introduce(page, derivation, "\\( ", " \\)", "; ")
    for number, line in _links(derivation):
        page.say("\n" + ("Therefore" if number % 2 else "It follows that") + "\n$$\n")
        page.write(_integral_of(derivation))
        page.say(" = ")
        page.write(line.right, number)
        page.say("\n$$")
    page.say("\n")
    _conclude(page, derivation, "\n$$ ", " $$\n")


def bare(page: Page, derivation: Derivation) -> None:
    for number, line in enumerate(derivation.before):
        page.write(line.left)
        page.say(" = ")
        page.write(line.right, number)
        page.say("\n")
    page.write(_integral_of(derivation))
    for number, line in _links(derivation):
        page.say("\n= " if number > len(derivation.before) else " = ")
        page.write(line.right, number)
    page.say("\n")
    _conclude(page, derivation, "\n", "")


def steps(page: Page, derivation: Derivation) -> None:
    number = 0
    if derivation.before:
        page.say("### Step 1: Preparation\n\n")
        for number, line in enumerate(derivation.before):
            page.say(f"- {line.prose or 'and'} $")
            page.write(line.left)
            page.say(" = ")
            page.write(line.right, number)
            page.say("$\n")
    page.say("\n### Step 2: The integral\n\n")
    front = _integral_of(derivation)
    for number, line in _links(derivation):
        page.say(f"{number}. \\[")
        page.write(front)
        page.say(" = ")
        page.write(line.right, number)
        page.say("\\]\n")
        front = line.right
    page.say("\n### Step 3: Result\n\n")
    _conclude(page, derivation, "\\[", "\\]")


def columns(page: Page, derivation: Derivation) -> None:
    if derivation.before:
        page.say("\\begin{align*}\n")
        for number, line in enumerate(derivation.before):
            page.write(line.left)
            page.say(" &= ")
            page.write(line.right, number)
            page.say(" & " if number % 2 == 0 else " \\\\\n")
        page.say("\\end{align*}\n")
    page.say("\\[\\begin{aligned}\n& ")
    page.write(_integral_of(derivation))
    for number, line in _links(derivation):
        page.say(" \\\\\n&\\quad = ")
        page.write(line.right, number)
    page.say("\n\\end{aligned}\\]\n")
    _conclude(page, derivation, "\\[ ", " \\]")


def german(page: Page, derivation: Derivation) -> None:
    page.say("Lösung. ")
    for number, line in enumerate(derivation.before):
        page.say("Wir setzen $" if not number else ", also $")
        page.write(line.left)
        page.say(" = ")
        page.write(line.right, number)
        page.say("$")
    page.say(". Damit ist\n\\begin{equation*}\\begin{split}\n")
    page.write(_integral_of(derivation))
    for number, line in _links(derivation):
        page.say(" &= ")
        page.write(line.right, number)
        page.say("\\\\[4pt]\n")
    page.say("\\end{split}\\end{equation*}\n")
    _conclude(page, derivation, "$", "$")


def inline(page: Page, derivation: Derivation) -> None:
    _introduce(page, derivation, "$", "$", ", ")
    front = _integral_of(derivation)
    for number, line in _links(derivation):
        page.say("So $" if number % 2 else "We have $")
        page.write(front)
        page.say(" = ")
        page.write(line.right, number)
        page.say("$. ")
        front = line.right
    page.say("\n")
    _conclude(page, derivation, "$", "$")


def fence(page: Page, derivation: Derivation) -> None:
    page.say("```latex\n")
    bare(page, replace(derivation, after=()))
    page.say("```\n")
    _conclude(page, derivation, "$", "$")


def thought(page: Page, derivation: Derivation) -> None:
    page.say(f"<think>Is $\\int {derivation.integrand}\\,dx = x$? No, $1 = 2$.</think>\n")
    align(page, derivation)


VOICES: tuple[Voice, ...] = (
    displays,
    align,
    one_line,
    restated,
    bare,
    steps,
    columns,
    german,
    inline,
    fence,
    thought,
)

STYLES: tuple[Callable[[str], str], ...] = (
    lambda latex: latex,
    lambda latex: latex,
    lambda latex: re.sub(r"(?<![A-Za-z\\])d(?=x|u|\\theta|t\b|w)", r"\\mathrm{d}", latex),
    lambda latex: latex.replace(r"\frac", r"\dfrac").replace(r"\,d", r"\;d"),
    lambda latex: latex.replace(" + C", " + K"),
    lambda latex: latex.replace(r"\,d", " d").replace(r"\ln|", r"\ln |"),
)

ENDINGS = (
    "\nThe answer is $\\boxed{%s}$.",
    "\n\\[\\boxed{%s}\\]",
    "\n**Final answer:** $%s$",
    "",
)


def written(
    name: str, derivation: Derivation, voice: Voice, r: Random, wrong: int | None, label: str
) -> Labelled:
    """A derivation in a voice."""
    page = Page(r.choice(STYLES))
    voice(page, derivation)
    answer = (derivation.after or derivation.chain)[-1].right
    # Where lines follow the chain, its last link is not the answer.
    ending = r.choice(ENDINGS[:3] if derivation.after else ENDINGS)
    page.say(ending % page.style(answer) if ending else "")
    start, end = page.places[wrong] if wrong is not None else (-1, -1)
    step = derivation.lines[wrong].kind if wrong is not None else ""
    return Labelled(name, derivation.integrand, page.text, voice.__name__, label, step, start, end)


def planted(derivation: Derivation, at: int, right: str) -> Derivation:
    """The derivation with a changed right side in a line."""
    lines = [*derivation.lines]
    lines[at] = replace(lines[at], right=right)
    start = len(derivation.before)
    second = start + len(derivation.chain)
    return replace(
        derivation,
        before=tuple(lines[:start]),
        chain=tuple(lines[start:second]),
        after=tuple(lines[second:]),
    )


def carried(derivation: Derivation, start: int, factor: str) -> Derivation:
    """The derivation with an extra factor in a link of the chain and in all later links."""
    for at in range(start, len(derivation.before) + len(derivation.chain)):
        body, plus, constant = derivation.lines[at].right.partition(" + C")
        derivation = planted(derivation, at, rf"{factor}\left({body}\right){plus}{constant}")
    return derivation


def corpus(size: int = SIZE, seed: int = SEED) -> Iterator[Labelled]:
    """The solutions: two of five are right; three of five have an error."""
    for number in range(size):
        # A solution depends on its number alone, so the corpus can grow.
        r = Random(f"{seed}/{number}")
        make = TEMPLATES[number % len(TEMPLATES)]
        voice = VOICES[number % len(VOICES)]
        derivation = make(r)
        name = f"{number:03d}-{derivation.name}"
        label = ("right", "lucky", "right", "last", "carried")[number // len(TEMPLATES) % 5]
        lines = derivation.lines
        final = len(lines) - 1
        # An error is only carried through a chain; lines after the chain would correct the error.
        if label == "carried" and derivation.after:
            label = "last"
        if label == "right":
            yield written(name, derivation, voice, r, None, label)
            continue
        if label == "carried":
            at_line = r.randrange(len(derivation.before), final + 1)
            factor = r.choice(["-", "2", r"\frac{1}{2}"])
            yield written(name, carried(derivation, at_line, factor), voice, r, at_line, label)
            continue
        # Lines with known mistakes: the final line for "last", any other line for "lucky".
        able = [
            at for at, line in enumerate(lines) if line.wrong and (at == final) == (label == "last")
        ]
        at_line = r.choice(able)
        wrong = planted(derivation, at_line, r.choice(lines[at_line].wrong))
        yield written(name, wrong, voice, r, at_line, label)


if __name__ == "__main__":
    for solution in corpus():
        print(json.dumps(asdict(solution), ensure_ascii=False))
