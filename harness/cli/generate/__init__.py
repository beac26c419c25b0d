"""The commands `run.py generate`, a module for each family of problems."""
