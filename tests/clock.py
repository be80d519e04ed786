from dataclasses import dataclass


@dataclass
class Clock:
    """A fake of the module `time`, so that a slow machine changes nothing."""

    now: float = 1000.0

    def monotonic(self) -> float:
        return self.now

    def time(self) -> float:
        return self.now
