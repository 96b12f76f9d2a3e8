"""The organisation's branding for emails (name, colour, reply address), and previews of every email."""

from fullhouse.accounts import actions as accounts
from fullhouse.kit.db.database import Tx
from fullhouse.kit.mail.email import Email
from fullhouse.kit.mail.mailbox import RenderEmail, Writer
from fullhouse.mail.model import EMAILS, Brand, EmailTemplate, TemplateNotFound
from fullhouse.mail.render import render
from fullhouse.mail.samples import SAMPLES


def create_email_writer(public_url: str) -> Writer:
    """For `mailbox.wire`: loads the organisation's branding once in a transaction, then renders each email with it."""

    async def load(tx: Tx) -> RenderEmail:
        brand = await get_brand(tx, public_url)
        return lambda data, language: render(data, brand, language or brand.locale)

    return load


async def get_brand(tx: Tx, public_url: str) -> Brand:
    profile = await accounts.require_profile(tx)
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


def list_templates() -> list[EmailTemplate]:
    return [EmailTemplate(kind.template, " ".join((kind.__doc__ or "").split())) for kind in EMAILS]


async def render_preview(tx: Tx, public_url: str, name: str) -> Email:
    """With an invented event and invented people, in the organisation's branding and the caller's language."""
    if name not in SAMPLES:
        raise TemplateNotFound()
    brand = await get_brand(tx, public_url)
    return render(SAMPLES[name], brand, tx.actor.language or brand.locale)
