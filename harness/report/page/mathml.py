"""LaTeX to MathML for a page that opens without a network, safe for text that models wrote.

A formula goes into the page as data, a tree of names and texts, and the page's script builds the
elements: no text is ever parsed as markup. Only names and attributes of presentation pass.
"""

from __future__ import annotations

import functools
from typing import Any
from xml.etree import ElementTree

from latex2mathml.converter import convert

#: Longer formulas are shown as LaTeX.
LONGEST = 600
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


@functools.lru_cache(maxsize=4096)
def to_mathml(latex: str) -> Tree | None:
    """The tree of a ``math`` element, or None where the text is no formula that can be shown."""
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
    return [name, attributes, *children]
