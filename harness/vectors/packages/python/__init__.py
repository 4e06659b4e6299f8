"""Test vectors for layouts of shader parameters. `vectors.schema.json` describes the data."""

import functools
import importlib.resources
import json

__all__ = ["rules", "schema", "vectors"]


def _read(name):
    return json.loads((importlib.resources.files(__name__) / name).read_text(encoding="utf-8"))


@functools.lru_cache(maxsize=None)
def vectors():
    """All vectors, a list of dictionaries in the order of their ids."""
    return _read("vectors.json")["vectors"]


@functools.lru_cache(maxsize=None)
def rules():
    """The rule table: `rules` has every rule set, `used_by` the compilers that apply them."""
    return _read("rules.json")


@functools.lru_cache(maxsize=None)
def schema():
    """The JSON Schema of both files."""
    return _read("vectors.schema.json")
