"""The tables and figures of the paper on searches, in its layout, with its own beside them."""

from .tables import paper_sections

__all__ = ["paper_sections"]
