r"""Reads a question for an integral in free words: "3. Find $\int a^x dx$, $a>0$. [4]".

1. The surroundings of the question are left out: number, marks, hints.
2. If no formula is marked, the integral is found by the sign, or by words such as "integral of".
3. The main formula has the integral sign. Without a sign, words say which formula is the integrand
   ("Integrate $x e^x$"), the variable ("with respect to") and the limits ("from", "to").
4. Statements about symbols become conditions. Another formula has to be a symbol or a part of the
   integral, a definition in the integral, a substitution, a form of the answer, or a fact about
   numbers.
5. The remaining prose may not change the question. Beside an integral with a sign, words of
   arithmetic are refused, another quantity "of" the integral, and operations on the integral
   afterwards. In place of a sign, all words are understood, as in the rest of the questions.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from ....errors import ProblemError
from .. import prose
from ..conditions import RELATION, Conditions
from ..differential import differentials
from ..layout import ENDS, pieces_of, region, with_large_limits
from ..marks import LONGEST
from .mentions import divided
from .parts import ASKS_INTEGRAL, NAMED, PLACEHOLDER, SENTENCE, TAIL, Target, taken_apart
from .pieces import NUMBER
from .requests import is_narration
from .surroundings import formula_of_question, instance, is_name

#: An integral sign, perhaps without its backslash.
_SIGN: Final = re.compile(
    r"\\(?:int|intop|smallint|iint|iiint|oint|idotsint|fint)(?![A-Za-z])|[∫∬∭∮]"
    r"|(?<![A-Za-z\\])(?:int(?=[\s_(]|\Z)|integral(?=_))"
)
_NOUNS: Final = (
    *("antiderivative", "integral", "integrals", "integrand"),
    *sorted(prose.foreign_words("antiderivative") | {"primitive"}),
)
#: Words that may not stand between "integral of" and the integrand: the square of f.
_BETWEEN: Final = prose.TABLE["operation"] - {"antiderivative", "integral"} | {
    "and", "at", "equals", "in", "is", "on", "or", "over", "then", "when", "where", "with"
}  # fmt: skip
#: Words between the noun and the integrand: "integral of the function", at most so many.
_MOST_WORDS: Final = 6
_STOPS: Final = frozenset(",;.:?!()")
_NOUN: Final = re.compile(rf"\b(?:{ASKS_INTEGRAL})\b", re.IGNORECASE)
_OF: Final = re.compile(r"\s*(?:de|der|di|of|von)\b")
#: What may stand directly before the integrand: "of the function. (Check your answer.)".
_BEFORE_INTEGRAND: Final = re.compile(r"\s*[.:]?\s*(?:\([^()]*\)\s*)?\Z")
_REAL_LINE: Final = re.compile(
    r"\bover\s+(?:all|the)\s+(?:(?:entire|whole)\s+)?real\s+(?:axis|line|numbers)\b"
)
#: What stands before the formula of a function: f: x \mapsto.
MAPPED: Final = re.compile(
    r"(?:[A-Za-z]\s*(?::|\\colon)[^=]{0,80}?)?(?P<variable>[A-Za-z])\s*(?:\\(?:long)?mapsto|↦|⟼)"
)
#: A name that words explain in a formula: (W = \\text{Lambert's function}).
_IN_WORDS: Final = re.compile(
    r"\(?(?P<name>(?:\\[{}]|[^=(){},;\s]){1,40})\s*=\s*\\text\s*\{(?P<words>[^{}]*)\}\)?"
)
#: What words speak of: $x$ is the variable, the fractional part of $x$.
_EXPLAINED: Final = re.compile(rf"{PLACEHOLDER.pattern}\s+is\b|\bof\s+{PLACEHOLDER.pattern}")
#: A letter that may be a variable.
_AVERAGE: Final = re.compile(
    rf"\b(?:average|mean)\s+value\s+of(?=\s+(?:the\s+)?(?:function\s+)?{PLACEHOLDER.pattern})",
    re.IGNORECASE,
)
_CURVE: Final = (
    rf"\s+(?:the\s+)?(?:(?:curves?|functions?|graphs?(?:\s+of)?)\s+)?{PLACEHOLDER.pattern}"
)
_AXIS: Final = r"\s+and\s+the\s+(?:x|\ue012(?P<axis>\d+)\ue012\s*)-?\s*axis"
_AREA: Final = re.compile(
    r"\barea\s+(?:of\s+the\s+region\s+)?(?:(?:below|beneath|under)"
    + _CURVE
    + r"|(?:between|bounded\s+by|enclosed\s+by)"
    + _CURVE
    + rf"(?:{_AXIS}|\s+and\s+{PLACEHOLDER.pattern}))",
    re.IGNORECASE,
)
_WHOLE: Final = ("integer", "signed integer", "even", "odd")
_FREE_LETTER: Final = re.compile(r"(?<![\\A-Za-z])[A-Za-df-z](?![A-Za-z])")
_WIDE_SPACE: Final = re.compile(r"\\q?quad(?![A-Za-z])")
#: Spaces with a sign that also separates formulas.
_PAUSE_SPACE: Final = re.compile(r"(?<!\\)\\[,;]")
#: Letters that stand for Heaviside's function.
#: The value of a function at a number, or a point, and the words before; "find $F(t)$".
_VALUE: Final = re.compile(r"\s*(?P<name>[A-Za-z])\s*\((?P<at>[^()]+)\)\s*=(?P<value>[^=]+)")
_POINT: Final = re.compile(r"\s*\((?P<at>[^(),]+),(?P<value>[^(),]+)\)\s*")
_CONDITION: Final = f"(?:{prose.phrases('condition')}|{prose.foreign_phrases('condition')})"
_STATED_VALUE: Final = re.compile(
    rf",?\s*{_CONDITION}(?:\s+{_CONDITION})*\s*{PLACEHOLDER.pattern}", re.IGNORECASE
)
_REQUESTED_NAME: Final = re.compile(
    rf"\b(?:determine|find)\s+{PLACEHOLDER.pattern}\s*\.", re.IGNORECASE
)
_STEP: Final = re.compile(r"(?<![A-Za-z\\])(?:H|u|\\theta)(?=\s*(?:\\left\s*)?\()")


def integral_question(text: str) -> tuple[str, Conditions] | None:
    r"""Find the requested integral. Return the formula and the conditions.

    The result is None if the question is not understood.

    Raises:
        ProblemError: a word may change the question, or the question has several integrals.

    >>> integral_question(r"3. Integrate $t e^t$ with respect to $t$. [4 marks]")[0]
    '\\int  {t e^t} \\,dt'
    >>> integral_question(r"help me integrate x*e^x from 0 to 1? I got 2")[0]
    '\\int _{0}^{1} {x*e^x} '

    """
    question_parts = _pieces_apart(text)
    if question_parts is None and _SIGN.search(text):  # int_0^1 x dx, or \int_0^1 x\,dx = ?
        bare = TAIL.sub("", prose.without_frame(text).strip())
        if "\\int" not in bare or bare != text.strip():
            question_parts = ("\ue0120\ue012", [bare])
    question_parts = question_parts or _listed(text)
    question_parts = _without_attempts(*question_parts) if question_parts else None
    is_mean = False
    if question_parts and not any(map(has_integral_sign, question_parts[1])):
        is_mean = _AVERAGE.search(question_parts[0]) is not None
        question_parts = _of_quantity(*question_parts)
    integral = _integral(*question_parts, is_mean=is_mean) if question_parts else None
    if not question_parts or not integral:
        return None
    integral = instance(integral, question_parts[1])
    formula, conditions = formula_of_question(question_parts, integral)
    whole = {name for name, assumption in conditions.assumptions if assumption in _WHOLE}
    if integral.is_bound and integral.variable in whole:
        raise ProblemError(f"an integral over whole numbers {integral.variable}?")
    if "Heaviside" in text:  # else H(x) may be a product
        formula = _STEP.sub(r"\\operatorname{Heaviside}", formula)
    return formula, conditions


def has_integral_sign(text: str) -> bool:
    """Whether a text has the sign of an integral."""
    return _SIGN.search(text) is not None


def value_of_antiderivative(text: str) -> tuple[str, Conditions, str, str] | None:
    r"""Find the requested antiderivative, if the question states a value of the antiderivative.

    Returns:
        The integral, the conditions, the name of the antiderivative, and the value as an equation.
        The result is None if the question states no value.

    Raises:
        ProblemError: a word may change the question.

    >>> value_of_antiderivative("Find the antiderivative $F$ of $2x$ with $F(0)=1$.")[2:]
    ('F', 'F(0)=1')

    """
    question_parts = taken_apart(text)
    if question_parts is None:
        return None
    marked_prose, formulas = question_parts
    stated = [*_STATED_VALUE.finditer(marked_prose)]
    if len(stated) != 1:
        return None
    value, point = (pattern.fullmatch(formulas[int(stated[0][1])]) for pattern in (_VALUE, _POINT))
    match = value or point
    if match is None or not all(map(NUMBER.fullmatch, match.group("at", "value"))):
        return None
    name = value["name"] if value else "F"
    others = [formula for at, formula in enumerate(formulas) if at != int(stated[0][1])]
    names = (NAMED.match(other) for other in others if not has_integral_sign(other))
    if any(named and named["name"] == name for named in names):
        return None  # a value of the integrand
    marked_prose = marked_prose.replace(stated[0][0], " ")
    for request in _REQUESTED_NAME.finditer(marked_prose):
        if re.fullmatch(rf"{name}\s*(?:\([a-z]\))?", formulas[int(request[1])].strip()):
            marked_prose = marked_prose.replace(request[0], " ")
    question_parts = marked_prose, formulas
    integral = _integral(*question_parts)
    if integral is None or integral.is_bound:
        return None
    formula, conditions = formula_of_question(question_parts, integral)
    return formula, conditions, name, f"{name}({match['at']})={match['value']}"


def _without_attempts(marked_prose: str, formulas: list[str]) -> tuple[str, list[str]]:
    r"""Leave out the sentences that tell an attempt, if another sentence has an integral.

    "Find $\int f$. I tried $u = x^2$ and got $\int g$." has one integral.
    """
    sentences = SENTENCE.split(marked_prose)
    asking = [
        sentence
        for sentence in sentences
        if not (is_narration(sentence) and prose.says(sentence, "attempt"))
    ]
    kept = "\n".join(asking)
    has_integral = any(_SIGN.search(formulas[int(at)]) for at in PLACEHOLDER.findall(kept))
    if len(asking) == len(sentences) or not has_integral:
        return marked_prose, formulas
    numbers = [*map(int, PLACEHOLDER.findall(kept))]
    kept = PLACEHOLDER.sub(lambda at: f"\ue012{numbers.index(int(at[1]))}\ue012", kept)
    return kept, [formulas[at] for at in numbers]


def _of_quantity(marked_prose: str, formulas: list[str]) -> tuple[str, list[str]]:
    r"""Write an area or an average value between limits as an integral of words.

    The area counts parts below the axis as positive, and the region between two curves on both
    sides. Without curves, the question is left as it is.

    Raises:
        ProblemError: another curve may bound the region.

    """
    marked_prose = _AVERAGE.sub("integral of", marked_prose)
    area = _AREA.search(marked_prose)
    if area is None:
        return marked_prose, formulas
    axis = area["axis"]
    at, *others = (int(n) for n in area.groups() if n and n is not axis)
    curves = [NAMED.match(formulas[number]) for number in (at, *others)]
    if not all(curves) or (axis and formulas[int(axis)].strip() != "x"):
        return marked_prose, formulas
    for number, formula in enumerate(formulas):
        named = NAMED.match(formula)
        if named and number not in (at, *others) and not NUMBER.fullmatch(formula[named.end() :]):
            raise ProblemError(f"{formula!r} may bound the region")
    bodies = [curve.string[curve.end() :] for curve in curves if curve]
    formulas = [*formulas]
    formulas[at] = rf"\left|{'-'.join(f'({body})' for body in bodies)}\right|"
    in_words = f"integral of \ue012{at}\ue012"
    return f"{marked_prose[: area.start()]}{in_words}{marked_prose[area.end() :]}", formulas


def _cut(marked_prose: str, formulas: list[str]) -> tuple[str, list[str]]:
    r"""Cut formulas at punctuation and wide spaces: ``f(x)\,dx,\quad u = x^2`` has two pieces."""
    listed: list[str] = []

    def cut(mention: re.Match[str]) -> str:
        start = len(listed)
        formula = _PAUSE_SPACE.sub(r"\\:", formulas[int(mention[1])])
        pieces = pieces_of(_WIDE_SPACE.sub(";", formula), ",;")
        listed.extend(filter(None, (ENDS.sub("", piece).strip() for piece in pieces)))
        return ", ".join(f"\ue012{at}\ue012" for at in range(start, len(listed)))

    return PLACEHOLDER.sub(cut, marked_prose), listed


def _pieces_apart(text: str) -> tuple[str, list[str]] | None:
    """Take a question apart; from an integral with a sign, what is listed behind is cut off."""
    question_parts = taken_apart(text)
    if question_parts is None or len(question_parts[1]) != 1 or not _SIGN.search(text):
        return question_parts
    marked_prose, pieces = _cut(*(divided(text) or question_parts))
    is_listed = len(pieces) > 1 or marked_prose != question_parts[0]
    return (
        (marked_prose, pieces)
        if is_listed and all(map(RELATION.search, pieces[1:]))
        else question_parts
    )


def _listed(text: str) -> tuple[str, list[str]] | None:
    r"""Take an unmarked formula and the text behind the formula apart: ``f(x),\quad x = 2t``.

    The result is None if nothing stands behind the formula, or another formula without a relation.
    """
    if len(text) > LONGEST:
        return None
    in_words = _IN_WORDS.sub(r"\\text{ where }\g<name>\\text{ is \g<words> }", text)
    marked_prose, formulas = divided(in_words) or ("\ue0120\ue012", [text])
    marked_prose, listed = _cut(marked_prose, formulas)
    # Every formula beside the integral has to be a relation or explained by words, because another
    # formula may be a second integrand.
    signed = [at for at, piece in enumerate(listed) if _SIGN.search(piece)]
    main = signed or [0]
    further_formulas = [piece for at, piece in enumerate(listed) if at not in main]
    explained = {listed[int(a or b)] for a, b in _EXPLAINED.findall(marked_prose)}
    if not all(RELATION.search(piece) or piece in explained for piece in further_formulas):
        return None  # another integrand
    is_named = any(_without_name(listed[at]) != listed[at] for at in signed)
    is_alone = not (further_formulas or is_named or PLACEHOLDER.sub("", marked_prose).strip())
    if is_alone or prose.says(marked_prose, "operation"):
        return None
    # a request, so that every word has to be known; braces are the fractional part anyway
    marked_prose = re.sub(r"[()]", " ", marked_prose)
    if "\\{" in text:
        marked_prose = marked_prose.replace("fractional part", "function")
    if signed:
        return f"find {marked_prose}", listed
    named_values = [named for piece in further_formulas if (named := NAMED.match(piece))]
    if any(not d["variable"] and _FREE_LETTER.search(d.string, d.end()) for d in named_values):
        return None  # of u^2, u = sin x the variable is not known
    return f"integrate {marked_prose}", listed


def _integral(marked_prose: str, formulas: list[str], *, is_mean: bool = False) -> Target | None:
    """Find the integral among the formulas of a question, or write the integral as words say."""
    signed = [at for at, formula in enumerate(formulas) if _SIGN.search(formula)]
    if len(signed) > 1:  # recall that \int_0^\infty e^{-x^2} dx = \sqrt\pi / 2
        signed = [at for at in signed if not _is_fact(formulas[at])]
    if len(signed) > 1:
        raise ProblemError("the question has more than one integral")
    if signed and not _SIGN.fullmatch(formulas[signed[0]].strip()):
        formula = _with_latex_limits(formulas[signed[0]])
        numbers = frozenset(signed)
        limits_in_words = re.match(
            rf"\s*from\s+{PLACEHOLDER.pattern}\s+to\s+{PLACEHOLDER.pattern}",
            marked_prose.partition(f"\ue012{signed[0]}\ue012")[2],
        )
        if limits_in_words is not None:  # \int f(x) dx from 0 to 1
            lower, upper = map(int, limits_in_words.groups())
            sign = _SIGN.search(formula)
            assert sign is not None
            scripts = f"_{{{formulas[lower]}}}^{{{formulas[upper]}}}"
            formula = _with_latex_limits(formula[: sign.end()] + scripts + formula[sign.end() :])
            numbers |= {lower, upper}
        return _target(_without_name(formula), numbers, formula)
    if signed:  # the sign alone, as in "\int from 0 to 1 of f(x) dx"
        marked_prose = marked_prose.replace(f"\ue012{signed[0]}\ue012", "integral")
    marked_prose = _REAL_LINE.sub(f"over \ue012{len(formulas)}\ue012", marked_prose)
    formulas.append(r"\mathbb{R}")
    roles = _roles(marked_prose, formulas)
    if roles is None:
        return None
    # The integral is written in LaTeX, so that the same reader serves both forms of a question.
    limits = [mark for mark in "_^" if mark in roles]
    is_definite = bool(limits) or re.search(r"\bdefinite\b", marked_prose)
    if "integrand" not in roles or (is_definite and len(limits) < 2):
        return None
    integrand, variable = formulas[roles["integrand"]], ""
    if (mapped := MAPPED.match(integrand)) is not None:
        integrand, variable = integrand[mapped.end() :], mapped["variable"]
    elif (named := NAMED.match(integrand)) is not None:
        integrand, variable = integrand[named.end() :], named["variable"] or ""
    if "variable" in roles:
        variable = formulas[roles["variable"]]
    if limits:
        unused = {*range(len(formulas))} - {*roles.values()}
        is_value = re.compile(rf"\s*{re.escape(variable or 'x')}\s*=")
        if any(is_value.match(formulas[number]) for number in unused):
            raise ProblemError("another value of the variable may change the limits")
    marks = "".join(f"{mark}{{{formulas[roles[mark]]}}}" for mark in limits)
    factor = ""
    if is_mean:
        if len(limits) < 2:
            return None
        start, end = (formulas[roles[mark]].rpartition("=")[2] for mark in limits)
        factor = rf"\frac{{1}}{{({end})-({start})}}"
    differential = rf"\,d{variable}" if variable else ""
    written = _with_latex_limits(rf"{factor}\int {marks} {{{integrand}}} {differential}")
    return replace(_target(written, frozenset((*signed, *roles.values())), written), has_sign=False)


def _roles(marked_prose: str, formulas: list[str]) -> dict[str, int] | None:
    """Find the integrand, the limits and the variable by the words before each formula.

    The limits of a region are added to the formulas. The result is None if two formulas have the
    same role.
    """
    roles: dict[str, int] = {}
    start, noun, role, is_real_line = 0, "", "", False
    words: list[str] = []  # between the noun and the formula
    for match in PLACEHOLDER.finditer(marked_prose):
        number, formula = int(match[1]), formulas[int(match[1])].strip()
        between = _BEFORE_INTEGRAND.sub("", marked_prose[start : match.start()]).lower()
        start = match.end()
        if nouns := [*_NOUN.finditer(between)]:
            noun, between, words = nouns[-1][0], between[nouns[-1].end() :], []
        preceding = between.split()
        words += preceding
        is_over = {*preceding} <= {"over", "on", "the", "interval"} and "integrand" in roles
        if preceding[-2:] == ["respect", "to"]:
            role, words = "variable", words[:-3]
        elif preceding[-1:] in (["from"], ["between"]):
            role, words = "_", words[:-1]
        elif preceding[-1:] == ["to"] or (preceding == ["and"] and role == "_"):
            role, words = "^", words[:-1]
        elif is_over and noun.startswith("integra") and (limits := _limits(formula, preceding)):
            if "_" in roles:
                return None  # a second region
            role, roles["region"] = "", number
            is_real_line = limits["_"] == r"{-\infty}"
            for mark, limit in limits.items():
                roles.setdefault(mark, len(formulas))
                formulas.append(limit)
        elif preceding[-1:] in (["in"], ["on"], ["over"]) or region(formula):
            if "region" in roles and preceding[-1:] == ["over"]:
                return None
            role, words = "", words[:-1]  # a domain
        elif (
            noun
            and _STOPS.isdisjoint(between)
            and len(words) <= _MOST_WORDS
            and _BETWEEN.isdisjoint(words)
            and not (is_name(formula) and _OF.match(marked_prose, start))
        ):
            role = "integrand"
        else:
            role = ""
        if role in roles and role != "integrand" and not is_real_line:
            return None
        if role:
            roles.setdefault(role, number)
    return roles


def _limits(formula: str, preceding: list[str]) -> dict[str, str] | None:
    """The limits of a region. A function may be integrated on an interval without its ends."""
    is_region = preceding[:1] == ["over"] or (preceding and formula.startswith("["))
    return region(formula) if is_region else None


def _is_fact(formula: str) -> bool:
    """Whether a formula states the value of an integral, or defines a function by an integral."""
    sign, (lhs, *rhs) = _SIGN.search(formula), formula.split("=")
    is_named = sign is not None and len(rhs) == 1 and not _SIGN.search(lhs)
    name = _without_name(formula) != formula and NAMED.match(formula) is not None
    return bool(rhs and rhs[-1]) and not (is_named and name)


def _target(formula: str, numbers: frozenset[int], written: str) -> Target:
    candidates = differentials(formula)
    variable = candidates[0].variable if candidates else "x"
    has_limits = re.search(rf"(?:{_SIGN.pattern})\s*(?:\\limits\s*)?[_^]", formula) is not None
    return Target(formula, numbers, written, variable, has_limits, nouns=_NOUNS, kind="integral")


def _without_name(formula: str) -> str:
    r"""Remove the name of an integral: E[X^2] =, \langle r\rangle =, but not 2I =."""
    sign = _SIGN.search(formula)
    name, equals, factor = formula[: sign.start() if sign else 0].rpartition("=")
    letters = re.sub(r"\([^()]*\)|\[[^\[\]]*\]|\\langle.*?\\rangle|_\{[^{}]*\}|_\w", "", name)
    if not equals or re.search(r"[-\d+*/^=<>]|\\(?:frac|sqrt|ln|log|exp)", letters):
        return formula
    return factor + formula[sign.start() if sign else 0 :]


def _with_latex_limits(formula: str) -> str:
    """Write a sign without a backslash, and limits such as ₀ and oo, as in LaTeX."""
    formula = with_large_limits(formula)
    formula = re.sub(r"(?<![A-Za-z\\])int(?:egral)?(?=[\s_(])", r"\\int ", formula)
    return re.sub(r"(?<![A-Za-z\\])(?:oo|inf(?:inity)?)(?![A-Za-z])", r"{\\infty}", formula)
