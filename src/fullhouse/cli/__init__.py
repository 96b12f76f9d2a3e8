"""The command line: one file for a group of commands, and the parser that names them (main.py)."""
