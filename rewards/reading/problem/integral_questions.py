r"""Reads a question for an integral in other people's words: "3. Find $\int a^x dx$, $a>0$. [4]".

1. What stands around the question is left out: its number, marks, hints.
2. If no formula is marked, the integral is found by its sign, or by words such as "integral of".
3. The main formula has the integral sign. Without a sign, words say which formula is the integrand
   ("Integrate $x e^x$"), the variable ("with respect to") and the limits ("from", "to").
4. Statements about symbols become conditions. Any other formula has to be a symbol or a part of the
   integral, a definition in the integral, a substitution, a form of the answer, or a fact about
   numbers.
5. The remaining prose may not change the question. Beside an integral with a sign, words of
   arithmetic are refused, another quantity "of" the integral, and what is done with the integral
   afterwards. Words that stand for a sign are all understood, as in other kinds of questions.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Final

from ...errors import ProblemError
from ..expression.traversal import symbols_of
from ..latex import ReadError, read
from ..latex.tokens.roles import IN_PROBLEM
from . import prose
from .conditions import NAME, Conditions, conditions_of
from .prose import DELIMITER, MARKED

#: An integral sign, perhaps without its backslash.
_SIGN: Final = re.compile(
    r"\\(?:int|intop|smallint|iint|iiint|oint|idotsint|fint)(?![A-Za-z])|[∫∬∭∮]"
    r"|(?<![A-Za-z\\])int(?=[\s_(]|\Z)"
)
_ASKS: Final = r"(?:antiderivatives?|integrals?|integrate|integrating|primitives?)"
_WORDS: Final = (
    prose.INTEGRAL
    | prose.TABLE["convergence"]
    | {"from", "function", "improper", "respect", "to", "whether", "with"}
)
#: The last words before a formula, and what the formula is in an integral without a sign.
_ROLES: Final = (
    (re.compile(r"\brespect\s+to\s*\Z"), "variable"),
    (re.compile(r"\bfrom\s*\Z"), "_"),
    (re.compile(r"\bto\s*\Z"), "^"),
)
#: A function and its argument, as they stand before the formula of the function: f(x) =, y =.
_NAMED: Final = re.compile(
    r"\s*(?:\\mathrm\s*\{(?P<upright>[A-Za-z])\}|(?P<name>[A-Za-z](?:_\w)?))\s*"
    r"(?:(?:\\left)?\(\s*(?P<variable>[A-Za-z])\s*(?:\\right)?\))?\s*=(?!=)"
)
#: A differential.
_DIFFERENTIAL: Final = re.compile(
    r"(?<![A-Za-z\\])\\?(?:mathrm\s*\{\s*d\s*\}\s*|d)(?P<variable>[A-Za-z]|\\[a-z]+)(?![A-Za-z])"
)
#: What ends an unmarked integrand: punctuation, prose, or a new line.
_END: Final = re.compile(
    r"[?!;]|[.,:](?=\s|\Z)|\n|\s--|\s\((?=[a-z]\s*[<>=]|[a-z]{3,})"
    r"|\s+(?=(?:from|with|for|where|and|is|on|over|please)\b)"
)
_LIMITS: Final = re.compile(
    r"\s+from\s+(?P<lower>[^\s,]+(?:\s*=\s*[^\s,]+)?)\s+to\s+(?P<upper>[^\s,?]+(?:\s*=\s*[^\s,?]+)?)"
)
_WRT: Final = re.compile(r"\bw\.?\s?r\.?\s?t\b\.?")
_BY: Final = re.compile(r"\s+with\s+respect\s+to\s+(?P<variable>[A-Za-z])\b")
_OF: Final = re.compile(r"(?:\s+of)?\s+(?:the\s+function\s+)?(?=\S)")
_ASKED: Final = re.compile(rf"\b{_ASKS}\b", re.IGNORECASE)
_SENTENCE: Final = re.compile(r"(?<=[.?!;])\s+|\n+")
#: Where a statement about symbols may begin in a sentence.
_START: Final = re.compile(
    r"[,(]|\b(?:assum\w+|for|given(?:\s+that)?|if|let|provided|suppose|treat|when|where|with)\b",
    re.IGNORECASE,
)
_INSTRUCTION: Final = re.compile(
    rf"\b(?:{'|'.join(sorted(prose.TABLE['value'] | prose.TABLE['form']))}|{_ASKS})\b",
    re.IGNORECASE,
)
#: Words beside statements about symbols.
_STATEMENT: Final = frozenset(("as", "given", "that", "the", "treat"))
#: Places between two instructions where a statement may begin or end, each of which is tried.
_TRIES: Final = 12
#: What stands before a form of the answer, or before the name of a constant of integration.
_OF_THE_ANSWER: Final = re.compile(
    r"\b(?:form|fraction|terms\s+of|(?:written|expressed)\s+as)\s*\Z"
)
_OF_A_CONSTANT: Final = re.compile(r"\b(?:constant|involving)\s*\Z")
_IS_A_CONSTANT: Final = re.compile(
    r"\s*(?:is|be|denotes)\s+(?:an?\s+|the\s+)?(?:\w+\s+)?constant\b"
)
#: Words that change an integral: arithmetic, and forms of a number that are not exact.
_ARITHMETIC: Final = re.compile(
    rf"\b(?:{'|'.join(sorted(prose.TABLE['arithmetic']))})\b", re.IGNORECASE
)
_NAMES: Final = re.compile(prose.phrases("name", "no kind"), re.IGNORECASE)
_DENIED: Final = re.compile(r"\b(?:no|not|never|without|instead)\b|n['’]t\b", re.IGNORECASE)
#: Words with which a statement about symbols does not hold.
_NOT_STATED: Final = re.compile(
    rf"{_DENIED.pattern}|\b(?:unless|except\w*|excluding)\b", re.IGNORECASE
)
#: What may be asked for "of" an integral; anything else is another question.
_OF_INTEGRAL: Final = re.compile(
    r"\b(?P<noun>[A-Za-z-]+)\s+(?:of|for)\s+(?:the\s+|this\s+)?(?:\w+\s+){0,2}?(?:integral\s+)?\Z"
)
_ASKED_OF: Final = frozenset(
    """answer evaluation expression form formula integral integrals result solution terms transform
    value""".split()
)
#: What makes an integral a part of a formula: a factor before the integral, an operator behind.
_FACTOR_BEFORE: Final = re.compile(
    r"(?:[-+*/^<>\d)}\ue012]|(?<![A-Za-z\\'’])(?!I\b|a\b)[A-Za-z]|\\[A-Za-z]+)\s*\Z"
)
_TERM_BEHIND: Final = re.compile(
    r"(?:\\[,;:!]|\s)*(?:-(?!-)|[+*/^<>\d\ue012]|\\(?!text|quad|qquad)[A-Za-z]|d?(?![aI]\b)[A-Za-z]\b)"
)
#: What is done with an integral afterwards.
_THEN: Final = re.compile(
    rf"\b(?:and|then)\b[^.?!]*?\b(?:{'|'.join(sorted(prose.TABLE['operation']))})\b", re.IGNORECASE
)
#: How an answer is to be written: with a constant of integration, in a box, in terms of a letter.
_ANSWER: Final = re.compile(r"\+\s*[Cc]\b|\\boxed\s*\{[^{}]*\}")
_IN_TERMS_OF: Final = re.compile(r"(?<=\bin terms of )(?!a\s+[a-z])(\\?[A-Za-z])\b")
#: A sentence in which the writer tells what was tried. A wish may change the question.
_NARRATION: Final = re.compile(r"\b(?:I|I['’](?:m|ve|d|ll)|[Mm]y)\b(?!.*\b(?:need|want|should)\b)")
#: Space, and sizes of fractions.
_SPACE: Final = re.compile(r"\s|\\[,;:! ]|(?<=\\)[dt](?=frac)")
_LETTER: Final = re.compile(r"\\[A-Za-z]+|[A-Za-z]")
_PLACE: Final = re.compile("\ue012(\\d+)\ue012")
_SPOKEN: Final = re.compile(rf"{_PLACE.pattern}|[A-Za-z'’]{{2,}}|[.?!]")


@dataclass(frozen=True)
class _AskedIntegral:
    """The integral of a question.

    Attributes:
        formula: the integral.
        numbers: the numbers of the question's formulas that the integral consists of.
        has_sign: whether the integral stands in the question with a sign.
        written: the formula of the question, perhaps with a name.

    """

    formula: str
    numbers: frozenset[int]
    has_sign: bool
    written: str

    @property
    def is_definite(self) -> bool:
        """Whether the sign has limits."""
        return re.search(rf"(?:{_SIGN.pattern})\s*(?:\\limits\s*)?[_^]", self.formula) is not None

    @property
    def variable(self) -> str:
        """The variable of integration, or x if there is no differential."""
        differentials = [match["variable"] for match in _DIFFERENTIAL.finditer(self.formula)]
        return differentials[-1].lstrip("\\") if differentials else "x"

    @property
    def letters(self) -> set[str]:
        """The letters of the formula, and the names of the commands."""
        return {letter.lstrip("\\") for letter in _LETTER.findall(self.written)}


def integral_question(text: str) -> tuple[str, Conditions] | None:
    r"""Find the integral that a question asks for. Return its formula and the conditions.

    The result is None if the question is not understood.

    Raises:
        ProblemError: a word may change the question, or the question has several integrals.

    >>> integral_question(r"3. Integrate $t e^t$ with respect to $t$. [4 marks]")[0]
    '\\int  {t e^t} \\,dt'
    >>> integral_question(r"help me integrate x*e^x from 0 to 1? I got 2")[0]
    '\\int _{0}^{1} {x*e^x} '

    """
    if len(text) > prose.LONGEST:
        return None
    question = prose.SUBSTITUTION.sub(" ", prose.without_frame(text))
    question = _WRT.sub(" with respect to ", question)
    question = _with_marks(_ANSWER.sub(" ", question))
    question = _IN_TERMS_OF.sub(r"$\1$", question)
    formulas = [DELIMITER.sub(" ", match[0]).strip(" .,;:?") for match in MARKED.finditer(question)]
    numbers = iter(range(len(formulas)))
    places = MARKED.sub(lambda _: f" \ue012{next(numbers)}\ue012 ", question)
    integral = _integral(places, formulas)
    if integral is None or DELIMITER.search(places):
        return None
    formula, conditions, remainder = integral.formula, Conditions(), ""
    for sentence in _SENTENCE.split(places):
        kept, stated = _without_conditions(sentence, formulas, integral)
        conditions = conditions.also(stated)
        is_main = any(int(at) in integral.numbers for at in _PLACE.findall(kept))
        if not is_main and _NARRATION.search(kept):  # words and marked formulas count, others not
            kept = " ".join(word[0] for word in _SPOKEN.finditer(kept))
        remainder += f" {kept}"
    for match in _PLACE.finditer(remainder):
        beside = formulas[int(match[1])]
        if int(match[1]) in integral.numbers:
            continue
        defined = _with_definition(formula, beside)
        around = remainder[: match.start()], remainder[match.end() :]
        if defined == formula and not _says_nothing(beside, *around, integral):
            return None
        formula = defined
    if integral.has_sign:
        if _is_changed(remainder, integral):
            raise ProblemError("words beside the integral may change the question")
    else:
        plain = _put_back(remainder, formulas, "$")
        words = MARKED.sub(" ", plain)
        if prose.UNMARKED.search(words) or prose.states_kind(words):
            return None
        prose.without_prose(plain, _WORDS)
    letters = integral.letters
    return formula, Conditions(
        tuple(item for item in conditions.kinds if item[0].partition("_")[0] in letters),
        tuple(each for each in conditions.comparisons if letters & symbols_of(each)),
    )


def _integral(places: str, formulas: list[str]) -> _AskedIntegral | None:
    """Find the integral among the formulas of a question, or write the integral as words say."""
    signed = [at for at, formula in enumerate(formulas) if _SIGN.search(formula)]
    if len(signed) > 1:
        raise ProblemError("the question has more than one integral")
    if signed:
        formula = _with_latex_limits(_TAIL.sub("", formulas[signed[0]]))
        return _AskedIntegral(_without_name(formula), frozenset(signed), True, formula)
    parts: dict[str, int] = {}
    for match in _PLACE.finditer(places):
        before = places[: match.start()]
        role = next((role for last, role in _ROLES if last.search(before)), "integrand")
        if role in parts and role != "integrand":
            return None
        if re.search(rf"(?i)\b{_ASKS}\b[^.?!]*\Z", before):
            parts.setdefault(role, int(match[1]))
    limits = [mark for mark in "_^" if mark in parts]
    is_definite = bool(limits) or re.search(r"\bdefinite\b", places)
    if "integrand" not in parts or (is_definite and len(limits) < 2):
        return None
    integrand, variable = formulas[parts["integrand"]], ""
    if (named := _NAMED.match(integrand)) is not None:
        integrand, variable = integrand[named.end() :], named["variable"] or ""
    if "variable" in parts:
        variable = formulas[parts["variable"]]
    marks = "".join(f"{mark}{{{formulas[parts[mark]]}}}" for mark in limits)
    differential = rf"\,d{variable}" if variable else ""
    written = _with_latex_limits(rf"\int {marks} {{{integrand}}} {differential}")
    return _AskedIntegral(written, frozenset(parts.values()), False, written)


def _without_conditions(
    sentence: str, formulas: list[str], integral: _AskedIntegral
) -> tuple[str, Conditions]:
    """Take the statements about symbols out of a sentence.

    They stand before, between and behind instructions and the integral. A statement may end at a
    comma, or with a formula.
    """
    mains = "|".join(f"\ue012{at}\ue012" for at in sorted(integral.numbers))
    kept, conditions = "", Conditions()
    for unit in re.split(rf"({mains}|{_INSTRUCTION.pattern})", sentence, flags=re.IGNORECASE):
        if _NOT_STATED.search(unit):
            kept += unit
            continue
        found = (*_START.finditer(unit), *_PLACE.finditer(unit))  # with length $L>0$
        starts = (0, *(match.start() for match in found))
        ends = (len(unit), *(match.end() for match in re.finditer(f"{_PLACE.pattern}|(?=,)", unit)))
        for start, end in product(starts[:_TRIES], ends[:_TRIES]):
            if start >= end:
                continue
            statement = _put_back(unit[start:end], formulas, "").strip(" .;?!")
            words = prose.without_words(statement.strip("()"), _STATEMENT)
            has_symbols = _PLACE.search(unit[start:end]) or prose.UNMARKED.search(statement)
            stated = conditions_of(words) if has_symbols and words.strip() else None
            stated = stated or _in_interval(unit[start:end], formulas, integral)
            if stated is not None:
                conditions = conditions.also(stated)
                unit = f"{unit[:start]} ; {unit[end:]}"
                break
        kept += unit
    return kept, conditions


def _is_changed(places: str, integral: _AskedIntegral) -> bool:
    """Whether words beside an integral with a sign may change what is asked for."""
    (number,) = integral.numbers
    preceding, _, following = places.partition(f"\ue012{number}\ue012")
    if _FACTOR_BEFORE.search(preceding) or _TERM_BEHIND.match(following):
        return True
    governed = _OF_INTEGRAL.search(preceding)
    if governed is not None and governed["noun"].lower() not in _ASKED_OF:
        return True
    if _THEN.search(_NAMES.sub(" ", following)):
        return True
    unread = re.findall(r"(?<![A-Za-z\\])([A-Za-z])\s*(?:=|[<>≤≥]|\\[lg]e)", places)
    if any(letter in integral.letters - {integral.variable} for letter in unread):
        return True
    for sentence in _SENTENCE.split(places):
        if _ARITHMETIC.search(_NAMES.sub(" ", sentence)) and not _DENIED.search(sentence):
            return True
        letters = re.findall(r"(?<![A-Za-z\\'’])[A-Za-z](?![A-Za-z'’])", sentence)
        if prose.states_kind(sentence) and not integral.letters.isdisjoint(letters):
            return True  # a is a strange integer
    return False


def _in_interval(text: str, formulas: list[str], integral: _AskedIntegral) -> Conditions | None:
    """Read "on the interval $(0, 1)$" as a statement about the variable of integration."""
    match = re.fullmatch(
        rf"\s*(?:on|over)\s+(?:the\s+)?(?:open\s+)?(?:interval\s+)?{_PLACE.pattern}[\s.]*", text
    )
    interval = match and re.fullmatch(r"\((?P<a>[^,()]+),(?P<b>[^,()]+)\)", formulas[int(match[1])])
    if not interval:
        return None
    return conditions_of(f"{interval['a']} < {integral.variable} < {interval['b']}")


def _without_name(formula: str) -> str:
    r"""Remove the name of an integral: E[X^2] =, \langle r\rangle =, but not 2I =."""
    sign = _SIGN.search(formula)
    name, equals, factor = formula[: sign.start() if sign else 0].rpartition("=")
    inside = re.sub(r"\([^()]*\)|\[[^\[\]]*\]|\\langle.*?\\rangle|_\{[^{}]*\}|_\w", "", name)
    if not equals or re.search(r"[-\d+*/^=<>]|\\frac|\\sqrt", inside):
        return formula
    return factor + formula[sign.start() if sign else 0 :]


def _with_definition(formula: str, beside: str) -> str:
    """Put the formula of a function, which stands beside an integral, into the integral."""
    named = _NAMED.match(beside)
    if named is None or not named["variable"]:
        return formula
    letter = named["upright"] or named["name"]
    applied = re.compile(
        rf"(?:\\mathrm\s*\{{{letter}\}}|(?<![A-Za-z\\]){letter})\s*\(\s*{named['variable']}\s*\)"
    )
    return applied.sub(lambda _: rf"\left({beside[named.end() :]}\right)", formula)


def _says_nothing(formula: str, before: str, behind: str, integral: _AskedIntegral) -> bool:
    """Whether a formula beside the integral says nothing about the integral.

    Args:
        formula: the formula.
        before: the text before the formula.
        behind: the text behind the formula.
        integral: the integral.

    """
    if _OF_A_CONSTANT.search(before) or _IS_A_CONSTANT.match(behind):
        return NAME.fullmatch(formula) is not None
    letters = integral.letters
    if NAME.fullmatch(formula):
        return formula.lstrip("\\").partition("_")[0] in letters
    if _OF_THE_ANSWER.search(before):
        return True
    if not integral.has_sign:
        return False
    part, whole = (_SPACE.sub("", text) for text in (formula, integral.formula))
    if part in whole:
        return True
    sides = [side.strip().removeprefix("d") for side in formula.split("=")]
    try:
        symbols = [symbols_of(read(side, symbols=(IN_PROBLEM,))[0].expression) for side in sides]
    except ReadError:
        stated = conditions_of(formula)
        return stated is not None and letters.isdisjoint(name for name, _ in stated.kinds)
    own = {name for names in symbols for name in names}
    if integral.is_definite and own == {integral.variable}:
        return True  # a place, such as x = 4
    # a fact about numbers; or a substitution, which has a letter that the integral does not have
    is_named = any(
        NAME.fullmatch(side) and (side == integral.variable or side.lstrip("\\") not in letters)
        for side in sides
    )
    is_substitution = is_named and not own <= letters and all(symbols)
    return len(sides) == 2 and (not any(symbols) or is_substitution)


def _put_back(text: str, formulas: list[str], mark: str) -> str:
    return _PLACE.sub(lambda match: f"{mark}{formulas[int(match[1])]}{mark}", text)


# -- questions without marks ----------------------------------------------------------------------


def _with_marks(text: str) -> str:
    """Mark the integral in a text in which no formula is marked."""
    if DELIMITER.search(text):
        return text
    sign = _SIGN.search(text)
    said = _LIMITS.match(text, sign.end()) if sign else None
    if sign is not None and said is None:
        end = _end_of_integral(text, sign.end())
        formula, following = text[sign.start() : end], text[end:]
        if (said := _LIMITS.match(following)) is not None:
            upper = said["upper"].rstrip(".")
            formula = rf"\int_{{{said['lower']}}}^{{{upper}}} {text[sign.end() : end]}"
            following = following[said.end() :]
        return f"{text[: sign.start()]} ${formula}$ {following}"
    asked = sign or _ASKED.search(text)
    if asked is None:
        return text
    said = _LIMITS.match(text, asked.end())
    begin = _OF.match(text, said.end() if said else asked.end())
    if begin is None:
        return text
    stop = _END.search(text, begin.end())
    end = stop.start() if stop else len(text)
    body, following = text[begin.end() : end].rstrip(" ="), text[end:]
    if said is None and (said := _LIMITS.match(following)) is not None:
        following = following[said.end() :]
    words = f" from ${said['lower']}$ to ${said['upper'].rstrip('.')}$" if said else ""
    if (by := _BY.match(following)) is not None:
        words += f" with respect to ${by['variable']}$"
        following = following[by.end() :]
    return f"{text[: asked.start()]} integral of ${body}$ {words} {following}"


def _end_of_integral(text: str, start: int) -> int:
    """Where an unmarked integral ends: behind its differential, and behind a fraction's bar."""
    level, differential, last = 0, 0, ""
    for at, (preceding, character) in enumerate(pairwise(text[start - 1 :]), start):
        last = last if preceding.isspace() else preceding
        level += (character in "([{") - (character in ")]}")
        if (match := _DIFFERENTIAL.match(text, at)) is not None:
            differential = match.end()
        if not differential or at < differential or level > 0 or preceding.isspace():
            continue
        following = text[at + 1 :].lstrip()[:1]
        if character in "?!,;=" or (character == "." and not following.isdigit()):
            return at
        if character.isspace() and following not in ("/", "*", "^") and last not in "/*^":
            return at
    return len(text)


#: What asks for a value behind an integral: = ?, = ____.
_TAIL: Final = re.compile(r"(?:=|\?|\\[,;:!]|\s|_+(?=\s*\Z))+\Z")
_SUPERSCRIPTS: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_SUBSCRIPTS: Final = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")


def _with_latex_limits(formula: str) -> str:
    """Write a sign without a backslash, and limits such as ₀ and oo, as in LaTeX."""
    formula = re.sub(
        "(?P<lower>[₀-₉]+)(?P<upper>[⁰¹²³⁴-⁹]*)",
        lambda match: (
            f"_{{{match['lower'].translate(_SUBSCRIPTS)}}}"
            + (f"^{{{match['upper'].translate(_SUPERSCRIPTS)}}}" if match["upper"] else "")
        ),
        formula,
    )
    formula = re.sub(r"(?<![A-Za-z\\])int(?=[\s_(])", r"\\int ", formula)
    return re.sub(r"(?<![A-Za-z\\])(?:oo|inf(?:inity)?)(?![A-Za-z])", r"{\\infty}", formula)
