"""The tables and figures of the paper on searches, beside the published ones."""

from .tables import paper_sections

__all__ = ["paper_sections"]
