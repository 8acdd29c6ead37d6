"""A network with pruned layers on batches of inputs: python pruned_inference.py [WIDTH].

Each layer has a format of its own, by its density.
"""

from __future__ import annotations

import sys

import numpy as np
import scipy.sparse

import switchyard

BATCH = 32
BATCHES = 50
DENSITIES = (0.9, 0.4, 0.1, 0.02)  # shares of the weights that pruning leaves


def pruned_layer(width: int, density: float, seed: int) -> np.ndarray:
    """Return weights of which only the largest are left."""
    weights = np.random.default_rng(seed).standard_normal((width, width), dtype=np.float32)
    threshold = np.quantile(np.abs(weights), 1 - density)
    weights[np.abs(weights) < threshold] = 0
    return weights / np.float32(np.sqrt(density * width))


def forward(layers, inputs: np.ndarray) -> np.ndarray:
    """Return the outputs: each layer multiplies, and cuts off what is negative."""
    for layer in layers:
        inputs = np.maximum(layer @ inputs, 0)
    return inputs


def main() -> None:
    """Compare with dense layers, and say where each layer was multiplied."""
    width = int(sys.argv[1]) if len(sys.argv) > 1 else 1024
    dense = [pruned_layer(width, density, seed) for seed, density in enumerate(DENSITIES)]
    layers = [switchyard.matrix(scipy.sparse.csr_array(weights)) for weights in dense]
    for layer in layers:
        layer.expect_calls(BATCHES, columns=BATCH)
    random = np.random.default_rng(4)
    for _ in range(BATCHES):
        inputs = random.random((width, BATCH), dtype=np.float32)
        outputs = forward(layers, inputs)
    difference = np.abs(outputs - forward(dense, inputs)).max()
    print(f"largest output {outputs.max():.3g}, largest difference {difference:.1e}")
    for density, layer in zip(DENSITIES, layers, strict=True):
        print(f"density {density:.2f}: {layer.plan(BATCH).state}")


if __name__ == "__main__":
    main()
