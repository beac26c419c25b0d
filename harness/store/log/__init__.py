"""Append-only logs of JSON rows: reading, the one writer, their files, their keys."""
