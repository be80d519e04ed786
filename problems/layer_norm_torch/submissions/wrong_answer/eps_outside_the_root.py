"""Mistake: adds eps to the standard deviation; it belongs to the variance, under the root."""

import torch


def layer_norm(x, gain, bias, eps):
    deviation = x.std(dim=-1, correction=0, keepdim=True)
    return gain * (x - x.mean(dim=-1, keepdim=True)) / (deviation + eps) + bias
