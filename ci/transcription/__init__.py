"""Turns compilers' output for a case's declarations into the case's expected numbers.

Nothing here computes a layout: every number is read from a compiler's output. Only Python's standard library.
"""
