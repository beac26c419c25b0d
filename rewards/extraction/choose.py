"""Choosing the final answer among the boxes and formulas of a completion."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .boxes import LONGEST, Box, boxes
from .formula import Chain, Kind, Statement, chains, cleaned, has_integral, judge
from .spans import Span, bare_spans, spans
from .visible import visible

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
        return _NONE if strict else _from_formulas(text)
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
        if chain.remark:
            continue
        statement = judge(chain)
        if statement.answer and (best is None or statement.kind >= max(best.kind, Kind.LONE)):
            best = statement
    if best is None:
        return cleaned(content), ()
    notes = (f"a chain of {best.links} links",) if best.links > 1 else ()
    return best.answer, notes


# --- Words around a formula ----------------------------------------------------------------------
_ANNOUNCE = (
    r"final|answer|anti-?derivatives?\b(?! of)|primitives?\b(?! of)|\bresults?\b|solution|integral\W+(?:is|equals|evaluates|becomes|comes|works|:)|(?:integral|antiderivative|primitive)\s+of\s.{0,80}\b(?:is|equals|becomes)\b"
    r"|evaluates to|réponse|résultat|primitive est|vaut|respuesta|resultado|primitiva|antwort|ergebnis|lösung|stammfunktion|lautet"
    r"|risposta|risultato|resposta|solução|ответ|первообразн|результат|答案|结果|原函数|积分为|答え|解答|不定積分|정답|답은|cevap|sonuç|odpowied|wynik|svar"
)
_CONCLUDE = (
    r"\b(?:get|gives?|giving|obtain\w*|yields?|have|becomes?|so|thus|hence|therefore|then|simplif\w*|written|rewritten|expressed|arrive\w*"
    r"|evaluat\w*|conclud\w*|equivalent\w*|combin\w*|finally|overall|putting|altogether|i\.e|that is|donc|ainsi|por lo tanto|luego|also|daher|somit|dunque|quindi|portanto|logo"
    r"|actually|correct\w*|instead|should be|equals?|are|is)\b|所以|因此|得到|得|故|即|よって|したがって|따라서|следовательно|итак|получаем"
)
_HARD = (
    r"\b(?:recall\w*|identit\w+|formulas?|standard|known|well-known|table|rules?|remember|check\w*|verif\w*|differentiat\w*|derivatives?\b(?! is)"
    r"|examples?|similarly|since|because|integrand|original function|matches|compare\w*|reminder|using the fact|lemma|theorem|definition)\b|验证|因为|求导|проверк|vérif|überprüf|ableit|comprob|dériv"
)
_SOFT = (
    r"\b(?:where|with|let|sets?|setting|put|as|if|when|for|using|use|by|assum\w*|provided|valid|domain|constants?|denot\w*|defin\w*|notes?|noting"
    r"|substitut\w*|choos\w*|take|taking|consider|suppose|given|factors?|terms?|multipl\w*|divid\w*|coefficients?|find the|comput\w+|calculat\w+|integrat(?:e|ing)|functions?|expressions?"
    r"|wobei|mit|où|avec|donde|con|dove|onde|где|其中|设|令|ここで|여기서)\b|其中|设|令|ここで|где"
)
_LEAD = re.compile(f"(?P<announce>{_ANNOUNCE})|(?P<hard>{_HARD})|(?P<conclude>{_CONCLUDE})|(?P<soft>{_SOFT})", re.IGNORECASE)
_ASKED = re.compile(
    r"(?:integral|integrals|antiderivatives?|primitives?|integrate|evaluate|compute|find|solve|calculate|derivative|differentiate|differentiating|integrating|function|integrand|expression|problem)"
    r"(?:\W+(?:of|for|to|the|given|following|indefinite|integral|function|expression|with respect to|is))*\W*\Z", re.IGNORECASE
)
_SENTENCE_END = re.compile(r"[.!?。](?:\s|\*|\Z)|\n\s*\n|\n\s*(?:[-*•]|\d+[.)])\s")
_IS_THE_ANSWER = re.compile(
    r"[\s*.,]{0,4}(?:is|as|was|being)?\s?(?:the|our|your|my|an?)?\s?(?:final |correct |required |desired |general |indefinite )*(?:answer|antiderivative|result|integral of|solution)\b", re.IGNORECASE
)
_CHECK = re.compile(
    r"\bto (?:double[- ])?(?:verify|check|confirm)|\bverif(?:y|ying|ication)\b|\bcheck(?:ing)?(?: by| that| our| the| this| it|:|\*)|\b(?:let'?s|we can|you can|quick|sanity|double)[ -]check"
    r"|\bdifferentiat(?:e|ing|ion) (?:this|the|our|it|back|both|F\b|yields|confirms|gives)|\bproof\b|vérifi(?:cation|ons)|überprüfung|\bprobe\s*:|verificaci[oó]n|comprobaci[oó]n|verifica\b|проверка|验证|检验|検算|검산"
    r"|(?:^|\n)[ \t>#*_\d.]{0,8}(?:explanation|justification|derivation|reasoning|how (?:to|it|i|we) \w+|steps?(?: used| taken)?\s*[:*]|remarks?\s*[:*]|method(?: used)?\s*[:*]|details)", re.IGNORECASE
)
_CHECK_HINTS = ("verif", "check", "confirm", "ifferentiat", "xplanation", "ustification", "erivation", "teps", "emark", "ethod", "ow ", "easoning", "etails", "roof", "vérif", "prüf", "robe", "omprob", "роверк", "验", "検算", "검산")  # fmt: skip
_OR = re.compile(r"[\s,;*]{0,4}(?:or|ou|oder|или|或)[\s*]{0,4}(?:just |simply |maybe |possibly |perhaps |possibly )?\Z", re.IGNORECASE)


@dataclass(slots=True)
class _Context:
    """What the words before a formula, and those right after, say about it."""

    announced: bool
    concluded: bool
    hard: bool
    soft: bool
    asked: bool


class _Reader:
    """The formulas of one text, judged one by one when asked for."""

    def __init__(self, text: str, found: list[Span]) -> None:
        self.text = text
        self.spans = found
        self._chains: dict[int, list[Chain]] = {}
        self._roots: dict[int, str | None] = {}
        self._checks: list[int] | None = None

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

    def context(self, index: int) -> _Context:
        """Reads the sentence that leads to the formula, over formulas within it."""
        text, found = self.text, self.spans
        begin = found[index - 1].end if index else 0
        span = found[index]
        gap = text[max(begin, span.start - 240) : span.start]
        stripped = gap.rstrip(" \t\n*#_:>-")
        cut = 0
        for end in _SENTENCE_END.finditer(stripped):
            cut = end.end()
        sentence = stripped[cut:]
        asked = _ASKED.search(sentence) is not None
        kinds = [m.lastgroup for m in _LEAD.finditer(sentence)]
        leads = "".join(link.lead for link in self.chains(index)[:1])
        if leads:
            kinds += [m.lastgroup for m in _LEAD.finditer(leads)]
        earlier = index
        hard = "hard" in kinds
        whole = cut > 0
        while not whole and earlier > 0 and index - earlier < 6:
            # The sentence began before the previous formula.
            earlier -= 1
            begin = found[earlier - 1].end if earlier else 0
            gap = text[max(begin, found[earlier].start - 160) : found[earlier].start]
            if "\n\n" in text[found[earlier].end : found[earlier + 1].start]:
                break
            cut = 0
            for end in _SENTENCE_END.finditer(gap):
                cut = end.end()
            before = [m.lastgroup for m in _LEAD.finditer(gap[cut:])]
            kinds = before + kinds
            whole = cut > 0
        last = kinds[-1] if kinds else ""
        announced = "announce" in kinds and not asked
        concluded = last in ("conclude", "announce")
        comma = max(sentence.rfind(", "), sentence.rfind("，"))
        clause = [m.lastgroup for m in _LEAD.finditer(sentence[comma + 1 :])] if comma >= 0 else []
        hard = "hard" in kinds and not (
            any(kind in ("announce", "conclude") for kind in clause)
            or (kinds.index("hard") < len(kinds) - 1 and last == "announce")
        )
        tail = text[span.end : span.end + 60]
        if _IS_THE_ANSWER.match(tail):
            announced, hard = True, False
        return _Context(announced and not hard, concluded, hard, last == "soft", asked)

    def checked(self, index: int) -> bool:
        """Whether the formula stands in a check or an explanation that follows the answer."""
        if self._checks is None:
            text = self.text
            self._checks = (
                [m.start() for m in _CHECK.finditer(text)]
                if any(hint in text for hint in _CHECK_HINTS)
                else []
            )
        start = self.spans[index].start
        return any(at < start for at in self._checks)


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
    found = spans(text)
    if found:
        found = _with_bare(text, found)
        result = _choose(_Reader(text, found))
        if result is not None:
            return result
    found = bare_spans(text, 0, len(text))
    if found:
        result = _choose(_Reader(text, found))
        if result is not None:
            return result
    return Extraction(None, "none", ("no formula that could be the answer",))


def _with_bare(text: str, found: list[Span]) -> list[Span]:
    """The delimited formulas, and between them those bare lines that look like an answer."""
    extra: list[Span] = []
    begin = 0
    for span in [*found, None]:
        end = span.start if span else len(text)
        if end - begin > 4 and _MORE.search(text, begin, end):
            line = begin
            for at in range(begin, end):  # whole lines that hold no delimited formula
                if text[at] == "\n" or at == end - 1:
                    stop = at + 1
                    if (line > begin or begin == 0 or text[begin - 1 : begin] == "\n") and (
                        text[at] == "\n" or end == len(text)
                    ):
                        if _MORE.search(text, line, stop):
                            extra += bare_spans(text, line, stop)
                    line = stop
        if span:
            begin = span.end
    if not extra:
        return found
    return sorted(found + extra, key=lambda span: span.start)


_REPAIR = re.compile(r"\b(?:wait|mistake|wrong|incorrect|actually|oops|correction|error|instead|sorry)\b", re.IGNORECASE)


def _choose(reader: _Reader) -> Extraction | None:
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
        context = reader.context(index)
        entry = (index, best, context.announced)
        doubted = context.hard or (reader.checked(index) and not context.announced)
        if context.asked and not best.has_constant:
            doubted = True
        if best.kind is Kind.LONE:
            if context.announced and not context.soft and not doubted and not has_integral(best.answer):
                plain = plain or entry
                if override is None:
                    override = entry
            continue
        if best.kind is Kind.STRONG or (context.announced and best.kind is Kind.PLAIN and not context.soft):
            if not doubted:
                chosen = entry
                break
            flagged = flagged or entry
            continue
        if doubted or (context.soft and not context.announced):
            flagged_plain = flagged_plain or entry
            continue
        if best.kind is Kind.IDENTITY:
            identity = identity or entry
            if override is None and context.concluded and found[index].kind == "display":
                override = entry
            continue
        plain = plain or entry
        if override is None and (found[index].kind == "display" or context.concluded):
            override = entry
    if chosen is not None:
        if override is not None:
            chosen = override
    elif flagged is not None and (plain is None or plain[0] < flagged[0]):
        chosen = flagged
    else:
        chosen = plain or identity or flagged_plain
    if chosen is None:
        return None
    return _extraction(reader, chosen, passed)


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
