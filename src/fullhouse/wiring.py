"""Who reacts to what, at one glance.

SYNC runs inside the transaction that announces the fact, in this order: an exception there undoes everything.
JOBS are calls to the outside that a worker makes later, at least once.
"""

from collections.abc import Mapping, Sequence

from fullhouse.config import Config
from fullhouse.events import facts, public_actions
from fullhouse.kit import mail
from fullhouse.kit.jobs import Handler
from fullhouse.kit.outbox import Consequence, Fact

SYNC: Mapping[type[Fact], Sequence[Consequence]] = {
    **dict.fromkeys(facts.ABOUT_A_SHOW, (public_actions.project,)),
}


def jobs(config: Config) -> Mapping[str, Handler]:
    return {
        mail.JOB: mail.Postman(config.smtp_url, config.smtp_from).deliver,
    }
