"""Reports: a table in the terminal, tables for papers and programs, an HTML page."""

from .comparison import export_comparison, print_comparison
from .export import to_pandas
from .page.page import write_page
from .sections import FORMATS
from .summary import export_summary, print_summary

__all__ = [
    "FORMATS",
    "export_comparison",
    "export_summary",
    "print_comparison",
    "print_summary",
    "to_pandas",
    "write_page",
]
