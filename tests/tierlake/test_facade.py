"""The facade: every public name is there, and importing it is cheap."""

from __future__ import annotations

import subprocess
import sys

import pytest

import tierlake

HEAVY = ("dagster", "tantivy", "spacy", "openai", "polars", "pyarrow", "deltalake", "great_expectations")


@pytest.mark.parametrize("name", tierlake.__all__)
def test_every_public_name_loads(name):
    assert getattr(tierlake, name) is not None


def test_names_are_declared_once():
    assert sorted(tierlake.__all__) == sorted(tierlake._HOMES) == dir(tierlake)


def test_an_unknown_name_lists_what_there_is():
    with pytest.raises(AttributeError, match=r"no attribute 'Memroy'; public names: .*Memory"):
        _ = tierlake.Memroy


def test_the_two_names_of_the_error_are_one():
    assert tierlake.WikiInvalidReadOptions is tierlake.InvalidReadOptions
    assert issubclass(tierlake.InvalidReadOptions, ValueError)


def _loaded_after(code: str) -> set[str]:
    listing = f"{code}\nimport sys\nprint(*[name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", listing], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_the_package_imports_nothing_heavy():
    assert _loaded_after("import tierlake") == set()


def test_the_reader_imports_no_dagster_and_no_models():
    loaded = _loaded_after("from tierlake import Memory, rank_facts, format_context")
    assert loaded <= {"polars", "pyarrow"}
