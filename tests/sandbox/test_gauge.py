"""A process's memory as reported by two kernels."""

import mmap
import os
from pathlib import Path

from sandbox.guest.gauge import Gauge, parse

MIB = 2**20


def test_files_that_are_mapped_are_not_counted() -> None:
    status = parse(b"VmRSS:\t  9000 kB\nRssAnon:\t 1024 kB\nRssFile:\t 6952 kB\nRssShmem:\t 1024 kB\nThreads:\t3\n")

    assert (status.memory_bytes, status.threads) == (2 * MIB, 3)


def test_a_kernel_that_tells_only_the_sum_is_believed() -> None:
    assert parse(b"VmRSS:\t  2048 kB\nVmData:\t 4096 kB\nThreads:\t1\n").memory_bytes == 2 * MIB


def test_a_name_with_line_ends_says_nothing() -> None:
    """Nothing that a process can name itself reaches beyond the state."""
    status = parse(b"Name:\t\nRssAnon:0 kB\nState:\tR (running)\nVmRSS:\t  2048 kB\nThreads:\t1\n")

    assert status.memory_bytes == 2 * MIB


def test_a_process_without_its_first_thread_is_known() -> None:
    assert parse(b"Name:\tx\nState:\tZ (zombie)\nThreads:\t2\n").is_headless
    assert parse(b"Name:\tx\nState:\tZ (zombie)\nThreads:\t1\n").is_headless
    assert not parse(b"Name:\tx\nState:\tS (sleeping)\nThreads:\t2\n").is_headless


def test_this_kernel_tells_what_is_taken() -> None:
    gauge = Gauge(os.getpid())
    before = gauge.read()

    with mmap.mmap(-1, 64 * MIB) as taken:  # a heap may have had it before
        taken.write(os.urandom(MIB) * 64)
        after = gauge.read()

    assert before is not None
    assert after is not None
    assert after.memory_bytes - before.memory_bytes > 32 * MIB
    assert b"RssAnon" in Path("/proc/self/status").read_bytes()
