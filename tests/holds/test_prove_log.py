"""A client's log against the database: what it was told is there, and nothing else; and whoever lies is named."""

import asyncio
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
import pytest
from bench._log import ClientLog, end_of

from fullhouse import prove
from fullhouse.cli import main
from fullhouse.config import SETTINGS
from fullhouse.kit.errors import OperatorError
from fullhouse.kit.ids import new_id
from fullhouse.prove.client import log as client_log
from fullhouse.prove.client.holds import Row, compare, find_disagreements
from fullhouse.prove.client.log import Call, Item, read_log
from tests.accounts.helpers import data
from tests.fixtures import SECRET_KEY, Client, Tenant
from tests.holds.baskets import order
from tests.holds.helpers import guest, hall, on_sale, places, seats, stage, wish
from tests.races.arena import SIGN_UP, arena

EVENT, ME, THEM = new_id(), new_id(), new_id()
A, B, PIT = new_id(), new_id(), new_id()
ONE, TWO, PLACES = Item(seat=A), Item(seat=B), Item(zone=PIT, quantity=3)


def asked(name: str, end: Any, *items: Item, holds: list[UUID] | None = None, user: UUID = ME, **more: Any) -> Call:
    return Call(call=name, kind="hold", event=EVENT, user=user, items=list(items), end=end, holds=holds or [], **more)


def row(thing: Item, basket: UUID, hold_id: UUID | None = None, user: UUID = ME, **more: Any) -> Row:
    place = thing.seat or thing.zone
    assert place
    return Row(hold_id or new_id(), EVENT, basket, user, place, thing.quantity, **({"status": "active"} | more))


H1, H2, H3, K1, K2 = (new_id() for _ in range(5))
OK_A, OK_AB = asked("1", "ok", ONE, holds=[H1]), asked("1", "ok", ONE, TWO, holds=[H1, H2])
BACK = Call(call="2", kind="release", hold=H1, end="ok")
KEPT = msgspec.structs.replace(BACK, end="fail")
GONE = row(ONE, K1, H1, status="cancelled", is_released=True)
# What the client was told, what there is, and what is said of it (nothing: all is well).
LOGS: dict[str, tuple[list[Call], list[Row], str]] = {
    "acknowledged": ([OK_AB], [row(ONE, K1, H1), row(TWO, K1, H2)], ""),
    "acknowledged, and over since": ([OK_A], [row(ONE, K1, H1, status="expired")], ""),
    "lost": ([OK_A], [], f"hold {H1} is not there"),
    "half lost": ([OK_AB], [row(ONE, K1, H1)], f"hold {H2} is not there"),
    "somebody else's": ([OK_A], [row(ONE, K1, H1, user=THEM)], f"hold {H1} is somebody else's"),
    "of another show": (
        [OK_A], [row(ONE, K1, H1)._replace(event_id=THEM)], f"but hold {H1} is somebody else's",
    ),
    "another seat": ([OK_A], [row(TWO, K1, H1)], "its holds are not what it asked for"),
    "fewer places": (
        [asked("1", "ok", PLACES, holds=[H1])], [row(Item(zone=PIT, quantity=2), K1, H1)], "not what it asked for",
    ),
    "the same hold twice": ([OK_A, asked("2", "ok", ONE, holds=[H1])], [row(ONE, K1, H1)], ""),
    "refused": ([asked("1", "fail", ONE)], [], ""),
    "refused, and held": ([asked("1", "fail", ONE)], [row(ONE, K1, H1)], f"hold {H1} of {A} is there, but call 1 was"),
    "refused, held before": ([OK_A, asked("2", "fail", ONE, TWO)], [row(ONE, K1, H1)], ""),
    "refused, and held in part": ([asked("1", "fail", ONE, TWO)], [row(TWO, K1, H2)], f"hold {H2} of {B} is there"),
    "nobody asked": ([OK_A], [row(ONE, K1, H1), row(TWO, K2, H2)], f"hold {H2} of {B} is there, but no call asked"),
    "held twice": ([OK_A], [row(PLACES, K2, H2), row(ONE, K1, H1)], f"hold {H2} of {PIT} is there"),
    "other people's": ([OK_A], [row(ONE, K1, H1), row(TWO, K2, H2, user=THEM)], ""),
    "unknown, absent": ([asked("1", "unknown", ONE, TWO)], [], ""),
    "unknown, whole": ([asked("1", "unknown", ONE, TWO)], [row(ONE, K1), row(TWO, K1)], ""),
    "unknown, in part": ([asked("1", "unknown", ONE, TWO)], [row(ONE, K1)], "ended unknown, and is there in part"),
    "unknown, and twice": ([asked("1", None, PLACES)], [row(PLACES, K1), row(PLACES, K2)], "or one did twice"),
    "unknown, then the same again": ([asked("1", "unknown", ONE), asked("2", "ok", ONE, holds=[H1])],
                                     [row(ONE, K1, H1)], ""),
    "unknown, a part of it asked again": ([asked("1", "unknown", ONE, TWO), asked("2", "ok", ONE, holds=[H1])],
                                          [row(ONE, K1, H1), row(TWO, K1, H2)], ""),
    "unknown, a part was theirs": ([OK_A, asked("2", "unknown", ONE, TWO)], [row(ONE, K1, H1), row(TWO, K2)], ""),
    "the best": ([asked("1", "ok", best=2, holds=[H1, H2])], [row(ONE, K1, H1), row(TWO, K1, H2)], ""),
    "the best, fewer": ([asked("1", "ok", best=3, holds=[H1, H2])], [row(ONE, K1, H1), row(TWO, K1, H2)], "with 3"),
    "the best, unknown": ([asked("1", None, best=2)], [row(ONE, K1), row(TWO, K1)], ""),
    "the best, unknown, in part": ([asked("1", None, best=3)], [row(ONE, K1), row(TWO, K1)], "is there, but"),
    "given back": ([OK_A, BACK], [row(ONE, K1, H1, status="cancelled")], ""),
    "given back, and held": ([OK_A, BACK], [row(ONE, K1, H1)], f"gave hold {H1} back, but it is active"),
    "given back, and gone": ([BACK], [], f"gave hold {H1} back, but it is not there"),
    "given back, perhaps": ([OK_A, msgspec.structs.replace(BACK, end="unknown")], [row(ONE, K1, H1)], ""),
    "given back, refused": ([OK_A, KEPT], [row(ONE, K1, H1)], ""),
    "given back, refused, and yet": ([OK_A, KEPT], [GONE], f"call 2 was refused, but gave hold {H1} back"),
    "given back, refused, and over": ([OK_A, KEPT], [row(ONE, K1, H1, status="cancelled")], ""),
    "given back, then refused": ([OK_A, msgspec.structs.replace(BACK, call="1b"), KEPT], [GONE], ""),
    "given back perhaps, then refused": (
        [OK_A, msgspec.structs.replace(BACK, call="1b", end="unknown"), KEPT], [GONE], "",
    ),
    "given back, refused, and nothing there": ([KEPT], [], ""),
}  # fmt: skip


@pytest.mark.req("HOLD-2", "PROVE-2")
@pytest.mark.parametrize("case", LOGS)
def test_what_was_told_and_what_is_there(case: str) -> None:
    calls, rows, says = LOGS[case]
    found = compare(calls, rows)
    assert (found and says in found[0]) if says else found == []


@pytest.mark.req("PROVE-2")
def test_lines_of_a_call_are_read_as_one_and_a_torn_one_not_at_all(tmp_path: Path) -> None:
    with ClientLog(tmp_path / "log") as log:
        first = log.call(kind="hold", event=EVENT, user=ME, items=[ONE, PLACES])
        log.call(kind="release", hold=H1)
        log.end(first, "ok", holds=[H1, H2])
    with (tmp_path / "log").open("ab") as file:
        file.write(b'{"call": "99", "kin')
    held, back = read_log(tmp_path / "log")
    assert (held.kind, held.items, held.end, held.holds) == ("hold", [ONE, PLACES], "ok", [H1, H2])
    assert (back.kind, back.hold, back.end) == ("release", H1, None)


@pytest.mark.req("PROVE-2")
@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"call": 1}\n', "line 1: "),
        ('{"call": "1", "kind": "buy"}\n', "line 1: "),
        ('{"call": "1"}\n', "call 1 has no kind"),
    ],
)
def test_a_log_that_makes_no_sense_is_a_sentence(text: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "log").write_text(text)
    with pytest.raises(OperatorError, match=says):
        read_log(tmp_path / "log")


@pytest.mark.req("PROVE-2")
def test_an_answer_of_the_servers_own_failure_is_unknown() -> None:
    assert [end_of(status) for status in (200, 201, 204, 400, 409, 429, 500, 503)] == (
        ["ok"] * 3 + ["fail"] * 3 + ["unknown"] * 2
    )


@pytest.mark.req("PROVE-2")
async def test_a_hold_is_given_back_by_a_release_and_by_nothing_else(
    staff: Client, client: Client, buyer: Client, tenant: Tenant, owner: Any
) -> None:
    sale = await on_sale(staff, hall())
    stranger = await guest(client, tenant)
    calls = []

    async def release(name: str, hold: str, by: Client) -> None:
        status = (await by.delete(f"/api/holds/{hold}")).status_code
        calls.append(Call(call=name, kind="release", hold=UUID(hold), end=end_of(status)))

    basket = data(await order(buyer, sale, 0, 1, 2, 3), 201)
    one, two, three, _ = (line["hold_id"] for line in basket["items"])
    await release("1", one, buyer)
    await release("2", two, stranger)
    await release("3", three, stranger)
    freed = {"seat_ids": [sale.seat(2)], "reason": "Camera"}
    assert data(await staff.post(sale.path("holds/release"), json=freed)) == {"released": 1}
    await release("4", one, buyer)  # it is over
    assert [call.end for call in calls] == ["ok", "fail", "fail", "fail"]
    assert await find_disagreements(owner, calls) == []
    calls[0].end = "fail"
    assert await find_disagreements(owner, calls) == [
        f"call {name} was refused, but gave hold {one} back" for name in ("1", "4")
    ]


@pytest.mark.req("HOLD-2", "HOLD-6", "PROVE-2")
async def test_operators_prove_a_log_and_see_the_mutant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """True as it was written; with one hold deleted, or one refusal that was none, it is not."""
    path = tmp_path / "log"
    async with arena(tmp_path) as at:
        sale, me = await stage(at.processes[0], at.tenant, hall(1, 10, pit=5)), new_id()
        with ClientLog(path) as log:

            async def hold(*ordinals: int, count: int = 0) -> None:
                wants = [*seats(sale, *ordinals), *([places(sale, "pit", count)] if count else [])]
                said = [Item(seat=w.seat_id) if w.seat_id else Item(zone=w.ref_id, quantity=w.quantity) for w in wants]
                name = log.call(kind="hold", event=sale.event_id, user=me, items=said)
                results = await at.hold(wish(sale, me, *wants))
                good = all(result.is_granted for result in results)
                log.end(name, "ok" if good else "fail", holds=[r.hold_id for r in results if good and r.hold_id])

            await hold(0, 1, count=2)
            await hold(2)
            await hold(3, count=4)  # there are three left
            await hold(0)

        def told(*words: str) -> int:
            own = {"DATABASE_URL": at.url, "FULLHOUSE_SECRET_KEY": SECRET_KEY, "FULLHOUSE_HOME": str(tmp_path)}
            for setting in SETTINGS:
                monkeypatch.setenv(setting.name, own.get(setting.name, ""))
            return main.main(["prove", "--log", str(path), *words])

        await at.owner.execute(SIGN_UP)
        assert await asyncio.to_thread(told) == 0
        assert "client log" in capsys.readouterr().out
        lies = path.read_text().replace('"end":"fail"', '"end":"ok"')
        path.with_name("lies").write_text(lies)
        results = await prove.run(at.url, client_log.read_log(path.with_name("lies")))
        assert [len(wrong) for check, wrong in results.items() if check.name == "client log"] == [1]
        await at.owner.execute("DELETE FROM seat_holds WHERE seat_id = $1", UUID(sale.seat(2)))
        assert await asyncio.to_thread(told) == 1
        assert "was acknowledged, but hold" in capsys.readouterr().err
        assert await asyncio.to_thread(main.main, ["prove", "--log", str(tmp_path / "none")]) == 1
        assert "No such file" in capsys.readouterr().err
