"""Server-rendered pages, a file for each subject."""
