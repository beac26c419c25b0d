"""What people read: a table in the terminal, tables for papers and programs, a page to open."""

from .page.page import write_page
from .published import print_published
from .tables import FORMATS, export_summary, print_summary, to_pandas

__all__ = [
    "FORMATS",
    "export_summary",
    "print_published",
    "print_summary",
    "to_pandas",
    "write_page",
]
