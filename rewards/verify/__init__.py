"""The judges, one for each kind of question, and the packages that decide for the judges."""
