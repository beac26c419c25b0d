"""Numbers in messages to users."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """A number with a noun in the singular or the plural.

    Args:
        number: the number.
        noun: the noun in the singular.
        plural: the plural, if not formed with an s.

    Returns:
        The number and the noun.

    >>> counted(1, "reference"), counted(0, "reference"), counted(2, "batch", "batches")
    ('1 reference', '0 references', '2 batches')

    """
    return f"{number} {noun if number == 1 else plural or noun + 's'}"
