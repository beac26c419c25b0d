"""The tables and figures on searches in Welleck et al., with the published numbers."""

from .tables import paper_sections

__all__ = ["paper_sections"]
