"""The help pages of a running server."""

import re

import httpx


def open_help_pages(client: httpx.Client) -> dict[str, httpx.Response]:
    """Open /help and each page below it that it links to."""
    start = client.get("/help")
    links = sorted(set(re.findall(r'href="(/help/[\w-]+)"', start.text)))
    return {"/help": start} | {link: client.get(link) for link in links}
