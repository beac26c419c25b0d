"""The judges, one for each kind of question, and the packages with which the judges decide."""
