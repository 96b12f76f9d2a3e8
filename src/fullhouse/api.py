"""The API under `serve`: one process, or several that share a port, with this one above them."""

import argparse
import os
import signal
from pathlib import Path

from fullhouse.config import Config
from fullhouse.family import Family
from fullhouse.kit.process import Alarm, die_with

LOOK_S = 0.5


def serve(settings: Config, args: argparse.Namespace) -> int:
    die_with(args.parent)
    if args.member or (settings.processes == 1 and not args.reload):
        return _serve_here(settings)
    stop = Alarm()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop.set)
    members = {f"api {number}": ["api", "--member"] for number in range(1, settings.processes + 1)}
    family = Family(members, os.environ)
    family.start()
    code = _sources() if args.reload else {}
    try:
        while not stop.wait(LOOK_S):
            if not args.reload:
                family.mend()
            elif code != (code := _sources()):  # one that fails is mended by whoever has the file open
                family.stop(together=True)
                family.start()
        return 0
    finally:
        family.stop(together=True)


def _serve_here(settings: Config) -> int:
    from fullhouse import app  # heavy, and a process that only watches others does not need it
    from fullhouse.kit.http import server

    server.run(app.create, settings.host, settings.port, shared=settings.processes > 1)
    return 0


def _sources() -> dict[Path, float]:
    """When our files were changed."""
    return {file: file.stat().st_mtime for file in Path(__file__).parent.rglob("*") if file.suffix in (".py", ".sql")}
