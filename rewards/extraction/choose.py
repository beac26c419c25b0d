"""Choosing the final answer among the boxes and formulas of a completion."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .boxes import LONGEST, Box, boxes
from .formula import Chain, Kind, Statement, chains, cleaned, has_integral, judge
from .spans import Span, bare_spans, restored, spans
from .visible import visible
from .words import FORMULA, Lead, asks, read_lead

#: Without a box only this much of the end of a text is looked at.
TAIL = 20_000


@dataclass(frozen=True, slots=True)
class Extraction:
    """The final answer's LaTeX, or None; where it was found; what else was seen.

    ``alternatives`` are other formulas that the text offers for the same answer with a bare "or":
    an answer stands only if they are right too.
    """

    answer: str | None
    source: str
    notes: tuple[str, ...] = ()
    alternatives: tuple[str, ...] = ()


_NONE = Extraction(None, "none")


def extract(
    completion: str, *, strict: bool = False, stop: Sequence[str] = (), truncated: bool = False
) -> Extraction:
    """The final answer of a completion; see the package's docstring for the rules.

    ``strict`` accepts a box or nothing. ``stop`` are the prompt's stop strings: what follows the
    first of them was never asked for. ``truncated`` says that the token limit cut the completion.
    """
    shown = visible(completion, stop)
    text = shown.text
    if "box" in text:
        found = boxes(text)
        if found:
            if shown.thought is not None and (truncated or boxes(shown.thought)):
                if truncated or "\\boxed" in shown.thought:
                    return Extraction(None, "none", ("an unfinished thought follows the last box",))
            return _from_boxes(text, found, strict, truncated)
    if shown.thought is not None:
        return Extraction(None, "none", ("the thinking block is not closed",))
    if truncated:
        return Extraction(None, "none", ("truncated, without a box",))
    if strict:
        return Extraction(None, "none", ("no box",))
    return _from_formulas(text)


# --- Boxes ---------------------------------------------------------------------------------------
_PLACEHOLDER = re.compile(
    r"(?:\\(?:text|mathrm|textbf)\s?\{)?[\s\"'<\[({]*(?:\.{2,}|\\(?:[lcd]?dots|cdots|ldots|quad|,|;|!|:|\s)"
    r"|(?:your |the |my |insert |put )?(?:final )?(?:answer|expression|result|solution)(?: here)?|_+|\?+|-)?[\s\"'>\])}.]*",
    re.IGNORECASE,
)
_LONE_CONSTANT = re.compile(r"[+]?\s?(?:\\(?:text|mathcal|mathrm)\s?\{\s?)?[CcKk](?:_\{?\w\}?)?\s?\}?")


def _from_boxes(text: str, found: list[Box], strict: bool, truncated: bool) -> Extraction:
    last = found[-1]
    notes: list[str] = []
    if last.content is None:
        if truncated:
            return Extraction(None, "none", ("the last box is not closed",))
        notes.append("a later box is not closed")
    complete = [box for box in found if box.content is not None]
    if not complete:
        # A box that lacks its last brace is not there for the fallbacks.
        opened = text.find("{", last.start)
        return _NONE if strict else _from_formulas(text[: last.start] + " " + text[opened + 1 :])
    chosen = complete[-1]
    if _PLACEHOLDER.fullmatch(chosen.content or "", 0, 200):
        if strict or truncated:
            return Extraction(None, "none", ("the last box is empty",))
        after = _from_formulas(text[chosen.end :])
        return Extraction(after.answer, after.source, ("the last box is empty", *after.notes), after.alternatives)
    if len(complete) > 1:
        if _LONE_CONSTANT.fullmatch(chosen.content or ""):
            for box in reversed(complete[:-1]):
                if _LONE_CONSTANT.fullmatch(box.content or "") or _PLACEHOLDER.fullmatch(box.content or "", 0, 200):
                    continue
                chosen = box
                notes.append("a box with only the constant was passed over")
                break
        same = {"".join((box.content or "").split()) for box in complete}
        notes.append(f"{len(complete)} boxes" + (", which differ" if len(same) > 1 else ""))
    answer, more = _inside_box(chosen.content or "")
    return Extraction(answer or None, "boxed" if answer else "none", (*notes, *more))


_LABEL = re.compile(r"(?:\s|\*|#)*(?:(?:the\s+)?(?:final\s+)?(?:answer|antiderivative|integral|result|solution)\s*(?:is)?\s*[:=]?\s*)(?=[^A-Za-z\s,])", re.IGNORECASE)


def _inside_box(content: str) -> tuple[str, tuple[str, ...]]:
    """A box's answer: the last link of its first statement that could be one."""
    if "$" in content:
        content = content.replace("$", " ")
    if "\\(" in content and "\\)" in content:
        content = content.replace("\\(", " ").replace("\\)", " ")
    if label := _LABEL.match(content):
        content = content[label.end() :]
    best: Statement | None = None
    parts = chains(content)
    for chain in parts:
        if chain.remark or chain.approximate:
            continue
        statement = judge(chain)
        if statement.answer and (best is None or statement.kind >= max(best.kind, Kind.LONE)):
            best = statement
    if best is None:
        return cleaned(content), ()
    notes = (f"a chain of {best.links} links",) if best.links > 1 else ()
    return best.answer, notes


# --- Words around a formula ----------------------------------------------------------------------
_SENTENCE_END = re.compile(r"[.!?。](?:\s|\*|\Z)|\n\s*\n|\n\s*(?:[-*•]|\d+[.)])\s")
_IS_THE_ANSWER = re.compile(
    r"[\s*.,]{0,4}(?:is|as|was|being)?\s?(?:the|our|your|my|an?)?\s?(?:final |correct |required |desired |general |indefinite )*(?:answer|antiderivative|result|integral of|solution)\b", re.IGNORECASE
)
_SENTENCE_CHECK = re.compile(
    r"\bto (?:double[- ])?(?:verify|check|confirm)|\bverif(?:y|ying|ication)\b"
    r"|\bcheck(?:ing)?(?: by| that| our| the| this| it|:|\*)"
    r"|\b(?:let'?s|we can|you can|quick|sanity|double)[ -]check|\bproof\b"
    r"|\bdifferentiat(?:e|ing|ion) (?:this|the|our|it|back|both|F\b|yields|confirms|gives)"
    r"|vérifi(?:cation|ons)|überprüfung|\bprobe\s*:|verificaci[oó]n|comprobaci[oó]n|verifica\b"
    r"|проверка|验证|检验|検算|검산",
    re.IGNORECASE,
)
_HEADING = re.compile(
    r"[ \t>#*_\d.]{0,8}(?:explanation|justification|derivation|reasoning|how (?:to|it|i|we) \w+"
    r"|steps?(?: used| taken)?\s*[:*]|remarks?\s*[:*]|method(?: used)?\s*[:*]|details)",
    re.IGNORECASE,
)
# What a check, or such a heading, must hold: found fast, and then looked at closely.
_CHECK_HINTS = ("erif", "heck", "onfirm", "ifferentiat", "roof")
_FOREIGN_HINTS = ("vérif", "prüf", "robe", "omprob", "роверк", "验", "検算", "검산")
_HEADING_HINTS = ("xplanation", "ustification", "erivation", "easoning", "teps", "emark", "ethod", "ow ", "etails")
_OR = re.compile(r"[\s,;*]{0,4}(?:or|ou|oder|или|或)[\s*]{0,4}(?:just |simply |maybe |possibly |perhaps |possibly )?\Z", re.IGNORECASE)


class _Reader:
    """The formulas of one text, judged one by one when asked for."""

    def __init__(self, text: str, found: list[Span]) -> None:
        self.text = text
        self.spans = found
        self._chains: dict[int, list[Chain]] = {}
        self._roots: dict[int, str | None] = {}
        self._check: int | None = None

    def chains(self, index: int) -> list[Chain]:
        if index not in self._chains:
            self._chains[index] = chains(self.spans[index].latex)
        return self._chains[index]

    def root(self, index: int) -> str | None:
        """The first link of the chain that formula ``index`` goes on with, if it begins with "="."""
        walked = []
        at = index
        result: str | None = None
        while at >= 0:
            if at in self._roots:
                result = self._roots[at]
                break
            first = self.chains(at)[:1]
            walked.append(at)
            if not first:
                break
            if first[0].links[0].strip():
                result = first[0].links[0] if at != index else None
                if len(self.chains(at)) > 1 and at != index:
                    result = self.chains(at)[-1].links[0]
                break
            at -= 1
        for each in walked:
            self._roots[each] = result if each != at or each == index else None
        return result

    def statements(self, index: int) -> list[Statement]:
        """The judged statements of a formula, the last first."""
        parts = self.chains(index)
        judged = []
        for number in range(len(parts) - 1, -1, -1):
            chain = parts[number]
            if chain.approximate:
                continue
            if chain.remark and number:
                statement = judge(chain)
                if not (statement.kind is Kind.STRONG and statement.has_constant) or _remark_words(chain.lead):
                    continue
            elif chain.lead and _remark_words(chain.lead):
                continue
            root = None
            if number == 0 and len(chain.links) > 1 and not chain.links[0].strip() and index:
                root = self.root(index)
            judged.append(judge(chain, root))
        return judged

    def lead(self, index: int) -> tuple[Lead, bool]:
        """What the sentence says that leads to the formula, over the formulas within it.

        Also whether it asks for the formula's integral ("the antiderivative of ..").
        """
        text, found = self.text, self.spans
        sentence = ""
        asked = False
        at = index
        while True:
            begin = found[at - 1].end if at else 0
            gap = text[max(begin, found[at].start - 240) : found[at].start]
            if at == index:
                gap = gap.rstrip(" \t\n*#_:>-")
                asked = asks(gap)
            cut = 0
            for end in _SENTENCE_END.finditer(gap):
                cut = end.end()
            sentence = gap[cut:] + sentence
            if cut or not at or index - at > 5 or found[at].start - begin > 240:
                break
            sentence = FORMULA + sentence
            at -= 1
        inside = self.chains(index)
        if inside and inside[0].lead:
            sentence += " " + inside[0].lead
        lead = read_lead(sentence)
        span = found[index]
        if _IS_THE_ANSWER.match(text, span.end, span.end + 60):
            lead = Lead(announced=True, named=True, concluded=True)
        return lead, asked

    def checked(self, index: int) -> bool:
        """Whether the formula stands in a check or an explanation that follows the answer.

        Asked from the last formula to the first.
        """
        start = self.spans[index].start
        if self._check is None:
            self._check = _first_check(self.text, start) if start > 5 else start
        return self._check < start


def _first_check(text: str, end: int) -> int:
    """Where the first check or explanation before ``end`` begins; ``end`` if there is none."""
    hints = _CHECK_HINTS if text.isascii() else _CHECK_HINTS + _FOREIGN_HINTS
    first = end
    for hint in hints:
        at = text.find(hint, 0, first)
        for _ in range(20):
            if at < 0:
                break
            if found := _SENTENCE_CHECK.search(text, max(at - 12, 0), min(at + 30, end)):
                first = min(first, found.start())
                break
            at = text.find(hint, at + 1, first)
    for hint in _HEADING_HINTS:
        at = text.find(hint, 0, first)
        for _ in range(20):
            if at < 0:
                break
            line = text.rfind("\n", 0, at) + 1
            if at - line < 12 and _HEADING.match(text, line):
                first = min(first, line)
                break
            at = text.find(hint, at + 1, first)
    return first


_REMARK_WORDS = re.compile(r"\b(?:where|with|for|if|when|since|let|using|because|note|recall|by)\b", re.IGNORECASE)


def _remark_words(lead: str) -> bool:
    return _REMARK_WORDS.search(lead) is not None and not re.search(
        r"\b(?:get|gives|obtain|have|therefore|thus|so|is)\s*\W*\Z", lead, re.IGNORECASE
    )


# --- Formulas ------------------------------------------------------------------------------------
_MORE = re.compile(r"\+\s?(?:C|c|K|k|const|С)(?![A-Za-z])|(?:answer|result)\W{1,6}(?:is\b)?", re.IGNORECASE)


def _from_formulas(text: str) -> Extraction:
    if "<answer>" in text:
        at = text.rfind("<answer>") + 8
        end = text.find("</answer>", at)
        text = text[at : end if end >= 0 else len(text)]
    if len(text) > TAIL:
        at = text.find("\n", len(text) - TAIL)
        text = text[at + 1 if at >= 0 else len(text) - TAIL :]
    text = restored(text)
    found = spans(text)
    if found:
        result, after = _choose(_Reader(text, found))
        if any(mark in text[after:] for mark in ("+", "nswer", "esult")):
            more = _with_bare(text, found, after)
            if len(more) > len(found):
                result, _ = _choose(_Reader(text, more))
        if result is not None:
            return result
    found = bare_spans(text, 0, len(text))
    if found:
        result, _ = _choose(_Reader(text, found))
        if result is not None:
            return result
    return Extraction(None, "none", ("no formula that could be the answer",))


def _with_bare(text: str, found: list[Span], after: int) -> list[Span]:
    """The delimited formulas, and those lines without delimiters that look like an answer.

    Only what stands behind the offset ``after`` is looked at.
    """
    extra: list[Span] = []
    taken = iter([span for span in found if span.end > after])
    span = next(taken, None)
    start = text.rfind("\n", 0, after) + 1
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end + 1
        while span is not None and span.end <= start:
            span = next(taken, None)
        if (span is None or span.start >= end) and start >= after and _MORE.search(text, start, end):
            extra += bare_spans(text, start, end)
        start = end
    return sorted(found + extra, key=lambda each: each.start) if extra else found


def _choose(reader: _Reader) -> tuple[Extraction | None, int]:
    """The answer, and the offset up to which the text was settled."""
    found = reader.spans
    override: tuple[int, Statement, bool] | None = None  # a plain formula after the strong one
    plain: tuple[int, Statement, bool] | None = None
    identity: tuple[int, Statement, bool] | None = None
    flagged: tuple[int, Statement, bool] | None = None
    flagged_plain: tuple[int, Statement, bool] | None = None
    chosen: tuple[int, Statement, bool] | None = None
    passed: list[str] = []
    for index in range(len(found) - 1, -1, -1):
        judged = reader.statements(index)
        best = next((each for each in judged if each.kind > Kind.NO_ANSWER), None)
        if best is None:
            if judged and len(passed) < 4:
                passed.append(judged[0].reason)
            continue
        lead, asked = reader.lead(index)
        entry = (index, best, lead.announced)
        doubted = lead.doubted or (reader.checked(index) and not lead.named)
        if asked and not best.has_constant:
            doubted = True
        if best.kind is Kind.LONE:
            if lead.announced and not lead.soft and not doubted and not has_integral(best.answer):
                plain = plain or entry
                if override is None:
                    override = entry
            continue
        if best.kind is Kind.STRONG or (lead.announced and best.kind is Kind.PLAIN and not lead.soft):
            if not doubted:
                chosen = entry
                break
            flagged = flagged or entry
            continue
        if doubted or (lead.soft and not lead.announced):
            flagged_plain = flagged_plain or entry
            continue
        if best.kind is Kind.IDENTITY:
            identity = identity or entry
            if override is None and lead.concluded and found[index].kind == "display":
                override = entry
            continue
        plain = plain or entry
        if override is None and (found[index].kind == "display" or lead.concluded):
            override = entry
    if chosen is not None:
        if override is not None:
            chosen = override
    elif flagged is not None and (plain is None or plain[0] < flagged[0]):
        chosen = flagged
    else:
        chosen = plain or identity or flagged_plain
    if chosen is None:
        return None, 0
    return _extraction(reader, chosen, passed), found[chosen[0]].end


def _extraction(reader: _Reader, chosen: tuple[int, Statement, bool], passed: list[str]) -> Extraction:
    index, statement, announced = chosen
    span = reader.spans[index]
    kind = "inline" if span.kind == "code" else span.kind
    notes = []
    if statement.links > 1:
        notes.append(f"a chain of {statement.links} links")
    notes += [f"passed over {reason}" for reason in dict.fromkeys(passed) if reason]
    alternatives = []
    if index and _OR.fullmatch(reader.text, reader.spans[index - 1].end, span.start):
        alternatives = [
            each.answer
            for each in reader.statements(index - 1)[:1]
            if each.kind >= Kind.PLAIN and each.answer != statement.answer
        ]
    return Extraction(
        statement.answer, "final_answer" if announced else kind, tuple(notes), tuple(alternatives)
    )


__all__ = ["LONGEST", "Extraction", "extract"]
