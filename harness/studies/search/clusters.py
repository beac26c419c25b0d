"""Clusters of problems that a model fails, named by common features, and a map of the clusters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ....rewards.reading.expression.traversal import nodes_of
from ....rewards.reading.expression.tree import Call, Expression, Number, Symbol
from .embedding import Floats
from .formulas import TRIGONOMETRIC, terms

#: A feature names a cluster if at least the share `SHARE` of the members has the feature, and if
#: the share outside is smaller by at least `LIFT`.
SHARE, LIFT = 0.6, 0.15
#: The largest number of features in a name, and the smallest number called large.
FEATURES, LARGE = 3, 100


def _calls(tree: Expression, *names: str) -> list[Call]:
    return [n for n in nodes_of(tree) if isinstance(n, Call) and n.function in names]


def _varies(tree: Expression) -> bool:
    return any(isinstance(node, Symbol) for node in nodes_of(tree))


def _numbers(tree: Expression) -> list[Number]:
    return [node for node in nodes_of(tree) if isinstance(node, Number)]


def _exponent(tree: Expression, test: Callable[[Number], bool]) -> bool:
    """Whether the tree contains a power whose exponent is a number that passes ``test``.

    Only powers whose base contains x are examined.
    """
    return any(
        isinstance(call.args[1], Number) and test(call.args[1]) and _varies(call.args[0])
        for call in _calls(tree, "pow")
    )


def _nested(tree: Expression) -> bool:
    """Whether the argument of a sine, cosine or tangent contains a sum, power or other function."""
    arguments = [call.args[0] for call in _calls(tree, *TRIGONOMETRIC) if _varies(call)]
    return any(_calls(arg, "pow", "add", *TRIGONOMETRIC, "exp", "ln") for arg in arguments)


#: Tests of formulas' features, by the feature's name.
FEATURES_BY_NAME: Mapping[str, Callable[[Expression], bool]] = {
    "constant": lambda tree: not _varies(tree),
    "x in an exponent": lambda tree: any(_varies(call.args[1]) for call in _calls(tree, "pow")),
    "x in base and exponent": lambda tree: any(
        _varies(call.args[0]) and _varies(call.args[1]) for call in _calls(tree, "pow")
    ),
    "exp": lambda tree: any(map(_varies, _calls(tree, "exp"))),
    "log": lambda tree: any(map(_varies, _calls(tree, "ln"))),
    "trigonometric": lambda tree: any(map(_varies, _calls(tree, *TRIGONOMETRIC))),
    "product of trigonometric functions": lambda tree: any(
        len(_calls(call, *TRIGONOMETRIC)) > 1 for call in _calls(tree, "mul")
    ),
    "trigonometric of a compound": _nested,
    "root": lambda tree: _exponent(tree, lambda e: e.denominator != 1),
    "high power": lambda tree: _exponent(tree, lambda e: abs(e.numerator) > 9),
    "x below a fraction bar": lambda tree: _exponent(tree, lambda e: e.numerator < 0),
    "polynomial": lambda tree: _varies(tree) and not _beyond_polynomial(tree),
    "large numbers": lambda tree: any(abs(n.numerator) >= LARGE for n in _numbers(tree)),
    "one term": lambda tree: terms(tree) == 1,
    "two terms": lambda tree: terms(tree) == 2,
    "three terms or more": lambda tree: terms(tree) > 2,
}


def _beyond_polynomial(tree: Expression) -> bool:
    for node in nodes_of(tree):
        if isinstance(node, Call) and node.function == "pow":
            is_integer = isinstance(node.args[1], Number) and node.args[1].denominator == 1
            positive = isinstance(node.args[1], Number) and node.args[1].numerator > 0
            if _varies(node) and not (is_integer and positive):
                return True
        elif isinstance(node, Call) and node.function not in ("add", "mul") and _varies(node):
            return True
    return False


def cluster_names(trees: Sequence[Expression], which: NDArray[np.int64]) -> list[str]:
    """Name every cluster by features that most of its members have.

    Features that are much rarer in the other clusters are preferred.

    Args:
        trees: the formulas.
        which: the cluster of each formula, counted from 0.

    Returns:
        The names of the clusters, all distinct.

    >>> from .formulas import read
    >>> trees = [read(text) for text in ("sin(3*x)", "cos(7*x)", "x**2 + 1", "x**3 + 2")]
    >>> cluster_names(trees, np.array([0, 0, 1, 1]))
    ['trigonometric, one term', 'polynomial, two terms']

    """
    has = np.array([[test(tree) for test in FEATURES_BY_NAME.values()] for tree in trees])
    names: list[str] = []
    for cluster in range(int(which.max()) + 1):
        members = which == cluster
        own = has[members].mean(axis=0) if members.any() else np.zeros(has.shape[1])
        outside_shares = has[~members].mean(axis=0) if (~members).any() else np.zeros(has.shape[1])
        order = sorted(range(len(own)), key=lambda at: -(own[at] - outside_shares[at]))
        telling = [at for at in order if own[at] >= SHARE and own[at] - outside_shares[at] >= LIFT]
        chosen = telling or [at for at in order if own[at] >= SHARE]
        features = sorted(chosen[:FEATURES])
        name = ", ".join(list(FEATURES_BY_NAME)[at] for at in features) or "mixed"
        names.append(name)
    return [
        name if names.count(name) == 1 else f"{name} ({names[: index + 1].count(name)})"
        for index, name in enumerate(names)
    ]


def projected(vectors: Floats) -> Floats:
    """Project vectors to their two largest principal components, scaled to [0, 1].

    >>> projected(np.array([[0.0, 1.0], [2.0, 1.0], [4.0, 1.0]]))[:, 0].tolist()
    [0.0, 0.5, 1.0]
    """
    centred = vectors - vectors.mean(axis=0)
    spread = centred.std(axis=0)
    centred = centred / np.where(spread > 1e-12, spread, 1.0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    axes = axes[:2]
    # The sign of a component is arbitrary: make the largest coefficient positive, for the same map
    # on any machine.
    signs = np.sign(axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)])
    flat = np.zeros((len(vectors), 2))
    flat[:, : len(axes)] = centred @ (axes * signs[:, None]).T
    low, high = flat.min(axis=0), flat.max(axis=0)
    return np.asarray((flat - low) / np.where(high - low > 1e-12, high - low, 1.0))
