"""Turns what compilers say about a case's declarations into the case's expected numbers.

Nothing here lays anything out: every number is read from a compiler's output. Python's standard library only.
"""
