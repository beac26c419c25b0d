"""The tables and figures of the paper on searches, with the published numbers."""

from .tables import paper_sections

__all__ = ["paper_sections"]
