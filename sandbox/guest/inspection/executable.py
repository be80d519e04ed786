"""Turn a checked module into a graph with every call inlined, compile it once, and run it as the host asks."""

import time
from collections.abc import Callable
from functools import cached_property
from hashlib import sha256
from typing import Any

import jax
import numpy as np
from jax._src import compiler
from jax._src.lib import _jax

from sandbox.guest import jax_compilation
from sandbox.guest.codec import Array, Tree, decode, encode
from sandbox.guest.inspection.evidence import Facts, gather
from sandbox.guest.inspection.flops import Work
from sandbox.guest.inspection.graph import Graph, Operation, Refused, Region, Type
from sandbox.guest.inspection.kernels import find_kernels
from sandbox.guest.inspection.loops import ControlFlow, find_branches, find_loops
from sandbox.guest.inspection.module import Module, constant_of, contracted_by, is_transposition, type_of
from sandbox.guest.inspection.step_removal import change, changes
from sandbox.guest.trace_signature import Signature, flatten, leaves
from sandbox.guest.wire import MESSAGE, InspectorMessage

MAX_INLINED = 50_000
MAX_DEPTH = 64
# For timing: more than the last cache of a processor or a GPU holds.
CACHE_BYTES = 128 * 2**20
TIMED_CALLS = 11
TIMED_SECONDS = 1.0

# XLA runs the function that a composite refers to, whatever the composite's own name.
_CALLS = {"func.call": "callee", "stablehlo.composite": "decomposition"}

Names = dict[Any, int]


def read(module: Module) -> Graph:
    """Return the graph. Raises Refused, since nested calls could make the inlined program endless."""
    with module.context:
        return _Reading(module).graph()


class _Reading:
    def __init__(self, module: Module) -> None:
        self._module = module
        self._types: list[Type] = []
        self._definitions: dict[int, Operation] = {}
        self._inlined, self._depth = 0, 0

    def graph(self) -> Graph:
        body = self._region(self._module.main.regions[0], {})
        return Graph(types=self._types, body=body, definitions=self._definitions)

    def _number(self, value: Any) -> int:
        self._types.append(type_of(value.type))
        return len(self._types) - 1

    def _region(self, region: Any, names: Names) -> Region:
        """`names`: the numbers of the visible values; the region's own values are added."""
        block = region.blocks[0]
        arguments = [self._number(argument) for argument in block.arguments]
        names |= dict(zip(block.arguments, arguments, strict=True))
        return self._block(block, names, arguments)

    def _block(self, block: Any, names: Names, arguments: list[int]) -> Region:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise Refused(f"the program is nested more than {MAX_DEPTH} levels deep")
        operations: list[Operation] = []
        results: list[int] = []
        for view in block.operations:
            given = view.operation
            operands = [names[operand] for operand in given.operands]
            if given.name in ("func.return", "stablehlo.return"):
                results = operands
            elif given.name in _CALLS:
                called = self._call(given.attributes[_CALLS[given.name]].value, operands)
                operations += called.operations
                names |= dict(zip(given.results, called.results, strict=True))
            else:
                operations.append(self._operation(given, operands, names))
        self._depth -= 1
        return Region(arguments, operations, results)

    def _call(self, function: str, operands: list[int]) -> Region:
        block = self._module.functions[function].regions[0].blocks[0]
        return self._block(block, dict(zip(block.arguments, operands, strict=True)), operands)

    def _operation(self, given: Any, operands: list[int], names: Names) -> Operation:
        self._inlined += 1
        if self._inlined > MAX_INLINED:
            raise Refused(f"the program, with its calls inlined, has more than {MAX_INLINED} operations")
        name = "transpose" if is_transposition(given) else given.name.partition(".")[2]
        found = Operation(name, self._module.places[given], operands, [], kernel=self._module.kernels.get(given))
        found.regions = [self._region(region, names) for region in given.regions]
        found.results = [self._number(result) for result in given.results]
        if name == "constant":
            found.constant = constant_of(given)
        elif name == "compare":
            found.direction = str(given.attributes["comparison_direction"]).rpartition(" ")[2].rstrip(">")
        elif name in ("dot_general", "convolution", "reduce_window"):
            found.contracted = contracted_by(given, [self._types[operand] for operand in operands])
        names |= dict(zip(given.results, found.results, strict=True))
        self._definitions |= dict.fromkeys(found.results, found)
        return found


LoopChoice = tuple[str, int | None, int]


class Executable:
    """An opened program. The constructor raises Refused, and XLA's errors."""

    def __init__(self, exported: bytes, signature: Signature) -> None:
        self._program, structure = _parts(exported)
        self._signature = signature
        module = Module(self._program)
        module.check_signature(leaves(signature))
        self._structure = _Structure(structure, len(module.main.type.results))
        self._graph: Graph = read(module)
        loops = find_loops(self._graph)
        self._work = Work(self._graph, loops)
        self._kernels = find_kernels(self._graph, loops)
        self._options = _options(module)
        self._compiled = _compile(module, self._options, jax.devices("cpu")[0])
        self._changed: dict[tuple[int, int], Any] = {}

    @cached_property
    def evidence(self) -> Facts:
        stats = self._compiled.get_compiled_memory_stats()
        return gather(self._graph, self._kernels, leaves(self._signature), int(stats.temp_size_in_bytes))

    def run(self, inputs: dict[str, Tree]) -> Tree:
        return self._run(self._compiled, inputs)

    def run_batch(self, batch: list[Array], most: tuple[float, int]) -> list[Array]:
        """Return the encoded answers to the first of these encoded inputs.

        It ends at the first failure, and when `most` seconds or bytes are used up. The host asks for the other answers
        one by one.
        """
        seconds, left = most
        deadline = time.monotonic() + seconds
        answers: list[Array] = []
        for inputs in batch:
            try:
                answer = encode(self.run(decode(inputs)))  # type: ignore[arg-type]
            except Exception:
                break
            left -= len(answer)
            if left < 0:
                break
            answers.append(np.frombuffer(answer, np.uint8))
            if time.monotonic() > deadline:
                break
        return answers

    def left_out(self, inputs: dict[str, Tree], wanted: LoopChoice) -> list[tuple[int, list[Tree]]]:
        """Return the index of the chosen candidate with the answers of its changed programs, each in a list of one or
        None.

        `wanted`: kind, length, and rank among the candidates that match, ordered by work.
        """
        kind, length, rank = wanted
        return [
            (index, [self._try(found, number, inputs) for number in range(changes(found))])
            for index, found in self._candidates(kind, length)[rank : rank + 1]
        ]

    def _candidates(self, kind: str, length: int | None) -> list[tuple[int, ControlFlow]]:
        """Return the loops or branches that take part, those with most work first."""
        is_loop = kind != "cond"
        found = find_loops(self._graph) if is_loop else find_branches(self._graph)
        facts = self.evidence["loops" if is_loop else "branches"]
        fitting = [
            (index, one)
            for index, one in enumerate(found)
            if facts[index]["takes_part"] and (not is_loop or _fits(one, kind, length))
        ]
        return sorted(fitting, key=lambda pair: -self._work.share(pair[1]))

    def _try(self, found: ControlFlow, number: int, inputs: dict[str, Tree]) -> Tree:
        key = (found.operation.place, number)
        try:
            if key not in self._changed:
                module = Module(self._program)
                change(module, found, number)
                module.module.operation.verify()
                self._changed[key] = _compile(module, self._options, jax.devices("cpu")[0])
            return [self._run(self._changed[key], inputs)]
        except Exception:  # then this change is no evidence
            return None

    def _run(self, compiled: Any, inputs: dict[str, Tree]) -> Tree:
        arrays = [jax.device_put(array) for array in flatten(self._signature, inputs)]
        results = compiled.execute_sharded(arrays).disassemble_into_single_device_arrays()
        return self._structure.fill([np.asarray(result[0]) for result in results])


def _fits(found: ControlFlow, kind: str, length: int | None) -> bool:
    """A counting while_loop looks the same as a fori_loop."""
    if kind == "while" and length is None:
        return True
    return found.length is not None and (length is None or found.length == length)


def _parts(exported: bytes) -> tuple[bytes, Tree]:
    """Return the program and the structure of its answer. The host has checked that the export has both."""
    parts: Any = decode(exported)
    return parts["program"].tobytes(), parts["structure"]


def _options(module: Module) -> jax_compilation.Options:
    """Return the options for the program and for its changes, which differ in a constant."""
    if not jax_compilation.is_tested():
        return ()
    with module.context:
        return jax_compilation.options_for(module.module.operation.get_asm(enable_debug_info=False))


def _compile(module: Module, overrides: jax_compilation.Options, device: Any) -> Any:
    with module.context:
        options = compiler.get_compile_options(num_replicas=1, num_partitions=1)
        options.env_option_overrides = list(overrides)
        try:
            return device.client.compile_and_load(module.module, _jax.DeviceList((device,)), options, [])
        except jax.errors.JaxRuntimeError as error:
            raise Refused(f"the program can't be compiled: {str(error)[:1000]}") from None


class _Structure:
    """The containers of the answer, with the number of an output at each leaf."""

    def __init__(self, tree: Tree, outputs: int) -> None:
        self._tree, self._outputs = tree, outputs
        self._named: set[int] = set()
        self._check(tree)
        if len(self._named) < outputs:
            raise Refused("the program has outputs that are not part of the answer")

    def fill(self, results: list[Tree]) -> Tree:
        return self._fill(self._tree, results)

    def _check(self, tree: Tree) -> None:
        if isinstance(tree, dict):
            tree = list(tree.values())
        if isinstance(tree, list | tuple):
            for item in tree:
                self._check(item)
        elif tree is not None:
            if _number(tree) not in range(self._outputs):
                raise Refused("the answer's structure is malformed")
            self._named.add(_number(tree))

    def _fill(self, tree: Tree, results: list[Tree]) -> Tree:
        if isinstance(tree, dict):
            return type(tree)((key, self._fill(item, results)) for key, item in tree.items())
        if isinstance(tree, list):
            return [self._fill(item, results) for item in tree]
        if isinstance(tree, tuple):
            return tuple(self._fill(item, results) for item in tree)
        return None if tree is None else results[_number(tree)]


def _number(tree: Tree) -> int:
    """Return the output's number, or -1 for anything else."""
    is_one = isinstance(tree, np.ndarray) and tree.shape == () and tree.dtype == np.int32
    return int(tree) if is_one else -1  # type: ignore[arg-type]


_executables: dict[bytes, Executable | Refused] = {}
# The program that was sent last, and its signature.
_latest: list[tuple[Any, bytes]] = []


def run(_solution: Callable[..., object], inputs: dict[str, Any]) -> object:
    """Answer a message of the host. The first one in a process brings its program. Raises Refused, and XLA's errors."""
    message = InspectorMessage(**inputs[MESSAGE])
    if message.exported is not None:
        _latest[:] = [(message.signature, message.exported.tobytes())]
    if message.step == "time":
        return _time(message.inputs)
    executable = _find_executable()
    if message.step == "open":
        return executable.evidence
    if message.step == "leave_out":
        return executable.left_out(message.inputs, message.left_out)
    if message.step == "batch":
        return executable.run_batch(message.inputs, message.most)
    return executable.run(message.inputs)


def _time(inputs: dict[str, Tree]) -> Tree:
    """Return the answer, and the seconds of calls after one to warm up, on the GPU if this process has one.

    Each begins with a cold cache, and ends when all outputs are ready, so when the device has nothing left to do.
    """
    signature, exported = _latest[0]
    device = jax.devices()[0]
    program, structure = _parts(exported)
    module = Module(program, for_gpu=device.platform == "gpu")
    module.check_signature(leaves(signature))
    answer = _Structure(structure, len(module.main.type.results))
    compiled = _compile(module, (), device)
    arrays = [jax.device_put(array) for array in flatten(signature, inputs)]
    sweep, filler = jax.jit(lambda x: x + 1), jax.numpy.zeros(CACHE_BYTES // 4)
    seconds: list[float] = []
    while len(seconds) < TIMED_CALLS and sum(seconds) < TIMED_SECONDS:
        filler = sweep(filler).block_until_ready()
        begun = time.perf_counter()
        results = compiled.execute_sharded(arrays).disassemble_into_single_device_arrays()
        jax.block_until_ready(results)
        seconds.append(time.perf_counter() - begun)
    return {"answer": answer.fill([np.asarray(result[0]) for result in results]), "seconds": seconds[1:] or seconds}


def _find_executable() -> Executable:
    signature, exported = _latest[0]
    key = sha256(repr(signature).encode() + exported).digest()
    if key not in _executables:
        try:
            _executables[key] = Executable(exported, signature)
        except Refused as refused:
            _executables[key] = refused
    found = _executables[key]
    if isinstance(found, Refused):
        raise Refused(str(found))
    return found
