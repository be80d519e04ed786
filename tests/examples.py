"""How many examples Hypothesis generates."""

import hypothesis

IS_WHOLE = hypothesis.settings.get_current_profile_name() == "whole"


def examples(count: int) -> int:
    """Return `count` in `make test-all`, and a fifth in `make test`."""
    return count if IS_WHOLE else count // 5
