"""The pages, and what an operator asks of a running process. Server-rendered; nothing is loaded from elsewhere."""
