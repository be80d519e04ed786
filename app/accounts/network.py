"""Where a request came from, and whose network that is: where requests and guesses are counted."""

from ipaddress import IPv6Address, ip_address

# What one subscriber has at least; of a single IPv6 address they could take another for each guess.
SUBSCRIBER_BITS = 64
# An address is what a trusted proxy says that it is, which may be any text; one of IPv6 has 45 characters at most.
MAX_ADDRESS = 64


def address_of(host: str | None) -> str:
    """As it is kept, shown and counted."""
    return "unknown" if host is None else host[:MAX_ADDRESS]


def network_of(address: str) -> str:
    """An IPv4 address, or the network around an IPv6 address. What is neither counts as it is."""
    try:
        known = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(known, IPv6Address):
        return str(known)
    if known.ipv4_mapped is not None:
        return str(known.ipv4_mapped)
    beyond = 128 - SUBSCRIBER_BITS
    return f"{IPv6Address(int(known) >> beyond << beyond)}/{SUBSCRIBER_BITS}"
