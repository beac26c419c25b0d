"""The part of a completion that may hold the answer: no thoughts, no next turn, plain spacing.

Every step is a linear pass over the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import unescape
from unicodedata import normalize

# --- Unicode -----------------------------------------------------------------------------------
# Only the characters that extraction needs. Letters are never mapped (Cyrillic stays Cyrillic);
# superscripts, radicals and Greek are left to the LaTeX reader.
_INVISIBLE = (
    "\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2061\u2063\ufeff\u00ad"
)
# U+2000 to U+200A are the spaces of a width.
_SPACES = "\u00a0\u1680\u202f\u205f\u2062\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
_CHARACTERS: dict[str, str] = {
    **dict.fromkeys(_INVISIBLE, ""),
    **dict.fromkeys(_SPACES, " "),
    **{chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)},  # fullwidth ASCII
    "\u2028": "\n",
    "\u2029": "\n",
    "\u0085": "\n",
    "\u2064": "+",
    "\u2212": "-",
    "\u2010": "-",
    "\u2011": "-",
    "\u2012": "-",
    "\u2013": "-",
    "\uff70": "-",
    "\u00b7": r"\cdot ",
    "\u22c5": r"\cdot ",
    "\u2219": r"\cdot ",
    "\u00d7": r"\times ",
    "\u222b": r"\int ",
    "\u2044": "/",
    "\u2215": "/",
    "\u2223": "|",
    "\u2758": "|",
    "\u21d2": r"\implies ",
    "\u27f9": r"\implies ",
    "\u2192": r"\rightarrow ",
    "\u2234": r"\therefore ",
    "\u2248": r"\approx ",
    "\u2243": r"\approx ",
    "\u2245": r"\approx ",
    "\u2261": r"\equiv ",
    "\u2254": ":=",
    "\u2260": r"\neq ",
    "\u2264": r"\le ",
    "\u2265": r"\ge ",
    "\u2208": r"\in ",
    "\u2018": "'",
    "\u2019": "'",
    "\u2032": "'",
    "\u201c": '"',
    "\u201d": '"',
    "\u2033": "''",
    "\u3001": ", ",
    "\u3002": ". ",
    "\u2026": "...",
    "\u3010": "[",
    "\u3011": "]",
}
_CHARACTER = re.compile("[" + re.escape("".join(_CHARACTERS)) + "]")
_TABLE = str.maketrans(_CHARACTERS)
#: Characters from which on `str.translate` is used: slower on prose, in which few characters are
#: replaced, but as fast if all are.
_LONG = 100_000
# Unicode's styled alphanumerics are compatibility forms of ASCII letters, not homoglyphs.
_STYLED = re.compile("[\U0001d400-\U0001d7ff\u210e]")


def plain(text: str) -> str:
    """The text with invisible characters removed and spaces, widths and relations made plain."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.isascii():
        return text
    if _STYLED.search(text):
        text = _STYLED.sub(lambda m: normalize("NFKC", m[0]), text)
    if len(text) > _LONG:  # linear even if every character has to be replaced
        return text.translate(_TABLE)
    return _CHARACTER.sub(lambda m: _CHARACTERS[m[0]], text)


# --- HTML, and Markdown's quotations ------------------------------------------------------------
_HTML = re.compile(
    r"</?(?:(?P<block>p|div|br|li|ul|ol|h[1-6]|center|tr|table)|(?P<sup>sup)|(?P<sub>sub)|(?P<math>math)"
    r"|b|i|em|strong|span|u|font|code|mark|td)(?:\s[^<>\n]{0,200})?\s?/?>",
    re.IGNORECASE,
)
_ENTITY = re.compile(
    r"&(?:nbsp|ensp|emsp|thinsp|times|middot|sdot|minus|radic|int|pi|infin|lt|gt|le|ge|amp|quot"
    r"|sup[123]|frac12|frac14|frac34|theta|alpha|ndash|mdash|#(?:\d{2,5}|x[0-9a-fA-F]{2,5}));"
)


_QUOTE = re.compile(r"\A\s*(?:> ?)+|^ {0,3}(?:> ?)+(?![ \d=<>])", re.MULTILINE)


def _tag(tag: re.Match[str]) -> str:
    if tag["block"]:
        return "\n"
    if tag["math"]:
        return "$"
    closes = tag[0][1] == "/"
    if tag["sup"] or tag["sub"]:
        return "}" if closes else "^{" if tag["sup"] else "_{"
    return ""


def _without_markup(text: str) -> str:
    if "&" in text and ";" in text:
        text = _ENTITY.sub(lambda m: unescape(m[0]), text)
    if ">" not in text:
        return text
    text = _QUOTE.sub("", text)
    return _HTML.sub(_tag, text) if "<" in text else text


# --- Thinking ----------------------------------------------------------------------------------
# Every branch begins with a literal, so that the search runs at the speed of a scan.
THOUGHT = re.compile(
    r"<(?P<close>/?)(?i:(?:seed:)?(?:think(?:ing)?|thoughts?|reasoning|reflection|scratchpad|analysis)>)"
    r"|\[(?P<close2>/?)THINK\]|◁(?P<close3>/?)think▷"
    r"|<\|(?:(?P<close4>end)|begin)_of_thought\|>|<\|(?:(?P<close5>END)|START)_THINKING\|>"
    r"|<\|channel>thought\b|<(?P<close6>channel)\|>"
)
_CHANNEL = re.compile(r"<\|channel\|>\s*(\w*)")
_HARMONY = re.compile(
    r"<\|(?:start\|>\s*(?:assistant)?|message\|>|constrain\|>\s*\w*|recipient\|>)"
)
# The same format after a tokenizer has dropped its special tokens.
_BARE_FINAL = "assistantfinal"
_BARE_ANALYSIS = re.compile(r"\s*analysis(?=[A-Z\"'(\\$])")
_TURN = re.compile(
    r"<\|(?:im_start|start_header_id|begin_of_text|begin_of_solution)\|>"
    r"(?:\s*assistant)?(?:<\|end_header_id\|>)?|<start_of_turn>\s*model|^\s*<s>|\[/INST\]"
)
END_OF_TURN = re.compile(
    r"<\|(?:im_end|endoftext|eot_id|end_of_text|end_of_solution|end|return|eom_id"
    r"|END_OF_TURN_TOKEN|im_start|start_header_id)\|>"
    r"|</s>|<end_of_turn>|<eos>|<\|end▁of▁sentence\|>|<\|User\|>|\[INST\]"
)


@dataclass(frozen=True, slots=True)
class Visible:
    """The visible text; ``thought`` is an unfinished thought at its end, if there is one."""

    text: str
    thought: str | None = None


def _channels(text: str) -> Visible:
    """Messages of the final channel; text before the first marker is a thought."""
    marks = list(_CHANNEL.finditer(text))
    final: list[str] = []
    last = ""
    for mark, following in zip(marks, [*marks[1:], None], strict=True):
        body = text[mark.end() : following.start() if following else len(text)]
        last = mark[1].lower()
        if last == "final":
            final.append(END_OF_TURN.split(_HARMONY.sub("", body), maxsplit=1)[0])
    return Visible("\n".join(final), None if last == "final" else text[marks[-1].end() :])


def _without_thoughts(text: str) -> Visible:
    if "<|channel|>" in text:
        return _channels(text)
    if text.lstrip().startswith("analysis"):
        at = text.rfind(_BARE_FINAL)
        if at >= 0:
            return Visible(text[at + len(_BARE_FINAL) :])
        if _BARE_ANALYSIS.match(text):
            return Visible("", text)
    shown: list[str] = []
    start = 0
    opened: int | None = None
    size = len(text.rstrip())
    closed = False
    for tag in THOUGHT.finditer(text):
        if not tag.lastgroup or not tag[tag.lastgroup]:  # an opening tag; nested ones are ignored
            if opened is None:
                shown.append(text[start : tag.start()])
                opened = tag.end()
        elif opened is not None:
            opened, start, closed = None, tag.end(), True
        elif closed and tag.end() == size:
            shown.append(text[start : tag.start()])  # a stray tag at the very end
            start = tag.end()
        else:
            # A closing tag without an opening one: all text before it was a thought.
            shown, start = [], tag.end()
    if opened is not None:
        return Visible("\n".join(shown), text[opened:])
    if not shown:
        return Visible(text[start:])
    shown.append(text[start:])
    return Visible("\n".join(shown))


# --- Text with doubled backslashes (JSON) --------------------------------------------------------
_COMMANDS = (
    r"(?:boxed|[dt]?frac|int|sqrt|(?:arc)?(?:sin|cos|tan)|(?:sin|cos|tan)h|sec|csc|cot|ln|log|exp|left"
    r"|cdot|text|mathrm|operatorname|displaystyle|pi)(?![A-Za-z])"
)
_DOUBLED = re.compile(r"(?<!\\)\\\\" + _COMMANDS)
_SINGLE = re.compile(r"(?<!\\)\\" + _COMMANDS)


# Control characters that a decoder of JSON made of commands such as \frac and \beta.
_CONTROLS = {"\x07": "\\a", "\x08": "\\b", "\x0b": "\\v", "\x0c": "\\f"}
_CONTROL = re.compile(f"[{''.join(_CONTROLS)}](?=[a-z]{{2}})")


def _unescaped(text: str) -> str:
    text = _CONTROL.sub(lambda match: _CONTROLS[match[0]], text)
    if "\\\\" in text and _DOUBLED.search(text) and not _SINGLE.search(text):
        return text.replace("\\\\", "\\")
    return text


def visible(completion: str, stop: Sequence[str] = ()) -> Visible:
    """The part of a completion that may hold the answer."""
    text, thought = completion, None
    marked = "<" in completion or "THINK" in completion or "◁" in completion
    if marked or completion.lstrip().startswith("analysis"):
        shown = _without_thoughts(completion)
        text, thought = shown.text, shown.thought
    cuts = [at for mark in stop if mark and (at := text.find(mark)) >= 0]
    if cuts:
        text, thought = text[: min(cuts)], None  # a thought after a stop string does not count
    text = plain(_without_markup(text))
    if "<|" in text or "INST]" in text or "s>" in text or "_of_turn>" in text:
        text = _TURN.sub("", text, count=1)
        end = END_OF_TURN.search(text)
        if end:
            text = text[: end.start()]
    return Visible(_unescaped(text), thought)
