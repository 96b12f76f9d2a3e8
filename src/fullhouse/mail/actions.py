"""The organisation's branding for emails (name, colour, reply address), and previews of every email."""

from fullhouse.accounts import actions as accounts
from fullhouse.kit.db.database import Tx
from fullhouse.kit.mail.email import Letter
from fullhouse.kit.mail.mails import Write, Writer
from fullhouse.mail.model import LETTERS, Brand, Template, TemplateUnknown
from fullhouse.mail.render import render
from fullhouse.mail.samples import SAMPLES


def writer(public_url: str) -> Writer:
    """For `mails.wire`: loads the branding of the transaction's organisation once, then renders each email with it."""

    async def load(tx: Tx) -> Write:
        brand = await brand_of(tx, public_url)
        return lambda data, language: render(data, brand, language or brand.locale)

    return load


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
    return [Template(kind.template, " ".join((kind.__doc__ or "").split())) for kind in LETTERS]


async def preview(tx: Tx, public_url: str, name: str) -> Letter:
    """With an invented event and invented people, in the organisation's branding and the caller's language."""
    if name not in SAMPLES:
        raise TemplateUnknown()
    brand = await brand_of(tx, public_url)
    return render(SAMPLES[name], brand, tx.actor.language or brand.locale)
