"""How an organisation writes: its name, its colour, where answers go. And every letter, to be looked at."""

from fullhouse.accounts import actions as accounts
from fullhouse.kit.db.database import Tx
from fullhouse.kit.mail.email import Letter
from fullhouse.kit.mail.mails import Write, Writer
from fullhouse.mail.model import LETTERS, Brand, Template, TemplateUnknown
from fullhouse.mail.render import render
from fullhouse.mail.samples import SAMPLES


def writer(public_url: str) -> Writer:
    """For `mail.wire`: asks once how the organisation of a transaction writes, then finds the words."""

    async def ask(tx: Tx) -> Write:
        brand = await brand_of(tx, public_url)
        return lambda data, language: render(data, brand, language or brand.locale)

    return ask


async def brand_of(tx: Tx, public_url: str) -> Brand:
    profile = await accounts.get_profile(tx)
    return Brand(
        name=profile.name,
        colour=profile.accent_color,
        address=public_url,
        path=f"/o/{profile.slug}",
        locale=profile.locale,
        contact_email=profile.contact_email,
        sender_name=profile.mail_sender_name,
        reply_to=profile.mail_reply_to,
    )


def templates() -> list[Template]:
    return [Template(letter.template, " ".join((letter.__doc__ or "").split())) for letter in LETTERS]


async def preview(tx: Tx, public_url: str, name: str) -> Letter:
    """With people and a show that do not exist, in the organisation's own look and the reader's language."""
    if name not in SAMPLES:
        raise TemplateUnknown()
    brand = await brand_of(tx, public_url)
    return render(SAMPLES[name], brand, tx.actor.language or brand.locale)
