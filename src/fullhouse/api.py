"""The API's main process, under `serve`: Granian, which makes the workers that load app.py and passes signals on."""

import argparse
from pathlib import Path

from granian import Granian
from granian.constants import Interfaces, Loops
from granian.log import LogLevels

from fullhouse.config import Config
from fullhouse.kit.process import Alarm, die_with


def serve(settings: Config, args: argparse.Namespace) -> int:
    die_with(args.parent)
    granian = Granian(
        "fullhouse.app:create",
        address=settings.host,
        port=settings.port,
        interface=Interfaces.RSGI,
        loop=Loops.uvloop,
        workers=settings.processes,
        factory=True,
        websockets=False,
        backlog=2048,
        backpressure=30_000,  # counts connections, streams too; the edge and the hub say how many they can take
        respawn_failed_workers=True,
        workers_kill_timeout=15,
        log_level=LogLevels.warning,
        reload=args.reload,
        reload_paths=[Path(__file__).parent],
    )
    granian.main_loop_interrupt = Alarm()  # type: ignore[assignment]  # its own can be locked by two signals at once
    granian.serve()
    return 0
