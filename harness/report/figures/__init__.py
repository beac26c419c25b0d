"""Figures as shapes in data coordinates, drawn as SVG or written to a file by matplotlib."""
