"""Jumps of an answer: those that its form excludes, and a search for the others."""
