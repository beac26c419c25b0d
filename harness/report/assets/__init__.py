"""The templates, the style sheet and the script of pages. Templates escape all values."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import jinja2
from markupsafe import Markup, escape

from ..figures.colours import style_sheet
from ..figures.figure import svg
from ..numbers import percent

_FOLDER = Path(__file__).parent
#: The parts of the page's script, each after those whose names it needs when it is read.
SCRIPTS = (
    "elements",
    "watch",
    "data",
    "state",
    "tables",
    "filters",
    "plot",
    "difference",
    "rows",
    "columns",
    "opened",
    "download",
    "start",
)
#: Those of the list of the runs of a folder.
LIST_SCRIPTS = ("elements", "runs")


def template(name: str) -> jinja2.Template:
    """A template of a page; an undefined name is an error."""
    return _environment().get_template(name)


def asset(name: str) -> Markup:
    """A file of the folder, as safe markup."""
    return Markup((_FOLDER / name).read_text(encoding="utf-8"))


def page_script(names: Sequence[str] = SCRIPTS) -> Markup:
    """The script of a page: the named files, in a common scope."""
    files = "".join(asset(f"script/{name}.js") for name in names)
    return Markup(f'"use strict";\n(() => {{\n{files}}})();')


def script_hash(script: str) -> str:
    """The hash by which a page's content security policy allows the script."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def page_style() -> Markup:
    """The style sheet of a page with its figures."""
    return Markup(style_sheet()) + asset("page.css")


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"percent": percent, "svg": svg, "breakable": _breakable}
    return environment


def _breakable(name: str) -> Markup:
    """A name with optional line breaks after slashes and underscores, for narrow cells."""
    return Markup(re.sub(r"(?<=[/_])(?=\w)", "<wbr>", str(escape(name))))
