"""The system calls that a box, and the student's process in it, may make, and the seccomp filters built from them.

One table yields the filters of both and a container engine's profile. It was found by tracing jax, flax, optax, torch
and numpy at work; the rest of each group are siblings that other versions of libc use. Unlisted calls get ENOSYS, on
which libc falls back; EPERM would break it.

The filters are classic BPF, assembled in plain Python since no wheel bundles libseccomp. Each call has a block: compare
its number, and jump over the block if it differs. Jumps have only eight bits, so the blocks stay short. A tree would
gain nothing: the kernel caches which calls are always allowed.

To allow a call:

1. A framework that needs it fails in a box with PermissionError or ENOSYS. First find out what else the call can do,
   and with which arguments. No filter can check memory that the kernel reads.
2. Add it to `STUDENT_ALLOWED`, or to `SUPERVISOR_ALLOWED` if only the zygote or the monitor needs it, and its number to
   `syscalls.txt`. Conditions on arguments are a `FilterRule` in `_student_rules`.
3. `tests/sandbox/test_syscalls.py` tries every call. A rule needs rows in `REFUSED_ARGUMENTS` and
   `PERMITTED_ARGUMENTS`. Put code that needs the call into `tests/sandbox/test_frameworks.py`, and run `make images`.
"""

import errno
import platform
import struct
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


STUDENT_ALLOWED = _names(
    """
    brk mmap munmap mprotect mremap madvise mincore msync mbind get_mempolicy set_mempolicy membarrier
    clone futex futex_waitv set_robust_list get_robust_list rseq set_tid_address gettid exit exit_group sched_yield
    sched_getaffinity sched_getparam sched_getscheduler sched_getattr sched_get_priority_max sched_get_priority_min
    sched_rr_get_interval getcpu arch_prctl restart_syscall
    rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigtimedwait rt_sigsuspend sigaltstack kill tgkill
    pause alarm setitimer getitimer
    clock_gettime clock_getres clock_nanosleep nanosleep gettimeofday time times getrusage timerfd_create
    timerfd_settime timerfd_gettime
    open openat read readv pread64 preadv preadv2 write writev pwrite64 pwritev pwritev2 lseek close close_range
    fstat stat lstat newfstatat statx access faccessat faccessat2 readlink readlinkat getdents getdents64 getcwd chdir
    fchdir fcntl dup dup2 dup3 pipe pipe2 poll ppoll select pselect6 eventfd eventfd2 statfs fstatfs ioctl umask flock
    fsync fdatasync ftruncate mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2 chmod fchmod fchmodat
    fchmodat2 utimensat symlink symlinkat link linkat truncate fallocate
    getpid getppid getuid geteuid getgid getegid getresuid getresgid getgroups getpgrp getpgid getsid
    getpriority uname sysinfo getrlimit prlimit64 getrandom capget prctl
    socketpair sendto recvfrom shutdown getsockname getpeername getsockopt
    """
)

# The zygote and the monitors need these too, without the conditions below. The last line is for an engine's own
# runtime, which runs behind a container's filter before the guest starts. Students have no epoll: the kernel limits
# watched descriptors per user across the host, which would hold a gigabyte. They can't send descriptors.
SUPERVISOR_ALLOWED = _names(
    """
    execve rt_sigaction set_tid_address fork vfork clone wait4 waitid kill tgkill prctl capset capget seccomp
    setresuid setresgid setuid setgid setgroups setpgid setsid prlimit64 setrlimit sched_setaffinity mmap
    fcntl ioctl pidfd_open pidfd_send_signal dup3 process_mrelease
    epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2 sendmsg recvmsg
    """
)
# NVIDIA's driver makes sockets, and XLA runs ptxas. benchmarks/gpu_check.py shows what is refused on real hardware.
GPU_ALLOWED = _names("socket bind listen execve wait4")
NAMESPACES_ALLOWED = frozenset(("unshare", "mount", "umount2"))

# These raise PermissionError, which a student understands.
REFUSED = _names(
    """
    fork vfork execve execveat socket connect bind listen accept accept4 ptrace mount umount2 pivot_root chroot unshare
    setns keyctl add_key request_key bpf perf_event_open io_uring_setup io_uring_enter io_uring_register userfaultfd
    process_vm_readv process_vm_writev pidfd_open pidfd_getfd pidfd_send_signal process_madvise kcmp sched_setaffinity
    sched_setscheduler sched_setparam sched_setattr setpriority ioprio_set setrlimit setuid setgid setreuid setregid
    setresuid setresgid setgroups setfsuid setfsgid capset setsid setpgid shmget shmat shmctl shmdt msgget msgsnd msgrcv
    msgctl semget semop semtimedop semctl mq_open mq_unlink mq_notify memfd_create memfd_secret seccomp tkill
    rt_sigqueueinfo rt_tgsigqueueinfo inotify_init inotify_init1 fanotify_init name_to_handle_at open_by_handle_at
    timer_create timer_settime timer_gettime timer_getoverrun timer_delete setsockopt sendmsg recvmsg fadvise64
    init_module finit_module delete_module kexec_load kexec_file_load reboot swapon swapoff sethostname setdomainname
    settimeofday clock_settime adjtimex clock_adjtime acct quotactl syslog personality mlock mlock2 mlockall chown
    fchown lchown fchownat mknod mknodat landlock_create_ruleset landlock_add_rule landlock_restrict_self iopl ioperm
    modify_ldt lookup_dcookie vmsplice process_mrelease move_pages migrate_pages nfsservctl openat2 fsopen fsmount
    fsconfig fspick move_mount open_tree mount_setattr utime utimes futimesat vhangup wait4 waitid
    """
)

# These fail with EOPNOTSUPP, the only error that shutil.copystat ignores.
NOT_SUPPORTED = _names(
    """
    getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr setxattr lsetxattr fsetxattr removexattr lremovexattr
    fremovexattr
    """
)

CLONE_THREAD = 0x10000
# A thread with its own descriptor table would also have its own RLIMIT_NOFILE.
CLONE_FILES = 0x400
CLONE_FULL_THREAD = CLONE_THREAD | CLONE_FILES
# CLONE_VM, CLONE_VFORK and SIGCHLD, as posix_spawn asks for.
CLONE_SPAWN = 0x4111
CLONE_NEW_ANY = 0x7E020080
MAP_SHARED, MAP_ANONYMOUS, MAP_GROWSDOWN, PROT_WRITE = 0x1, 0x20, 0x100, 0x2
AF_UNIX, SOCK_STREAM, SOCK_SEQPACKET, SOCKET_TYPE_MASK, MSG_OOB = 1, 1, 5, 0xF, 1
# PR_GET_DUMPABLE, PR_SET_NAME, PR_GET_NAME, PR_CAPBSET_READ, PR_SET_VMA
PRCTLS = (3, 15, 16, 23, 0x53564D41)
# TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX. TIOCSTI, which types on terminals, is excluded among others.
IOCTLS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
# NVIDIA's driver: type 'F', and the bare numbers of its unified memory. FIOSETOWN stays excluded: in boxes without
# namespaces it could send signals to the monitor.
GPU_IOCTLS = ((0x4600, 0xFF00), (0x0, 0xFFFFF000), (0x30000000, 0xFFFFFFF0))
# F_SETOWN and F_SETSIG are excluded because they send signals. F_SETPIPE_SZ is excluded because the kernel limits a
# user's pipe memory across the host: wide pipes in one box would make those of all others narrow.
FCNTLS = (*range(5), 1030, 1032)
# Locks are reported as granted but not taken: F_SETLK, F_SETLKW, F_OFD_SETLK and F_OFD_SETLKW here, and flock. No other
# process can open the student's own files. But boxes share the libraries' files, where a lock would be a message to
# another submission.
LOCK_FCNTLS = (6, 7, 37, 38)
# This flag would give the calling thread its own descriptor table.
CLOSE_RANGE_UNSHARE = 0x2
# MADV_NORMAL to _DONTNEED, _FREE, _DONTFORK, _DOFORK, _HUGEPAGE to _COLD, _POPULATE_READ, _POPULATE_WRITE: used by
# allocators. MADV_GUARD_INSTALL can make page tables for terabytes, and SIGKILL does not interrupt it, nor
# MADV_COLLAPSE. MADV_PAGEOUT and MADV_MERGEABLE act on memory that other processes share.
MADVICES = (*range(5), 8, 10, 11, *range(14, 21), 22, 23)


@dataclass(frozen=True, slots=True)
class Test:
    """`argument & mask == value`. The kernel truncates these arguments to 32 bits, and so does the test."""

    argument: int
    value: int
    mask: int = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class FilterRule:
    """Allowed when all tests of one alternative hold; otherwise refused with errno `otherwise`.

    If the tests of an `ignored` alternative hold, or `otherwise` is 0, the call returns success and does nothing.
    """

    alternatives: tuple[tuple[Test, ...], ...]
    otherwise: int = errno.EPERM
    ignored: tuple[tuple[Test, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Filter:
    """`allowed`: without conditions. `rules`: with conditions. `refused`: with an errno. Other calls get ENOSYS."""

    allowed: frozenset[str]
    rules: Mapping[str, FilterRule]
    refused: Mapping[str, int]


def student_filter(pid: int, *, gpu: bool = False) -> Filter:
    """Threads but no processes; signals only to itself (`pid`, in its own namespace); private memory only.

    With a GPU, memory may be shared: the driver maps its devices and pages that they read. And programs may be started,
    by posix_spawn only: XLA compiles kernels with ptxas. They inherit the filter, and so can signal `pid` only.
    """
    rules = _student_rules(pid)
    if not gpu:
        return Filter(STUDENT_ALLOWED - set(rules), rules, _refusals(STUDENT_ALLOWED))
    rules["mmap"] = FilterRule(((Test(3, 0, MAP_GROWSDOWN),),))
    drivers = tuple((Test(1, value, mask),) for value, mask in GPU_IOCTLS)
    rules["ioctl"] = FilterRule((*rules["ioctl"].alternatives, *drivers), errno.ENOTTY)
    rules["clone"] = FilterRule((*rules["clone"].alternatives, (Test(0, CLONE_SPAWN),)))
    # The driver insists on listening for processes that share its memory. Nobody may connect.
    rules["socket"] = FilterRule(((Test(0, AF_UNIX), Test(1, SOCK_SEQPACKET, SOCKET_TYPE_MASK)),))
    allowed = STUDENT_ALLOWED | GPU_ALLOWED
    return Filter(allowed - set(rules), rules, _refusals(allowed | set(rules)))


def _student_rules(pid: int) -> dict[str, FilterRule]:
    return {
        "clone": FilterRule(((Test(0, CLONE_FULL_THREAD, CLONE_FULL_THREAD | CLONE_NEW_ANY),),)),
        # RWF_NOWAIT would reveal which pages of a shared file are in memory, a message to the next submission.
        "preadv2": _one_of(5, (0,), errno.EOPNOTSUPP),
        "pwritev2": _one_of(5, (0,), errno.EOPNOTSUPP),
        "kill": _one_of(0, (pid,)),
        "tgkill": _one_of(0, (pid,)),
        "prlimit64": _one_of(0, (0, pid)),
        "prctl": _one_of(0, PRCTLS),
        "ioctl": _one_of(1, IOCTLS, errno.ENOTTY),
        "fcntl": replace(_one_of(1, FCNTLS, errno.EINVAL), ignored=_one_of(1, LOCK_FCNTLS).alternatives),
        "flock": FilterRule((), 0),
        # Times are not set either: a user who may write to /dev/null may change its times, and the file is the host's.
        "utimensat": FilterRule((), 0),
        "madvise": _one_of(2, MADVICES, errno.EINVAL),
        "close_range": FilterRule(((Test(2, 0, CLOSE_RANGE_UNSHARE),),), errno.EINVAL),
        # No file that a student can write is on a disk. On a file of the host these calls would flush that host's disk.
        "fsync": FilterRule((), 0),
        "fdatasync": FilterRule((), 0),
        "msync": FilterRule((), 0),
        # A pair of datagram sockets could sendto() a named socket.
        "socketpair": FilterRule(((Test(0, AF_UNIX), Test(1, SOCK_STREAM, SOCKET_TYPE_MASK)),)),
        # Out-of-band bytes have been used to attack the kernel, and no honest program sends them through a pair.
        "sendto": FilterRule(((Test(3, 0, MSG_OOB),),), errno.EOPNOTSUPP),
        "recvfrom": FilterRule(((Test(3, 0, MSG_OOB),),), errno.EOPNOTSUPP),
        # Shared writable memory would escape RLIMIT_DATA, and so would memory that grows downwards like a stack.
        "mmap": FilterRule(
            (
                (Test(3, 0, MAP_SHARED | MAP_GROWSDOWN),),
                (Test(3, MAP_SHARED, MAP_SHARED | MAP_ANONYMOUS), Test(2, 0, PROT_WRITE)),
            )
        ),
    }


def box_filter(*, namespaces: bool, gpu: bool = False) -> Filter:
    """The outer filter, around zygote, monitors and student alike. Namespaces can be made by `unshare` only."""
    allowed = STUDENT_ALLOWED | SUPERVISOR_ALLOWED | (NAMESPACES_ALLOWED if namespaces else frozenset())
    allowed |= GPU_ALLOWED if gpu else frozenset()
    # As much as an engine's profile can express.
    rules = {"clone": FilterRule(((Test(0, 0, CLONE_NEW_ANY),),), errno.ENOSYS)}
    return Filter(allowed - set(rules), rules, _refusals(allowed))


def _refusals(allowed: frozenset[str]) -> dict[str, int]:
    refused = dict.fromkeys(REFUSED - allowed, errno.EPERM) | dict.fromkeys(NOT_SUPPORTED, errno.EOPNOTSUPP)
    # The flags of clone3 are in memory, where a filter can't read them; glibc falls back to clone only on ENOSYS.
    return refused | {"clone3": errno.ENOSYS}


def _one_of(argument: int, values: tuple[int, ...], otherwise: int = errno.EPERM) -> FilterRule:
    return FilterRule(tuple((Test(argument, value),) for value in values), otherwise)


@cache
def numbers(machine: str = platform.machine()) -> Mapping[str, int]:
    """Map names to numbers on "x86_64" or "aarch64". Names that the architecture lacks are missing."""
    column = ("x86_64", "aarch64").index(machine) + 1
    lines = (Path(__file__).parent / "syscalls.txt").read_text().splitlines()
    rows = (line.split() for line in lines if not line.startswith("#"))
    return {row[0]: int(row[column]) for row in rows if row[column] != "-"}


LOAD, AND, JUMP_IF_EQUAL, JUMP_IF_NOT_LESS, RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
ALLOW, ERRNO, KILL_PROCESS = 0x7FFF0000, 0x00050000, 0x80000000
AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
X32_BIT = 0x40000000
# Offsets in struct seccomp_data; the arguments are 64 bits each, the low half first on both architectures.
NUMBER_AT, ARCH_AT, ARGUMENTS_AT = 0, 4, 16

Code = list[tuple[int, int, int, int]]


def assemble(wanted: Filter, machine: str = platform.machine()) -> bytes:
    """Return the program as an array of `struct sock_filter`, for a process of this architecture."""
    number = numbers(machine)
    code = _prologue(machine)
    for name in sorted(wanted.allowed & number.keys()):
        code += _block(number[name], [_return(ALLOW)])
    for name in sorted(wanted.rules.keys() & number.keys()):
        code += _block(number[name], _checks(wanted.rules[name]))
    for name in sorted(wanted.refused.keys() & number.keys()):
        code += _block(number[name], [_return(ERRNO | wanted.refused[name])])
    code.append(_return(ERRNO | errno.ENOSYS))
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in code)


def _prologue(machine: str) -> Code:
    """Kill a process that makes 32-bit calls: they have other numbers on a 64-bit kernel, and no honest program makes
    them.
    """
    code = [
        (LOAD, 0, 0, ARCH_AT),
        (JUMP_IF_EQUAL, 1, 0, AUDIT_ARCH[machine]),
        _return(KILL_PROCESS),
        (LOAD, 0, 0, NUMBER_AT),
    ]
    if machine == "x86_64":
        code += [(JUMP_IF_NOT_LESS, 0, 1, X32_BIT), _return(ERRNO | errno.ENOSYS)]
    return code


def _block(number: int, body: Code) -> Code:
    return [(JUMP_IF_EQUAL, 0, len(body), number), *body]


def _checks(rule: FilterRule) -> Code:
    code: Code = []
    for alternative in rule.alternatives:
        code += _alternative(alternative, ALLOW)
    for alternative in rule.ignored:
        code += _alternative(alternative, ERRNO)
    return [*code, _return(ERRNO | rule.otherwise)]


def _alternative(tests: tuple[Test, ...], action: int) -> Code:
    """Built from its end, since a failed test jumps over everything that follows."""
    code: Code = [_return(action)]
    for test in reversed(tests):
        load = (LOAD, 0, 0, ARGUMENTS_AT + 8 * test.argument)
        mask = [] if test.mask == 0xFFFFFFFF else [(AND, 0, 0, test.mask)]
        code = [load, *mask, (JUMP_IF_EQUAL, 0, len(code), test.value), *code]
    return code


def _return(action: int) -> tuple[int, int, int, int]:
    return (RETURN, 0, 0, action)
