"""The commands of `run.py`: parsing of flags, messages and exit codes."""
