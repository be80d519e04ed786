"""Parse the bytes of a program with MLIR, and refuse what must not be compiled. Finds operations by place."""

import math
from collections.abc import Iterator
from typing import Any

from jax._src.interpreters import mlir
from jax._src.lib import _jax
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

from sandbox.guest.inspection.custom_calls import check_custom_call
from sandbox.guest.inspection.graph import KernelCall, Refused, Type
from sandbox.guest.trace_signature import PROGRAM_BYTES, Leaf

MAX_OPERATIONS = 20_000
MAX_ELEMENTS = 2**28
# Other dialects would run compiler code that was not reviewed against hostile input.
_DIALECTS = ("stablehlo.", "func.")
_REFUSED = frozenset(
    """
    stablehlo.infeed stablehlo.outfeed stablehlo.send stablehlo.recv stablehlo.create_token stablehlo.after_all
    stablehlo.all_gather stablehlo.all_reduce stablehlo.all_to_all stablehlo.collective_broadcast
    stablehlo.collective_permute stablehlo.cross-replica-sum stablehlo.reduce_scatter stablehlo.partition_id
    stablehlo.replica_id stablehlo.async_start stablehlo.async_done stablehlo.dynamic_reshape stablehlo.dynamic_pad
    stablehlo.dynamic_broadcast_in_dim stablehlo.dynamic_iota stablehlo.dynamic_gather stablehlo.dynamic_conv
    stablehlo.real_dynamic_slice stablehlo.set_dimension_size stablehlo.rng
    """.split()  # noqa: SIM905
)
# As JAX calls a Pallas kernel that Triton compiles.
KERNEL = "__gpu$xla.gpu.triton"
_DTYPES = {
    "bool": "i1", "int8": "i8", "int16": "i16", "int32": "i32", "uint8": "ui8", "uint16": "ui16", "uint32": "ui32",
    "float16": "f16", "bfloat16": "bf16", "float32": "f32", "complex64": "complex<f32>", "int4": "i4", "uint4": "ui4",
    "int2": "i2", "uint2": "ui2", "float8_e3m4": "f8E3M4", "float8_e4m3": "f8E4M3",
    "float8_e4m3b11fnuz": "f8E4M3B11FNUZ", "float8_e4m3fn": "f8E4M3FN", "float8_e4m3fnuz": "f8E4M3FNUZ",
    "float8_e5m2": "f8E5M2", "float8_e5m2fnuz": "f8E5M2FNUZ", "float8_e8m0fnu": "f8E8M0FNU",
    "float4_e2m1fn": "f4E2M1FN",
}  # fmt: skip


class Module:
    """A verified module in its own context. The constructor raises Refused.

    `kernels`: the choices between an interpreted and a compiled kernel. The compiled one is removed, except `for_gpu`.
    """

    def __init__(self, program: bytes, *, for_gpu: bool = False) -> None:
        if len(program) > PROGRAM_BYTES:
            raise Refused(f"the program takes more than {PROGRAM_BYTES // 2**20} MiB")
        self.context = mlir.make_ir_context()
        with self.context:
            try:
                self.module = _jax.mlir.deserialize_portable_artifact(program)
                self.module.operation.verify()
            except Exception as error:
                raise Refused(f"the bytes are not an exported program ({type(error).__name__})") from None
            self.functions = self._list_functions()
            _choose_platform(self.main, 1 if for_gpu else 0)
            kept = [one for one in _walk(self.module.operation) if _calls_kernel(one)]
            self.kernels = {} if for_gpu else {_parent_of(one): _remove_kernel(one) for one in kept}
            self.operations = [one for one in _walk(self.module.operation) if not (for_gpu and one in kept)]
            self._check()
        self.places = {operation: place for place, operation in enumerate(self.operations)}

    def check_signature(self, leaves: list[Leaf]) -> None:
        """Raises Refused."""
        wanted = [Type(_DTYPES.get(leaf.dtype, ""), leaf.shape) for leaf in leaves]
        if [type_of(one) for one in self.main.type.inputs] != wanted:
            raise Refused("the program's arguments differ from the problem's")
        if not self.main.type.results:
            raise Refused("the program returns no answer")

    @property
    def main(self) -> Any:
        return self.functions["main"]

    def _list_functions(self) -> dict[str, Any]:
        functions: dict[str, Any] = {}
        for operation in self.module.body.operations:
            if operation.operation.name != "func.func" or not operation.operation.regions[0].blocks:
                raise Refused("the program contains something other than functions")
            functions[operation.name.value] = operation
        if "main" not in functions:
            raise Refused("the program has no main function")
        return functions

    def _check(self) -> None:
        if len(self.operations) > MAX_OPERATIONS:
            raise Refused(f"the program has more than {MAX_OPERATIONS} operations: write loops with lax.scan")
        for operation in self.operations:
            _check_operation(operation)


def type_of(given: Any) -> Type:
    """Raises Refused for anything but an array of a fixed size."""
    if not isinstance(given, ir.RankedTensorType) or not given.has_static_shape:
        raise Refused(f"the program computes with a {str(given)[:100]}")
    return Type(str(given.element_type), tuple(given.shape))


def dtype_of(one: Type) -> str:
    """Return NumPy's name of the type of the elements."""
    return next((name for name, dtype in _DTYPES.items() if dtype == one.dtype), one.dtype)


def _choose_platform(main: Any, number: int) -> None:
    """Fix a program for several platforms to the first, a processor, or to the second, a GPU."""
    block = main.regions[0].blocks[0]
    if block.arguments and "jax.global_constant" in main.arg_attrs[0]:
        with ir.InsertionPoint.at_block_begin(block), ir.Location.unknown():
            chosen = stablehlo.constant(ir.Attribute.parse(f"dense<{number}> : {block.arguments[0].type}"))
            block.arguments[0].replace_all_uses_with(chosen)
        block.erase_argument(0)
        kind = main.type
        main.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(kind.inputs[1:], kind.results))
        main.arg_attrs = list(main.arg_attrs)[1:]


def _calls_kernel(operation: Any) -> bool:
    return operation.name == "stablehlo.custom_call" and bool(operation.attributes["call_target_name"].value == KERNEL)


def _parent_of(call: Any) -> Any:
    """Return the choice whose second branch this is."""
    parent = call.parent.operation
    is_second = parent.name == "stablehlo.case" and len(parent.regions) == 2
    if not is_second or call not in [one.operation for one in parent.regions[1].blocks[0].operations]:
        raise Refused("the program calls a compiled kernel that has no interpreted form")
    return parent


def _remove_kernel(call: Any) -> KernelCall:
    try:
        config = call.attributes["mhlo.backend_config"]
        x, *more = (ir.IntegerAttr(config[f"grid_{axis}"]).value for axis in "xyz")
    except (KeyError, ValueError):
        raise Refused("the program calls a kernel in a way that JAX does not") from None
    with ir.InsertionPoint(call), ir.Location.unknown():
        for result in call.results:
            result.replace_all_uses_with(_zero(result.type))
    inputs = len(call.operands)
    call.erase()
    while more and more[-1] == 1:  # Triton's grids have three axes
        more.pop()
    return KernelCall((x, *more), inputs)


def _zero(kind: Any) -> Any:
    """Return a constant at the current place."""
    element = type_of(kind).dtype
    zero = "false" if element == "i1" else "0.0" if element.startswith(("f", "bf")) else "0"
    return stablehlo.constant(ir.Attribute.parse(f"dense<{zero}> : {kind}"))


def _walk(operation: Any) -> Iterator[Any]:
    """Yield all operations in text order. Not recursive, because the depth is not yet checked."""
    pending = [operation]
    while pending:
        current = pending.pop()
        yield current
        inner = [o.operation for region in current.regions for block in region.blocks for o in block.operations]
        pending += reversed(inner)


def _check_operation(operation: Any) -> None:
    name = operation.name
    if name == "builtin.module":
        return
    if not name.startswith(_DIALECTS) or name in _REFUSED:
        raise Refused(f"the program contains {name[:100]!r}, which is not allowed in a problem with requirements")
    if any(len(region.blocks) > 1 for region in operation.regions):
        raise Refused("the program contains jumps")
    if name == "func.func":
        return
    results = [type_of(result.type) for result in operation.results]
    if any(max(result.shape, default=0) > MAX_ELEMENTS or result.size > MAX_ELEMENTS for result in results):
        raise Refused(f"the program makes an array of more than {MAX_ELEMENTS} elements")
    if name == "stablehlo.custom_call":
        check_custom_call(operation, [type_of(operand.type) for operand in operation.operands], results)
    if name == "stablehlo.composite" and not operation.attributes["name"].value.startswith("chlo."):
        raise Refused("the program contains a composite that is not JAX's own")


def constant_of(operation: Any) -> int | float | bool | None:
    """Return the value of a scalar constant, otherwise None."""
    value = operation.attributes["value"]
    if not getattr(value, "is_splat", False) or type_of(operation.results[0].type).shape:
        return None
    found = value.get_splat_value().value
    return found if isinstance(found, int | float | bool) else None


def is_transposition(operation: Any) -> bool:
    """Whether it is a broadcast that JAX does not make: one that also changes the order of the axes."""
    if operation.name != "stablehlo.broadcast_in_dim":
        return False
    axes = list(ir.DenseI64ArrayAttr(operation.attributes["broadcast_dimensions"]))
    return axes != sorted(axes)


def contracted_by(operation: Any, operands: list[Type]) -> int:
    """Return how many products, or elements of a window, go into each element of the result."""
    if operation.name == "stablehlo.reduce_window":
        return math.prod(ir.DenseI64ArrayAttr(operation.attributes["window_dimensions"]))
    if operation.name == "stablehlo.dot_general":
        numbers = stablehlo.DotDimensionNumbers(operation.attributes["dot_dimension_numbers"])
        return math.prod(operands[0].shape[axis] for axis in numbers.lhs_contracting_dimensions)
    numbers = stablehlo.ConvDimensionNumbers(operation.attributes["dimension_numbers"])
    kernel = operands[1]
    made: int = kernel.shape[numbers.kernel_output_feature_dimension]
    return kernel.size // max(made, 1)
