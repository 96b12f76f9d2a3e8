"""Metrics of several processes when the disk is full, and when a process is followed by another of its name."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from fullhouse.kit.telemetry import metric_files
from tests.services.mounts import small_disk

pytestmark = [pytest.mark.fault, pytest.mark.req("OBS-1", "OBS-2")]
LABELS = 3000  # more than fit into the first 64 KB

PROCESS = """
import os, sys
from pathlib import Path
from fullhouse.kit.telemetry import metric_files
folder = Path(os.environ["PROMETHEUS_MULTIPROC_DIR"])
metric_files.use_files_of(sys.argv[1], str(folder))
from prometheus_client import Counter, Gauge
seen = Counter("seen_total", "Seen", ["n"])
Gauge("open_now", "Open", multiprocess_mode="livesum").inc()
for n in range(int(sys.argv[2])):
    seen.labels(n).inc()
for filler in folder.glob("filler"):
    filler.unlink()
seen.labels(0).inc()
seen.labels("last").inc()
from fullhouse.kit.telemetry import telemetry
print(telemetry.render_metrics().decode())
"""


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path, 1) as disk:
        yield disk


def run(folder: Path, name: str, labels: int) -> list[str]:
    environment = {**os.environ, metric_files.FOLDER: str(folder)}
    command = [sys.executable, "-c", PROCESS, name, str(labels)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.returncode, done.stderr[-2000:])
    return done.stdout.splitlines()


def fill_up(filler: Path) -> None:
    with filler.open("wb") as file, suppress(OSError):
        while True:
            os.posix_fallocate(file.fileno(), file.tell(), 4096)
            file.seek(4096, os.SEEK_CUR)


@pytest.mark.parametrize("made_before", [True, False])
def test_a_full_disk_ends_nobody_and_values_are_shown_when_there_is_room(small: Path, made_before: bool) -> None:
    if made_before:
        run(small, "api", 1)
    fill_up(small / "filler")
    shown = run(small, "api", LABELS)
    before = 2 if made_before else 0
    assert f'seen_total{{n="0"}} {before + 2.0}' in shown
    assert 'seen_total{n="last"} ' in "\n".join(shown)


def test_counters_go_on_after_a_restart_and_what_was_open_is_not(tmp_path: Path) -> None:
    run(tmp_path, "api-1", 2)
    run(tmp_path, "worker", 2)
    shown = run(tmp_path, "api-1", 2)
    assert 'seen_total{n="0"} 6.0' in shown  # 2 in each of three
    assert 'seen_total{n="1"} 3.0' in shown
    assert "open_now 2.0" in shown  # of the two that are there now
    assert len(list(tmp_path.glob("*.db"))) == 4


def test_the_folder_is_in_memory_where_there_is_such_a_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memory, home = tmp_path / "memory", tmp_path / "home"
    home.mkdir()
    monkeypatch.setattr(metric_files, "IN_MEMORY", memory)
    assert metric_files.make_folder(home, 8000) == home / "metrics-8000"
    memory.mkdir()
    folder = metric_files.make_folder(home, 8000)
    assert folder.parent == memory
    (folder / "old.db").touch()
    assert list(metric_files.make_folder(home, 8000).iterdir()) == []  # begun anew
    assert folder.stat().st_mode & 0o777 == 0o700
