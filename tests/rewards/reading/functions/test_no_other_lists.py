"""Properties of functions stand in records: the verifier has no other lists of functions.

Arithmetic, conditions and constants are the grammar of trees, and any module may name the words of
the grammar. Rules register by a table, name -> Python function or formula in the argument u.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from calculus_harness.rewards.reading.functions import (
    ARITHMETIC,
    COMPARISONS,
    CONNECTIVES,
    CONSTANTS,
    RECORDS,
)

ROOT = Path(__file__).parents[4]
FOLDERS = ("rewards", "harness/models/solvers")
GRAMMAR = {f.name for f in (*ARITHMETIC, *COMPARISONS, *CONNECTIVES, *CONSTANTS)}
#: Lists of functions elsewhere: the module, the names, and why they stand there.
EXCEPTIONS = {
    ("verify/baselines/antiderivbench", "cosh coth csch erf erfc erfi li sech sgn sinh tanh"): (
        "spellings that the published evaluator's reader leaves undefined"
    ),
    ("verify/baselines/readable", "cosh sinh"): "what the released code counts as exponentials",
    ("verify/certificates/check", "asinh atan cos erf erfi fresnel_c fresnel_s shi si sin"): (
        "the checker shares nothing with the verifier, on purpose"
    ),
    ("verify/certificates/check", "acosh asin atanh"): "the same",
    ("proof/prover/rules/constants", "atan cos sin"): "what Calcium's parser reads",
    ("numeric/sampling/integrand", "beta gamma"): "Greek letters",
    ("numeric/summation/terms", "cosh factorial sinh"): (
        "functions of which a sum reads the formula in other functions; tan has one, too"
    ),
    ("reading/latex/tokens/names", "arg li max min piecewise shi"): (
        "names too short to be looked for inside a run of letters"
    ),
    (
        "reading/latex/tokens/code",
        "beta elliptic_e elliptic_f elliptic_k elliptic_pi gamma im re",
    ): ("names in programs that are letters elsewhere"),
    (
        "reading/latex/tokens/words",
        "chi ci si",
    ): "upright letters, of which case says what they name",
    ("reading/extraction/words/calls", "ceil factorial floor"): "words of prose, too",
    ("reading/extraction/words/calls", "ci ei gamma li si"): "short words that are seldom prose",
}


def lists(text: str) -> Iterator[str]:
    """The names of functions in each literal collection on top of a module, two or more."""
    statements = ast.parse(text).body
    tables = [s for s in statements if not isinstance(s, ast.FunctionDef | ast.ClassDef)]
    for node in (node for table in tables for node in ast.walk(table)):
        items: list[ast.expr | None] = []
        if isinstance(node, ast.Set | ast.List | ast.Tuple):
            items = [*node.elts]
        elif isinstance(node, ast.Dict):
            texts = [value for value in node.values if _is_text(value) and not _is_rule(value)]
            items = [*node.keys] if texts else []
        words = [word for item in items if _is_text(item) for word in item.value.split()]  # type: ignore[union-attr]
        if _is_text(node) and " " in node.value and all(map(str.isidentifier, node.value.split())):  # type: ignore[attr-defined]
            words = node.value.split()  # type: ignore[attr-defined]
        names = frozenset(words) & RECORDS.keys() - GRAMMAR
        if len(names) > 1:
            yield " ".join(sorted(names))


def _is_rule(value: ast.expr) -> bool:
    """Whether a text is a formula in u with a call or an operation."""
    try:
        formula = ast.parse(str(ast.literal_eval(value)), mode="eval").body
    except SyntaxError:
        return False
    names = {node.id for node in ast.walk(formula) if isinstance(node, ast.Name)}
    return isinstance(formula, ast.BinOp | ast.UnaryOp | ast.Call) and "u" in names


def _is_text(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def test_no_list_of_functions_stands_elsewhere() -> None:
    seen = set()
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            name = path.relative_to(ROOT).with_suffix("").as_posix().removeprefix("rewards/")
            if not name.startswith("reading/functions/"):
                seen |= {(name, names) for names in lists(path.read_text("utf-8"))}
    assert seen == EXCEPTIONS.keys()


def test_a_list_is_found() -> None:
    assert [*lists('A = frozenset(("sin", "asin"))')] == ["asin sin"]
    assert [*lists('A = {"erf": 1, "erfc": 2, "x": "y"}')] == ["erf erfc"]
    assert [*lists('A = frozenset("sqrt gamma lgamma".split())')] == ["gamma lgamma"]
    assert [*lists('A = {"sin": rule, "cos": rule}\nB = ("add", "mul")')] == []
    assert [*lists('A = {"sin": "cos(u - 1)", "cos": "-sin(u)"}')] == []
    assert [*lists('A = {"sin": "u", "cos": "-sin(u)"}')] == ["cos sin"]
    assert [*lists('def f(n):\n    return n in ("sin", "cos")')] == []
