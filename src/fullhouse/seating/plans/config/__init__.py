"""Layouts as other systems keep them: JSON with sections, rows and seats."""
