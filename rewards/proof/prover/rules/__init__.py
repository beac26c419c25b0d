"""The functions of a tower: each module registers its own in `FORMS` and `RULES`."""
