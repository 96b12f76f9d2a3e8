"""The client's address: the socket's peer or, behind trusted proxies, the address that they forwarded."""

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

Network = IPv4Network | IPv6Network


def client_ip(peer: str, forwarded: str | None, trusted: Sequence[Network]) -> str:
    """The nearest address that is not a trusted proxy. Entries beyond it may be forged."""
    if not trusted:
        return peer
    nearest = peer
    for hop in reversed([*(forwarded or "").split(","), peer]):
        address = _parse(hop.strip())
        if address is None:
            break
        nearest = str(address)
        if not any(address in network for network in trusted):
            break
    return nearest


def _parse(hop: str) -> IPv4Address | IPv6Address | None:
    """`192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1` or `[2001:db8::1]:4711`."""
    if hop.startswith("["):
        hop = hop[1:].partition("]")[0]
    elif hop.count(":") == 1:
        hop = hop.partition(":")[0]
    try:
        address = ip_address(hop)
    except ValueError:
        return None
    return (isinstance(address, IPv6Address) and address.ipv4_mapped) or address
