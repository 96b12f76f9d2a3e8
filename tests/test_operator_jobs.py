"""`fullhouse jobs`: what waits, and what was given up."""

from typing import Any

from tests.test_operators import Run, run

__all__ = ["run"]  # the fixture


async def test_given_up_jobs_are_counted_and_tried_again(run: Run, owner: Any) -> None:
    await owner.execute(
        "INSERT INTO jobs.queue (priority, status, entrypoint, attempts, queue_manager_id)"
        " VALUES (0, 'failed', 'test.given_up', 14, gen_random_uuid())"
    )
    try:
        assert ["1", "test.given_up", "failed"] in [line.split() for line in (await run("jobs")).out.splitlines()]
        again = await run("jobs", "--retry")
        assert (again.code, "jobs will be retried" in again.err) == (0, True)
        assert ["1", "test.given_up", "queued"] in [line.split() for line in again.out.splitlines()]
        row = await owner.fetchrow("SELECT * FROM jobs.queue WHERE entrypoint = 'test.given_up'")
        assert (row["attempts"], row["queue_manager_id"]) == (0, None)
    finally:
        await owner.execute("DELETE FROM jobs.queue WHERE entrypoint = 'test.given_up'")
