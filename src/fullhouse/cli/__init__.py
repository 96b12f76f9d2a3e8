"""The command line: a module for each group of commands, and the parser in main.py."""
