"""How the network learns: first from pseudo documents, then from its own confident answers.

This module imports PyTorch and is itself imported only when a model is fitted.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from seedtopic.base.checkpoint import NO_CHECKPOINT, Checkpoint
from seedtopic.base.progress import Progress
from seedtopic_lab.generators import generator_state, set_generator_state
from seedtopic_lab.westclass.network import Network, Tensor, Weights
from seedtopic_lab.westclass.sequences import Tokens

Array = NDArray[np.float64]


def sharpened(probabilities: Array) -> Array:
    """Give the targets of self-training: p_ij = (q_ij^2 / f_j) / sum_j' (q_ij'^2 / f_j'), f_j = sum_i q_ij.

    The square favours what the network is sure of; f_j keeps large categories from growing.

    Examples
    --------
    >>> sharpened(np.array([[0.8, 0.2], [0.8, 0.2]])).round(3).tolist()
    [[0.8, 0.2], [0.8, 0.2]]
    >>> sharpened(np.array([[0.8, 0.2], [0.2, 0.8]])).round(3).tolist()
    [[0.941, 0.059], [0.059, 0.941]]
    """
    frequency = np.maximum(probabilities.sum(axis=0), np.finfo(np.float64).tiny)
    weight = probabilities**2 / frequency
    targets: Array = weight / weight.sum(axis=1, keepdims=True)
    return targets


def pretrain(
    network: Network,
    documents: Tokens,
    labels: Array,
    *,
    n_epochs: int,
    batch_size: int,
    learning_rate: float,
    momentum: float,
    rng: np.random.Generator,
    progress: Progress,
    checkpoint: Checkpoint = NO_CHECKPOINT,
) -> None:
    """Fit the network to the soft labels of pseudo documents, in another order each epoch."""
    optimizer = torch.optim.SGD(network.parameters, lr=learning_rate, momentum=momentum)
    recalled = checkpoint.recall("pre-training")
    if recalled is not None:
        _restore(network, optimizer, recalled)
        set_generator_state(rng, recalled["random"])
    for epoch in range(0 if recalled is None else int(recalled["done"]), n_epochs):
        progress("pre-training", epoch, n_epochs)
        order = rng.permutation(len(documents))
        for start in range(0, len(order), batch_size):
            batch = order[start : start + batch_size]
            _step(network, optimizer, documents[batch], labels[batch])
        progressed = {"random": generator_state(rng), "done": np.array(epoch + 1)}
        reached = {**_state(network, optimizer), **progressed}
        checkpoint.keep("pre-training", reached, last=epoch + 1 == n_epochs)
    progress("pre-training", n_epochs, n_epochs)


def self_train(
    network: Network,
    documents: Tokens,
    *,
    max_batches: int,
    update_interval: int,
    tolerance: float,
    batch_size: int,
    learning_rate: float,
    decay: float,
    momentum: float,
    progress: Progress,
    checkpoint: Checkpoint = NO_CHECKPOINT,
) -> tuple[Array, int]:
    """Fit the network to its sharpened answers until they stay; give the last answers and the batches used.

    The targets are computed anew every `update_interval` batches. Learning ends when less than `tolerance`
    of the labels have changed since the last time, or after `max_batches`.
    """
    optimizer = torch.optim.SGD(network.parameters, lr=learning_rate, momentum=momentum)
    recalled = checkpoint.recall("self-training")
    if recalled is None:
        answers, done, settled = network.probabilities(documents), 0, False
    else:
        _restore(network, optimizer, recalled)
        answers, done, settled = recalled["answers"], int(recalled["done"]), bool(recalled["settled"])
    while done < max_batches and not settled:
        targets = sharpened(answers)
        for _ in range(min(update_interval, max_batches - done)):
            progress("self-training", done, max_batches)
            for group in optimizer.param_groups:
                group["lr"] = learning_rate / (1.0 + decay * done)
            # The batches go round and round through the documents, which come shuffled.
            batch = (done * batch_size + np.arange(min(batch_size, len(documents)))) % len(documents)
            _step(network, optimizer, documents[batch], targets[batch])
            done += 1
        before, answers = answers, network.probabilities(documents)
        settled = bool(np.mean(before.argmax(axis=1) != answers.argmax(axis=1)) < tolerance)
        progressed = {"answers": answers, "done": np.array(done), "settled": np.array(settled)}
        reached = {**_state(network, optimizer), **progressed}
        checkpoint.keep("self-training", reached, last=settled or done == max_batches)
    progress("self-training", done, done)
    return answers, done


def _state(network: Network, optimizer: Tensor) -> Weights:
    """Give the weights, and the momentum that each has."""
    momentum = {
        f"{name}_momentum": optimizer.state[parameter]["momentum_buffer"].numpy().copy()
        for name, parameter in zip(network.weights, network.parameters, strict=True)
        if optimizer.state[parameter].get("momentum_buffer") is not None
    }
    return {**network.weights, **momentum}


def _restore(network: Network, optimizer: Tensor, recalled: Weights) -> None:
    """Put weights and momentum back."""
    with torch.no_grad():
        for name, parameter in zip(network.weights, network.parameters, strict=True):
            parameter.copy_(torch.from_numpy(recalled[name]))
            if f"{name}_momentum" in recalled:
                optimizer.state[parameter]["momentum_buffer"] = torch.from_numpy(recalled[f"{name}_momentum"])


def _step(network: Network, optimizer: Tensor, documents: Tokens, targets: Array) -> None:
    """Take one step down the gradient of the mean of KL(target || answer)."""
    optimizer.zero_grad()
    answers = network.log_probabilities(documents)
    functional.kl_div(answers, torch.from_numpy(targets).float(), reduction="batchmean").backward()
    optimizer.step()
