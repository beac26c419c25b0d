"""The second computation: `comparisons` writes a program for each question, `program` runs it."""
