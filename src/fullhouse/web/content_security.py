"""The content security policy: what a page may load, and which sites may frame it.

Pages load from this origin only, except where Stripe takes cards: then also Stripe's script and frames.
"""

from collections.abc import Sequence

# What Stripe requires of a page that shows its fields.
_STRIPE = {
    "script-src": "https://js.stripe.com https://*.js.stripe.com",
    "frame-src": "https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com",
    "connect-src": "https://api.stripe.com",
    "img-src": "https://*.stripe.com",
}
_BASE = {
    "default-src": "'none'",
    "style-src": "'self'",
    "script-src": "'self'",
    "img-src": "'self' data:",
    "font-src": "'self'",
    "connect-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}


def policy(*, stripe: bool = False, framed_by: Sequence[str] | None = None, **more: str) -> str:
    """`framed_by`: the sites that may frame the page; any site if the list is empty, none if it is None
    (docs/adr/0027-widget.md)."""
    rules = _BASE | {name.replace("_", "-"): value for name, value in more.items()}
    if framed_by is not None:
        rules["frame-ancestors"] = " ".join(framed_by) or "http: https:"
    for name, sources in _STRIPE.items() if stripe else ():
        rules[name] = f"{rules.get(name, '')} {sources}".strip()
    return "; ".join(f"{name} {value}" for name, value in rules.items())


DEFAULT = policy()
