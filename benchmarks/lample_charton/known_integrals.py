"""A table of known integrals for integration by parts.

The released code adds every found integral to a table, and thus results depend on the order of
requests. Here the table is a function of the seed and then fixed: problems do not depend on the
order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from .algebra.backends import Backend
from .codec.prefix import Tokens, from_prefix


class KnownIntegrals:
    """Integrands without constant factors -> the shortest known antiderivatives."""

    def __init__(self, integrals: Mapping[Tokens, Tokens] = MappingProxyType({})) -> None:
        self._integrals = dict(integrals)

    def __len__(self) -> int:
        return len(self._integrals)

    def add(self, backend: Backend, f: Any, big_f: Any) -> None:
        """Add an integral, unless a shorter antiderivative is known."""
        factor, core = backend.without_factor(f)
        if not backend.varies(core):
            return
        key = backend.prefix(core)
        tokens = backend.prefix(backend.without_constants(backend.div(big_f, factor)))
        if key not in self._integrals or len(tokens) < len(self._integrals[key]):
            self._integrals[key] = tokens

    def extended(self, backend: Backend, integrals: Iterable[tuple[Any, Any]]) -> KnownIntegrals:
        """A copy with more integrals (f, F)."""
        copy = KnownIntegrals(self._integrals)
        for f, big_f in integrals:
            copy.add(backend, f, big_f)
        return copy

    def integral(self, backend: Backend, f: Any) -> Any | None:
        """An antiderivative of f, term by term, for f unchanged, expanded, or simplified."""
        forms: tuple[Callable[[], Any], ...] = (
            lambda: f,
            lambda: backend.expand(f),
            lambda: backend.simplify(f, 1),
        )
        for form in forms:
            antiderivative = self._sum(backend, form())
            if antiderivative is not None:
                return antiderivative
        return None

    def _sum(self, backend: Backend, f: Any) -> Any | None:
        integral = self._single(backend, f)
        terms = backend.terms(f)
        if integral is not None or len(terms) < 2:
            return integral
        integrals: list[Any] = [self._single(backend, term) for term in terms]
        return backend.add(*integrals) if None not in integrals else None

    def _single(self, backend: Backend, f: Any) -> Any | None:
        factor, core = backend.without_factor(f)
        if not backend.varies(f):
            return backend.mul(f, backend.variable)
        tokens = self._integrals.get(backend.prefix(core))
        return None if tokens is None else backend.mul(factor, backend.read(from_prefix(tokens)))
