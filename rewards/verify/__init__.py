"""The judges: a module or a folder for each kind of question, and the packages that decide for the
judges.
"""
