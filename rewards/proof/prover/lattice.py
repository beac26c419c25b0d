"""A basis of the lattice that the exponents, or the angles, of a proof span.

Letters: an exponent is a vector ``v`` over Q. Its coordinates belong to monomials of the field; one
of these is 1. The basis vectors ``b_1, ..., b_r`` are called units. They are linearly independent,
and ``v = n_1 b_1 + ... + n_r b_r`` with whole ``n_i``. For example, ``6x + 4``, ``9x + 5`` and ``3x
+ 3`` have the units ``3x + 1`` and 2.

If a new vector is a combination with fractions, the basis has to become finer. The units and the
vector are the rows of a matrix over Z. The Hermite normal form of the matrix is a finer basis,
which is then reduced (Cohen, *A Course in Computational Algebraic Number Theory*, sections 2.4 and
2.6).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from flint import fmpq, fmpq_mat, fmpz_mat

from .quotients import NotProvedError

Vector: TypeAlias = dict[int, fmpq]
#: Places of units, and the multiples of them that make up a vector.
Combination: TypeAlias = list[tuple[int, fmpq]]
ZERO, UNIT = fmpq(0), fmpq(1)
#: Most units: matrices are so small.
MAX_UNITS = 32
#: Largest denominator of fractions of units that are algebraic over them.
MAX_ROOT = 1000


@dataclass(slots=True)
class Lattice:
    """A lattice of vectors, with basis vectors that are called units.

    The prover first collects all ``vectors``. Then `settle` computes the units. Then the prover
    makes an element of the field for each unit, and stores it in ``generators``. ``most`` is the
    largest multiple of a unit that a combination may have.

    A vector becomes a unit of its own, listed in ``alone``, in two cases. Either a multiple would
    exceed ``most``, or the vector needs finer units although generators of the present units
    already exist. The prover then regards the vector as independent of all other units. It may miss
    a proof for this reason, but it proves no false statement. With ``algebraic``, combinations with
    fractions are allowed as well: exp(u/2) is a square root of exp(u).

    >>> lattice = Lattice(128)
    >>> lattice.vectors += [{0: fmpq(n), 1: fmpq(n)} for n in (6, 4)]
    >>> lattice.settle()
    >>> lattice.add({0: fmpq(10), 1: fmpq(10)})
    [(0, 5)]
    """

    most: int
    algebraic: bool = False
    units: list[Vector] = field(default_factory=list)
    vectors: list[Vector] = field(default_factory=list)
    generators: dict[int, Any] = field(default_factory=dict)
    alone: dict[int, Vector] = field(default_factory=dict)
    largest: int = 1

    def settle(self) -> None:
        """Compute the units: add all collected vectors, sorted from short to long."""
        waiting, self.vectors = sorted(filter(None, self.vectors), key=len), []
        for vector in waiting:
            self.add(vector)

    def add(self, vector: Vector) -> Combination:
        """Write a vector as a combination of units. If necessary, add or refine units."""
        if not self.units:
            return self._append(vector)
        if len(self.units) == 1 and len(vector) == 1:  # nearly always
            ((key, c),) = vector.items()
            leading = self.units[0].get(key)
            if leading is not None and len(self.units[0]) == 1:
                if c == leading:
                    return [(0, UNIT)]
                n = c / leading
                if n.q == 1 and (size := abs(int(n.p))) <= self.most:
                    self.largest = max(self.largest, size)
                    return [(0, n)]
        minus = {key: -c for key, c in vector.items()} if self.alone else {}
        for at, unit in self.alone.items():
            if unit in (vector, minus):
                return [(at, UNIT if unit == vector else -UNIT)]
        candidates = [at for at in range(len(self.units)) if at not in self.alone]
        coefficients = _combination([self.units[at] for at in candidates], vector)
        if coefficients is None:
            return self._append(vector)
        used = [(at, c) for at, c in zip(candidates, coefficients, strict=True) if c]
        denominator = math.lcm(*(int(c.q) for _, c in used))
        size = max(int(abs(c).ceil()) for _, c in used)
        has_generator = any(at in self.generators for at, _ in used)
        if denominator > 1 and not has_generator and self._refine(used, denominator):
            return self.add(vector)
        integral = denominator == 1 or (
            self.algebraic and has_generator and denominator <= MAX_ROOT
        )
        if integral and size <= self.most:
            self.largest = max(self.largest, size)
            return used
        combination = self._append(vector)
        self.alone[len(self.units) - 1] = self.units[-1]
        return combination

    def _append(self, vector: Vector) -> Combination:
        """Add a vector or its negative as a unit. Return the vector as a combination of units.

        The first coordinate of a unit is positive.
        """
        if len(self.units) >= MAX_UNITS:
            raise NotProvedError("too many units")
        sign = UNIT if next(iter(vector.values())) > 0 else -UNIT
        self.units.append(vector if sign > 0 else {key: -c for key, c in vector.items()})
        return [(len(self.units) - 1, sign)]

    def _refine(self, used: Combination, denominator: int) -> bool:
        """Refine units so that a vector has integer coefficients, and return whether the units were
        refined.

        The units stay as they are if a coefficient of any combination would then exceed ``most``.
        The result is False in this case.
        """
        rank = len(used)
        rows = [[denominator * (i == j) for j in range(rank)] for i in range(rank)]
        rows.append([int((c * denominator).p) for _, c in used])
        finer = fmpz_mat(fmpz_mat(rows).hnf().tolist()[:rank]).lll()
        multiples = (fmpq_mat(finer) / denominator).inv().entries()  # of the units that there were
        largest = self.largest * max(int(c.ceil()) for c in map(abs, multiples))
        if largest > self.most:
            return False
        self.largest = largest
        units = [self.units[at] for at, _ in used]
        for (at, _), row in zip(used, finer.tolist(), strict=True):
            unit: Vector = {}
            for n, old in zip(row, units, strict=True):
                for key, c in old.items():
                    unit[key] = unit.get(key, ZERO) + fmpq(n, denominator) * c
            unit = {key: c for key, c in unit.items() if c}
            leading = next(iter(unit.values()))
            self.units[at] = unit if leading > 0 else {key: -c for key, c in unit.items()}
        return True


def _combination(units: list[Vector], vector: Vector) -> list[fmpq] | None:
    """Write a vector as a combination of linearly independent units; return the coefficients.

    If the vector is independent of the units, the result is None.
    """
    if not units:
        return None
    columns = [*units, vector]
    keys = list(dict.fromkeys(key for column in columns for key in column))
    if len(keys) < len(units):
        return None
    reduced, rank = fmpq_mat([[column.get(key, ZERO) for column in columns] for key in keys]).rref()
    rank_of_units = len(units)
    return None if rank != rank_of_units else [reduced[i, rank] for i in range(rank)]
