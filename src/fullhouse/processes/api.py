"""An API process. It accepts connections on the socket that `serve` bound for it, or on one of its own."""

import argparse
import os
import socket

from fullhouse.config import Config
from fullhouse.kit.process_control import exit_with_parent


def serve(settings: Config, args: argparse.Namespace) -> int:
    exit_with_parent(args.parent)
    from fullhouse.kit.http import server
    from fullhouse.processes import app

    def report_ready() -> None:
        """Writes to a pipe that stays open as long as this process lives."""
        if args.ready is not None:
            os.write(args.ready, b".")

    bound = None if args.socket is None else socket.socket(fileno=args.socket)
    server.run(app.create, settings.host, settings.port, bound=bound, opened=report_ready)
    return 0
