r"""Worked solutions of a textbook in LaTeX, as problems with solutions and the signs to be judged.

Nothing is fetched and nothing of a text is kept here: `worked` runs on a folder of ``.tex`` files.
The converter knows no formula. What it counts, every ``=`` of a display, is therefore a denominator
that does not depend on what `calculus_harness.rewards.verify.solution_steps` reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random

#: Macros that stand in the headers of books, where these are not in the folder.
MACROS = {
    "dd": (0, r"\,d"),
    "ds": (0, ""),
    "dsp": (0, ""),
    "abs": (1, r"\left|#1\right|"),
    "primeskip": (0, ""),
    "LHequals": (0, r"\overset{\text{H}}{=}"),
}
#: Rounds of macros within macros, and characters of a body that is no layout.
_ROUNDS, _BODY = 3, 120

_COMMENT = re.compile(r"(?<!\\)%[^\n]*\n?")
_MACRO = re.compile(r"\\(?:re)?newcommand\*?\s*\{?\\([A-Za-z]+)\}?\s*(?:\[(\d)\])?\s*\{")
_EXAMPLE = re.compile(
    r"\\begin\{(example|exmp|ex|problem|solvedexample)\*?\}(.*?)\\end\{\1\*?\}", re.DOTALL
)
_SOLUTION = re.compile(
    r"\\solution\b|\\begin\{(?:solution|soln|Solution)\}|\\textbf\{Solution[.:]?\}"
)
_PICTURE = re.compile(
    r"\\begin\{(tikzpicture|figure|marginfigure|wrapfigure|center)\*?\}.*?\\end\{\1\*?\}", re.DOTALL
)
_LAYOUT = re.compile(
    r"\\(?:label|index|autoref|ref|eqref|vspace|hspace|tag|footnotesize|youtubeVideo|cite)\*?"
    r"\s*(?:\[[^\]]*\])?\{[^{}]*\}|\\(?:scriptsize|small|normalsize|footnotesize|notag|nonumber"
    r"|allowbreak|bigskip|smallskip|medskip|noindent|hfill)(?![A-Za-z])"
)
_ITEM = re.compile(r"\\item(?![A-Za-z])(?:\[[^\]]*\])?")
_MATH = re.compile(r"\\\[(.*?)\\\]|\\\((.*?)\\\)|\$\$(.*?)\$\$|\$([^$]+)\$", re.DOTALL)
_INTEGRAL = re.compile(r"\\int(?![A-Za-z]).*?d\s*\\?[A-Za-z]+(?:\s*\})?", re.DOTALL)
#: A problem about a function that only the text, or a picture, defines.
_UNDEFINED = re.compile(r"(?<![A-Za-z\\])[A-Za-z]'?\s*\([a-z]\)")
_DISPLAY = re.compile(
    r"\\\[.*?\\\]|\$\$.*?\$\$"
    r"|\\begin\{(equation|align|alignat|gather|multline|flalign|eqnarray|displaymath)(\*?)\}"
    r".*?\\end\{\1\2\}",
    re.DOTALL,
)
_SCRIPT = re.compile(r"[_^]\s*\{[^{}]*\}|\\(?:text|mbox|intertext|textrm)\s*\{[^{}]*\}")
#: What a slip makes of a piece of a formula; another digit is the next one.
_SLIPS = {"+": "-", "-": "+", r"\sin": r"\cos", r"\cos": r"\sin", r"\ln": r"\exp"}
_SLIP = re.compile(
    r"(?<![_^{\d.])\d(?![\d.])|[+-](?=\s*(?!C(?![A-Za-z]))[\w\\])|\\(?:sin|cos|ln)(?![A-Za-z])"
)


@dataclass(frozen=True, slots=True)
class Worked:
    """A worked solution, the problem, and the offsets of the signs of equality in displays."""

    source: str
    problem: str
    text: str
    signs: tuple[int, ...]


def macros_of(texts: Mapping[str, str]) -> dict[str, tuple[int, str]]:
    """The macros of files, by name: the number of arguments and the body."""
    macros = {}
    for text in texts.values():
        for match in _MACRO.finditer(text):
            end = _closing(text, match.end() - 1)
            body = text[match.end() : end]
            if end >= 0 and len(body) < _BODY:
                macros[match[1]] = (int(match[2] or 0), body)
    return macros | MACROS


def expanded(text: str, macros: Mapping[str, tuple[int, str]]) -> str:
    """A text with macros written out."""
    for _ in range(_ROUNDS):
        pieces: list[str] = []
        at = 0
        for match in re.finditer(r"\\([A-Za-z]+)", text):
            if match.start() < at or match[1] not in macros:
                continue
            count, body = macros[match[1]]
            end = match.end()
            for number in range(1, count + 1):
                start = re.compile(r"\s*").match(text, end).end()  # type: ignore[union-attr]
                if text[start : start + 1] == "{":
                    close = _closing(text, start)
                    argument, end = text[start + 1 : close], close + 1
                else:
                    argument, end = text[start : start + 1], start + 1
                body = body.replace(f"#{number}", argument)
            pieces += [text[at : match.start()], body]
            # A macro ends at a letter, its body need not.
            pieces += [" "] if not count and text[end : end + 1].isalpha() and body else []
            at = end
        if not pieces:
            break
        text = "".join(pieces) + text[at:]
    return text


def worked(folder: Path) -> Iterator[Worked]:
    """The worked solutions of a folder about a single integral, in the order of the files."""
    texts = {
        str(path): path.read_text("utf-8", "replace") for path in sorted(folder.rglob("*.tex"))
    }
    texts = {name: _COMMENT.sub("\n", text) for name, text in texts.items()}
    # Macros may be defined in one file and used in another.
    macros = macros_of(texts)
    for name, text in texts.items():
        for number, example in enumerate(_EXAMPLE.finditer(text)):
            cut = _SOLUTION.search(example[2])
            if cut is None:
                continue
            statement, solution = (
                _LAYOUT.sub(" ", _PICTURE.sub(" ", expanded(item, macros)))
                for item in (example[2][: cut.start()], example[2][cut.end() :])
            )
            problems = integrals(statement)
            items = _ITEM.split(solution)
            # Exercises with several parts have an item for each part; the text before the first
            # item belongs to none.
            answers = items[1:] if len(items) > len(problems) > 1 or len(items) > 2 else [solution]
            for index, item in enumerate(answers):
                # The problem is the part's own integral, the only integral of the statement, or the
                # first integral of the solution.
                own = integrals(item)
                if len(answers) > 1 and len(problems) == len(answers):
                    problem = problems[index]
                elif len(answers) == 1 and problems:
                    problem = problems[0]
                elif own:
                    problem = own[0]
                else:
                    continue
                source = f"{Path(name).name}:{number}.{index}"
                yield Worked(source, problem, item, tuple(signs(item)))


def integrals(text: str) -> list[str]:
    """The integrals of a statement, in LaTeX."""
    problems: list[str] = []
    for match in _MATH.finditer(text):
        formula = next(group for group in match.groups() if group is not None)
        for hit in _INTEGRAL.finditer(formula):
            integral = hit[0].strip()
            if _UNDEFINED.search(integral):
                continue
            if integral.count("\\int") == 1 and integral.count("{") == integral.count("}"):
                problems.append(integral)
    return problems


def signs(text: str) -> Iterator[int]:
    """The offsets of every ``=`` in a display, without scripts and words."""
    for display in _DISPLAY.finditer(text):
        formula = _SCRIPT.sub(lambda match: " " * len(match[0]), display[0])
        for match in re.finditer("=", formula):
            yield display.start() + match.start()


def slip_in(text: str, start: int, end: int, random: Random) -> tuple[str, int] | None:
    """A text with a slip between two offsets, and the slip's place; None without room."""
    slips = list(_SLIP.finditer(text, start, end))
    if not slips:
        return None
    slip = random.choice(slips)
    wrong = _SLIPS.get(slip[0]) or str((int(slip[0]) + 1) % 10)
    return text[: slip.start()] + wrong + text[slip.end() :], slip.start()


def _closing(text: str, start: int) -> int:
    depth = 0
    for at in range(start, len(text)):
        if text[at - 1 : at] == "\\":
            continue
        depth += (text[at] == "{") - (text[at] == "}")
        if not depth:
            return at
    return -1
