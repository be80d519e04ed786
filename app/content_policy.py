"""What a page may load: our own files only, and no script or style that stands in the page itself."""

POLICY = "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"


def with_styles(nonce: str) -> str:
    """The same, and styles that our own scripts add under this nonce, as CodeMirror does."""
    return f"{POLICY}; style-src 'self' 'nonce-{nonce}'"
