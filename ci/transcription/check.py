"""Derives a case's numbers again and compares."""

from dataclasses import dataclass, field

from . import dxc
from .authorities import COMPILERS, RULES, derive
from .case_file import Case
from .declarations import Unsupported
from .tools import Refused

NAMES = ("offsets", "strides", "matrix_strides", "sizes")


@dataclass
class Report:
    """What became of one case."""

    tables: int = 0
    differences: list = field(default_factory=list)
    unchecked: list = field(default_factory=list)


def check_case(tools, path):
    """Checks every table that names a compiler."""
    case = Case(path)
    report = Report()
    for rules, table in case.data.get("expect", {}).items():
        check_table(tools, case, (rules, table), report)
    for refusal in case.data.get("reject", []):
        check_refusal(tools, case, refusal, report)
    return report


def check_table(tools, case, named, report):
    rules, table = named
    authority = table["authority"]
    compiler = authority.get("compiler")
    if compiler is None:
        return
    wanted, present = authority["version"], tools.versions.get(compiler)
    if present != wanted:
        report.unchecked.append(f"{compiler} {wanted} (here: {present or 'absent'})")
        return
    report.tables += 1
    say = report.differences.append
    place = f"{case.path}: {rules}"
    try:
        derived = derive(tools, case, rules, compiler)
    except (Refused, Unsupported) as problem:
        say(f"{place}: {str(problem).splitlines()[0]}")
        return
    compare(place, table, derived, say)
    accessed = case.table("accessed", rules) or {}
    if accessed.get("offsets", {}) != derived.accessed:
        say(f"{place}: accessed {accessed.get('offsets', {})} in the case, {derived.accessed} derived")
    for key in ("flags", "from"):
        if authority.get(key) != derived.authority.get(key):
            say(f"{place}: {key} `{authority.get(key)}` in the case, `{derived.authority.get(key)}` derived")


def check_refusal(tools, case, refusal, report):
    """Checks that today's compilers refuse what a case says they refuse."""
    rules, by = refusal.get("rules"), refusal.get("by")
    if by == "layoutproof":
        return
    who = by or f"refusal under {rules}"
    compiler = (RULES[rules].compiler if rules in RULES else None) if rules else by
    if compiler not in COMPILERS or tools.versions[compiler] is None:
        report.unchecked.append(who)
        return
    try:
        if rules:
            derive(tools, case, rules)
        else:
            flags = dxc.BASE + (["-enable-16bit-types"] if case.sixteen_bit else [])
            tools.dxil(f"{case.declare}\n[numthreads(1, 1, 1)] void main() {{}}\n", flags)
    except Unsupported as problem:
        report.unchecked.append(f"{who}: {problem}")
        return
    except Refused as problem:
        report.tables += 1
        if refusal.get("message", "") not in str(problem):
            report.differences.append(f"{case.path}: {who}: `{problem}` lacks `{refusal['message']}`")
        return
    report.differences.append(f"{case.path}: {who}: not refused")


def compare(place, table, derived, say):
    """Says every number that differs, is missing or is too many."""
    for name in NAMES:
        here, there = table.get(name, {}), getattr(derived.layout, name)
        for path in sorted({*here, *there}):
            if path not in here and table.get("partial"):
                continue
            if here.get(path) != there.get(path):
                say(f"{place}: {name} {path}: {here.get(path)} in the case, {there.get(path)} derived")
