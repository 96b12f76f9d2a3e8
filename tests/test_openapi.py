"""The documented API against the real one: whatever Schemathesis thinks of, no 5xx and nothing undocumented."""

import json
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from tests.fixtures import soaking
from tests.test_serve import House, house

__all__ = ["house"]  # the fixture

# Semantics are ours to refuse: a schema cannot say that a cursor is forged or a link is spent.
_WITHOUT = "positive_data_acceptance"
# The same requests every time, so that a failure can be seen again; the soak draws others.
SEED = "246426747038585297437679010418563499790"


@pytest.mark.req("OBS-2")
@pytest.mark.soak
def test_the_api_is_as_documented(house: House, tmp_path: Path) -> None:
    sign_in = json.dumps(
        {"organization": "harbour-theatre", "email": "owner@demo.example", "password": _password(house)}
    )
    request = urllib.request.Request(
        f"http://127.0.0.1:{house.port}/api/auth/login", sign_in.encode(), {"content-type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        token = json.load(answer)["data"]["token"]
    examples = 200 if soaking() else 10
    run = subprocess.run(
        [
            *(Path(sys.executable).with_name("st"), "run", f"http://127.0.0.1:{house.port}/api/openapi.json"),
            *("-H", f"Authorization: Bearer {token}", "--max-examples", str(examples)),
            *(() if soaking() else ("--seed", SEED)),
            *("--checks", "all", "--exclude-checks", _WITHOUT, "--phases", "examples,coverage,fuzzing"),
            *("--request-timeout", "60"),  # an arena of seats is drawn in a second, or in ten beside other tests
            *("--exclude-path", "/api/auth/logout", "--exclude-path-regex", "/stream$", "--no-color"),  # those go on
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-20_000:] + run.stderr[-2000:]
    assert '"level": "error"' not in house.text, house.text[-3000:]


def _password(house: House) -> str:
    (line,) = [line for line in house.text.splitlines() if "owner@demo.example" in line]
    return line.split()[-1]
