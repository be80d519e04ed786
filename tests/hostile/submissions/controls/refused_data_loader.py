# mechanism: honest, but refused: a data loader with workers
# verdict: runtime_error
# problem: softmax
# message: num_workers=0
import torch
from torch.utils.data import DataLoader, TensorDataset


def softmax(x):
    return torch.cat([torch.softmax(rows, dim=1) for (rows,) in DataLoader(TensorDataset(x), num_workers=2)])
