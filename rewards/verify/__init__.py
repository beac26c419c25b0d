"""The judges, a module or a folder for each kind of question, and what decides for them."""
