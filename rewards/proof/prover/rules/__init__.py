"""The functions of a tower: each module registers functions in `FORMS` and `RULES`."""
