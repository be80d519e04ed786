import jax
import jax.numpy as jnp


def kv_cache_step(x, weights, k_cache, v_cache, positions):
    """One step of decoding: fill one slot of each sequence's cache, and attend to the filled slots.

    x: (B, M), float32, the newest token of each sequence
    weights: {"q": (M, H, D), "k": (M, H, D), "v": (M, H, D)}, float32
    k_cache: (B, L, H, D), float32
    v_cache: (B, L, H, D), float32
    positions: (B,), int32, the slot of each newest token
    returns: {"output": (B, H, D), "k_cache": (B, L, H, D), "v_cache": (B, L, H, D)}
    """
    raise NotImplementedError("replace this line with your solution")
