"""Definite integrals as trees: reading, printing, and changes of variable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ...rewards.numeric.quadrature import prepare_definite
from ...rewards.reading.expression.build import mul
from ...rewards.reading.expression.traversal import substitute, symbols_of
from ...rewards.reading.expression.tree import Call, Expression, Symbol
from ...rewards.reading.latex import read, to_latex
from ..payloads import JSON, DefiniteInputs, DefiniteTarget
from ..problem import Parent, Problem

#: A limit of integration: a tree, or +1 or -1 for an infinity.
Limit = Expression | int
#: The value of a divergent integral.
DIVERGES = "diverges"


@dataclass(frozen=True, slots=True)
class ValuedIntegral:
    """A definite integral with the value.

    Attributes:
        integrand: f.
        variable: the variable of integration.
        lower: the lower limit.
        upper: the upper limit.
        value: the value; None if the integral diverges.
        principal_value: whether the value is Cauchy's principal value.

    """

    integrand: Expression
    variable: str
    lower: Limit
    upper: Limit
    value: Expression | None
    principal_value: bool = False

    @property
    def latex(self) -> str:
        r"""The integral as ``\int_0^1 f \, dx``."""
        body = to_latex(self.integrand)
        if isinstance(self.integrand, Call) and self.integrand.function in ("add", "neg"):
            body = rf"\left({body}\right)"
        sign = r"\mathrm{PV}\int" if self.principal_value else r"\int"
        limits = f"_{{{_limit(self.lower)}}}^{{{_limit(self.upper)}}}"
        variable = to_latex(Symbol(self.variable))
        return rf"{sign}{limits} {body} \, d{variable}"

    @property
    def value_latex(self) -> str:
        """The value in LaTeX, or `DIVERGES`."""
        return DIVERGES if self.value is None else to_latex(self.value)

    @property
    def parameters(self) -> list[str]:
        """The symbols of the integrand and the limits but the variable."""
        trees = [self.integrand, *(limit for limit in self.limits if not isinstance(limit, int))]
        return sorted(set().union(*map(symbols_of, trees)) - {self.variable})

    @property
    def limits(self) -> tuple[Limit, Limit]:
        """Both limits."""
        return self.lower, self.upper

    def with_value_times(self, factor: Expression) -> ValuedIntegral:
        """The integral with the value multiplied by ``factor``."""
        return self if self.value is None else replace(self, value=mul(factor, self.value))

    def specialised(self, values: Mapping[str, Expression]) -> ValuedIntegral:
        """The integral with numbers for parameters."""

        def put(tree: Expression) -> Expression:
            for name, number in values.items():
                tree = substitute(tree, name, number)
            return tree

        def limit(end: Limit) -> Limit:
            return end if isinstance(end, int) else put(end)

        return replace(
            self,
            integrand=put(self.integrand),
            lower=limit(self.lower),
            upper=limit(self.upper),
            value=None if self.value is None else put(self.value),
        )

    def substituted(
        self, inner: Expression, slope: Expression, lower: Limit, upper: Limit
    ) -> ValuedIntegral:
        """The integral after x = ``inner``, whose derivative is ``slope``, in the same letter."""
        return replace(
            self,
            integrand=mul(substitute(self.integrand, self.variable, inner), slope),
            lower=lower,
            upper=upper,
        )


def _limit(limit: Limit) -> str:
    if isinstance(limit, int):
        return r"\infty" if limit > 0 else r"-\infty"
    return to_latex(limit)


def parse(integral: str, value: str) -> ValuedIntegral:
    """An integral from LaTeX texts."""
    read_integral = prepare_definite(integral)
    names = read_integral.parameters
    value_tree = None if value == DIVERGES else read(value, symbols=names)[0].expression
    if value_tree is not None and "G" not in names:
        value_tree = substitute(value_tree, "G", Call("catalan"))
    return ValuedIntegral(
        read_integral.integrand.expression,
        read_integral.integrand.variable,
        read_integral.lower,
        read_integral.upper,
        value_tree,
        read_integral.principal_value,
    )


def problem(
    integral: ValuedIntegral,
    id: str,
    subset: str,
    *,
    parents: tuple[Parent, ...] = (),
    pair_parent: str | None = None,
    perturbation: str | None = None,
    metadata: Mapping[str, JSON] | None = None,
) -> Problem:
    """The problem with a request for an integral."""
    return Problem(
        id=id,
        task="definite_integral",
        benchmark="definite",
        subset=subset,
        inputs=DefiniteInputs(integral.latex),
        target=DefiniteTarget(integral.latex, integral.value_latex),
        parents=parents,
        pair_parent=pair_parent,
        perturbation=perturbation,
        metadata=dict(metadata or {}),
    )
