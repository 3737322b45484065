"""What expressions are made of: terms, the productions that make them, and the deck that deals their names."""

from dataclasses import dataclass

from value import Value

PRODUCTIONS = {}  # by group: [(function, how often)]


@dataclass
class Term:
    """A part of an expression: its text and its value."""

    text: str
    value: Value
    is_array: bool = False  # elements in memory
    group: str = "leaf"  # of the production that made it


def production(group, weight=1):
    """Enters a production into its group; `weight` says how often it is taken beside the others."""

    def enter(function):
        PRODUCTIONS.setdefault(group, []).append((function, weight))
        return function

    return enter


class Deck:
    """Deals names so that those that came up least often come first. One deck serves all cases of a program."""

    def __init__(self):
        self.dealt = {}

    def choose(self, random, names, key=lambda name: name):
        """One of the least dealt; count it with `use` when it is used."""
        names = list(names)
        random.shuffle(names)
        return sorted(names, key=lambda name: self.dealt.get(key(name), 0))

    def use(self, key):
        self.dealt[key] = self.dealt.get(key, 0) + 1
