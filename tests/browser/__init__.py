"""Real people's way: Chromium against a server that runs, with everything outside of this machine out of reach."""
