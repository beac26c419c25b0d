"""Takes questions apart that are asked in other people's words."""
