"""Build the network, micro-batches and gradient scaler, run the solution, and report its history and weights."""

from collections import OrderedDict

import torch
from torch import nn


def run(solution, inputs):
    device = inputs["x"].device  # the judge chooses the device: driver and solutions must work on any
    model = build_model(inputs["weights"]).to(device)
    data = split(inputs["x"], inputs["y"], inputs["last_size"])
    scaler = torch.amp.GradScaler(device.type, **inputs["scaler"])
    history = solution(
        model, data, inputs["lr"], inputs["epochs"], inputs["accumulation_steps"], inputs["max_norm"], scaler
    )
    return {"history": history, "weights": dict(model.state_dict())}


def build_model(weights):
    """weights: {"hidden.weight": (H, D), "hidden.bias": (H,), "output.weight": (C, H), "output.bias": (C,)}"""
    hidden, features = weights["hidden.weight"].shape
    classes = len(weights["output.bias"])
    layers = OrderedDict(hidden=nn.Linear(features, hidden), tanh=nn.Tanh(), output=nn.Linear(hidden, classes))
    model = nn.Sequential(layers)
    model.load_state_dict(weights)
    return model


def split(x, y, last_size):
    """x: (B, M, D), y: (B, M) → a list of B pairs; the last one keeps its first `last_size` examples."""
    sizes = [x.shape[1]] * (len(x) - 1) + [last_size]
    return [(x[i, :size], y[i, :size]) for i, size in enumerate(sizes)]
