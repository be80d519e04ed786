from tests.queue.conftest import fleet

__all__ = ["fleet"]
