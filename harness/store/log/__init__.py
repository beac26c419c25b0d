"""Append-only logs of JSON rows: readers, the one writer, files, keys."""
