"""The HTML page of a run: the data that the page holds, and the folder that a server shows."""
