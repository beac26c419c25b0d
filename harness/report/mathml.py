"""LaTeX to MathML for a page that opens without a network, safe for text that models wrote."""

from __future__ import annotations

import functools
from xml.etree import ElementTree

#: Longer formulas are shown as LaTeX.
LONGEST = 600
_NAMESPACE = "http://www.w3.org/1998/Math/MathML"
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


@functools.lru_cache(maxsize=4096)
def to_mathml(latex: str) -> str | None:
    """A ``<math>`` element, or None where the text is no formula that can be shown."""
    from latex2mathml.converter import convert

    if not latex or len(latex) > LONGEST:
        return None
    try:
        root = ElementTree.fromstring(convert(latex))
        return ElementTree.tostring(_clean(root, top=True), encoding="unicode")
    except Exception:  # whatever a converter does with hostile text, the page shows that text
        return None


def _clean(element: ElementTree.Element, top: bool = False) -> ElementTree.Element:
    name = element.tag.rpartition("}")[2]
    if name not in _ELEMENTS:
        raise ValueError(f"<{name}> in a formula")
    kept = {key: value for key, value in element.attrib.items() if key in _ATTRIBUTES}
    copy = ElementTree.Element(name, ({"xmlns": _NAMESPACE} if top else {}) | kept)
    copy.text = element.text
    copy.extend(_clean(child) for child in element)
    return copy
