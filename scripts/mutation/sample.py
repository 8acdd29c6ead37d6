"""Chooses mutants: the same ones for the same seed, spread over files by how many each could have."""

import hashlib
import re
from pathlib import Path

import rules

FREE_OBJECTS = 8


class Queue:
    """The mutants of one file in the order in which they are tried, until `wanted` have compiled."""

    def __init__(self, file, mutants, wanted=0):
        self.file = file
        self.mutants = mutants
        self.wanted = wanted
        self.next = 0

    def take(self):
        if self.next == len(self.mutants):
            return None
        self.next += 1
        return self.mutants[self.next - 1]


def queues(tree, rooms, only, count, seed, users):
    """One queue for each file of `rooms` whose name matches `only`; `count` mutants in all.

    `users` gives the objects that are built again for a file.
    """
    found = []
    for room in rooms:
        for path in sorted((Path(tree) / room).rglob("*.[ch]pp")):
            file = str(path.relative_to(tree))
            if re.search(only, file):
                mutants = rules.mutants_of(file, path.read_text())
                if mutants:
                    found.append(Queue(file, _one_a_line(mutants, seed)))
    _share_out(found, count, users)
    return [queue for queue in found if queue.wanted]


def key(mutant, seed=""):
    """Stays the same where other lines of the file change."""
    words = (str(seed), mutant.file, mutant.rule, mutant.before, mutant.after)
    return hashlib.sha256("\0".join(words).encode()).hexdigest()[:16]


def _one_a_line(mutants, seed):
    """In an order that depends on nothing but the seed and the mutants; one for each line first."""
    ranked = sorted(mutants, key=lambda mutant: (key(mutant, seed), mutant.start))
    lines = set()
    first, later = [], []
    for mutant in ranked:
        (later if mutant.line in lines else first).append(mutant)
        lines.add(mutant.line)
    return first + later


def _share_out(found, count, users):
    """In proportion to the lines that can be changed, the largest remainders first.

    A header counts for less the more is built again for it: the time is better spent on others.
    """
    weights = []
    for queue in found:
        lines = len({mutant.line for mutant in queue.mutants})
        weights.append(lines / max(1, len(users.get(queue.file, ())) / FREE_OBJECTS))
    total = sum(weights)
    if not total:
        return
    shares = [count * weight / total for weight in weights]
    for queue, share in zip(found, shares):
        queue.wanted = min(int(share), len(queue.mutants))
    left = count - sum(queue.wanted for queue in found)
    by_remainder = sorted(
        range(len(found)), key=lambda i: (int(shares[i]) - shares[i], found[i].file)
    )
    for index in by_remainder[:left]:
        found[index].wanted += 1
