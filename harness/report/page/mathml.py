"""MathML of LaTeX, for a page without a network, safe for models' text.

A formula is stored in the page as data, a tree of names and texts. The page's script builds the
elements, and no text is ever parsed as markup. Only the elements and attributes of presentation
MathML are allowed.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

from latex2mathml.converter import convert

#: Longer formulas are shown as LaTeX.
LONGEST = 2_000
#: Only presentation elements and harmless attributes pass: no links, no scripts, no annotations.
_ELEMENTS = frozenset(
    "math mrow mi mn mo ms mtext mspace mfrac msqrt mroot msub msup msubsup munder mover "
    "munderover mmultiscripts mtable mtr mtd mstyle mpadded mphantom menclose mfenced none "
    "mprescripts".split()
)
_ATTRIBUTES = frozenset(
    "accent columnalign displaystyle fence form linethickness lspace mathvariant maxsize minsize "
    "notation rspace scriptlevel separator stretchy symmetric width".split()
)

#: An element: its name, its attributes, and its children; a leaf's only child is its text.
Tree = list[Any]

#: TeX's thin space, which stands between the name of a function and an ordinary symbol
#: (Knuth, The TeXbook, chapter 18).
_THIN: Tree = ["mspace", {"width": "0.167em"}]
_ROWS = frozenset("math mrow msqrt mstyle mtd mpadded mphantom".split())
_SIGNS = (["+"], ["-"], ["\u2212"])
_SCRIPTS = frozenset("msub msup msubsup munder mover munderover".split())


@functools.lru_cache(maxsize=65_536)
def to_mathml(latex: str) -> Tree | None:
    """The tree of a ``math`` element; None for a text without MathML."""
    if not latex or len(latex) > LONGEST:
        return None
    try:
        return _tree(ElementTree.fromstring(convert(latex)))
    except Exception:  # whatever a converter does with hostile text, the page shows that text
        return None


def _tree(element: ElementTree.Element) -> Tree:
    name = element.tag.rpartition("}")[2]
    if name not in _ELEMENTS:
        raise ValueError(f"<{name}> in a formula")
    attributes = {key: value for key, value in element.attrib.items() if key in _ATTRIBUTES}
    children: Tree = [_tree(child) for child in element]
    if not children and element.text:
        children = [element.text]
        if name == "mo" and _is_word(element.text):  # \operatorname, with an operator's wide spaces
            name = "mi"
    elif name in _ROWS:
        children = _spaced(children)
    return [name, attributes, *children]


def _spaced(children: Sequence[Tree]) -> list[Tree]:
    """A row with thin spaces around the names of functions, as in ``x sin x``.

    A sign after a bracket or an operator has no space before its operand.
    """
    spaced: list[Tree] = []
    for index, child in enumerate(children):
        previous = children[index - 1] if index else None
        # A sign behind an operator is a sign, not a difference, and is set without space.
        operator = previous is not None and previous[0] == "mo" and not _ends_symbol(previous)
        if operator and child[0] == "mo" and child[2:] in _SIGNS:
            child[1]["form"] = "prefix"
        if previous is not None and (
            (_is_function(child) and _ends_symbol(previous))
            or (_is_function(previous) and _begins_symbol(child))
        ):
            spaced.append(_THIN)
        spaced.append(child)
    return spaced


def _is_word(text: Any) -> bool:
    return isinstance(text, str) and len(text) > 1 and text.isalpha()


def _is_function(tree: Tree) -> bool:
    """Whether an element is the name of a function, possibly with an index or exponent."""
    name, _, *children = tree
    if name in _SCRIPTS:
        return bool(children) and _is_function(children[0])
    return name == "mi" and bool(children) and _is_word(children[0])


def _ends_symbol(tree: Tree) -> bool:
    """Whether an element is not an operator, an opening bracket or a space."""
    name, _, *children = tree
    return name != "mspace" and (name != "mo" or children[:1] in ([")"], ["]"], ["|"], ["!"]))


def _begins_symbol(tree: Tree) -> bool:
    """Whether an element is not an operator, a bracket or a space; bars count as symbols."""
    name, _, *children = tree
    if name == "mrow" and children:
        return _begins_symbol(children[0])
    return name != "mspace" and (name != "mo" or children[:1] == ["|"])
