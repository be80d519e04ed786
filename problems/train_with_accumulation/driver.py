"""Build the classifier and micro-batches, run the solution, and report the history and the final weights."""

import torch


def run(solution, inputs):
    model = build_model(inputs["weights"])
    data = split(inputs["x"], inputs["y"], inputs["last_size"])
    history = solution(model, data, inputs["lr"], inputs["epochs"], inputs["accumulation_steps"], inputs["max_norm"])
    return {"history": history, "weights": dict(model.state_dict())}


def build_model(weights):
    """weights: {"weight": (C, D), "bias": (C,)} → a linear classifier that starts from them."""
    classes, features = weights["weight"].shape
    model = torch.nn.Linear(features, classes).to(weights["weight"].device)
    model.load_state_dict(weights)
    return model


def split(x, y, last_size):
    """x: (B, M, D), y: (B, M) → a list of B pairs; the last one keeps its first `last_size` examples."""
    sizes = [x.shape[1]] * (len(x) - 1) + [last_size]
    return [(x[i, :size], y[i, :size]) for i, size in enumerate(sizes)]
