"""The examples in the docstrings of the reader are true."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest

MODULES = [
    "transforms.ranking",
    "tierlake.read.analysis",
    "tierlake.read.bundle",
    "tierlake.read.context",
    "tierlake.read.filters",
    "tierlake.read.librarian",
    "tierlake.read.options",
    "tierlake.read.rank",
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    results = doctest.testmod(import_module(name))
    assert results.attempted > 0
    assert results.failed == 0
