"""Values of PyTorch."""

import torch

from tests.values.runtime.returned import returned


@returned
def torch_dtypes() -> object:
    names = ("bfloat16", "float16", "float32", "float64", "int64", "uint8", "uint16", "bool")
    return {name: torch.tensor([0, 1], dtype=getattr(torch, name)) for name in names}


@returned
def torch_float8() -> object:
    return torch.tensor([0.5]).to(torch.float8_e4m3fn)


@returned
def torch_bfloat16_transposed() -> object:
    return torch.arange(6, dtype=torch.bfloat16).reshape(2, 3).T


@returned
def torch_needs_grad() -> object:
    return torch.nn.Parameter(torch.ones(2)) * 2


@returned
def torch_strided() -> object:
    return torch.arange(10)[::3]


@returned
def torch_conjugate() -> object:
    return torch.tensor([1 + 2j]).conj()


@returned
def torch_negative_bit() -> object:
    return torch.tensor([1 + 2j]).conj().imag


@returned
def torch_inference() -> object:
    with torch.inference_mode():
        return torch.ones(2) * 3


@returned
def torch_module() -> object:
    return torch.nn.Linear(2, 1, dtype=torch.bfloat16)


@returned
def torch_optimizer_state() -> object:
    weight = torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.SGD([weight], lr=0.1, momentum=0.9)
    weight.sum().backward()
    optimizer.step()
    return optimizer.state_dict()


@returned
def torch_return_types() -> object:
    return [torch.eye(2).max(dim=1), torch.linalg.slogdet(torch.eye(2))]


@returned
def torch_size() -> object:
    return torch.ones(2, 3).shape


@returned
def torch_huge_expanded() -> object:
    return torch.zeros(1).expand(10**6, 10**6)


@returned
def torch_sparse() -> object:
    return [torch.eye(3).to_sparse()]


@returned
def torch_meta() -> object:
    return torch.empty(2, device="meta")


@returned
def torch_complex32() -> object:
    return {"spectrum": torch.zeros(1, dtype=torch.complex32)}


@returned
def torch_dtype() -> object:
    return torch.float32
