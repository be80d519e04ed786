# mechanism: a process group that listens on a port, and a profile written to the host
# verdict: runtime_error
# problem: softmax
# message: no network
import torch
import torch.distributed


def softmax(x):
    torch.distributed.init_process_group("gloo", init_method="tcp://127.0.0.1:29500", rank=0, world_size=1)
    return torch.softmax(x, dim=1)
