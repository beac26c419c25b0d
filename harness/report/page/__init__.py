"""The HTML page of a run, the data in the page, and the server for a folder of runs."""
