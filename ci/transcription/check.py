"""Derives a case's numbers again and compares."""

from dataclasses import dataclass, field

from . import dxc
from .authorities import COMPILERS, RULES, derive
from .case_file import Case
from .declarations import Unsupported
from .placement import as_list, has_compiler, has_entry, place
from .tools import NEW_DXC_RELEASE, Refused

NAMES = ("offsets", "strides", "matrix_strides", "sizes")


@dataclass
class Report:
    """The result for one case."""

    tables: int = 0
    differences: list = field(default_factory=list)
    unchecked: list = field(default_factory=list)


def check_case(tools, path):
    """Checks every table that names a compiler."""
    case = Case(path)
    report = Report()
    for rules, table in case.data.get("expect", {}).items():
        check_table(tools, case, (rules, table), report)
    for target, conventions in case.data.get("bind", {}).items():
        for convention, table in conventions.items():
            check_places(tools, case, (f"{target}.{convention}", table), report)
    for refusal in case.data.get("reject", []):
        check_refusal(tools, case, refusal, report)
    for told in case.data.get("warn", []):
        if "convention" in told:
            check_placement_told(tools, case, told, report)
    return report


def check_table(tools, case, named, report):
    rules, table = named
    authority = table["authority"]
    compiler = authority.get("compiler")
    if compiler is None:
        return
    if rules in RULES and RULES[rules].release:
        tools = tools.of_dxc(RULES[rules].release)
    elif compiler == "dxc" and authority["version"] == NEW_DXC_RELEASE:
        tools = tools.of_dxc(NEW_DXC_RELEASE)
    if not is_here(tools, authority, report):
        return
    report.tables += 1
    say = report.differences.append
    where = f"{case.path}: {rules}"
    try:
        derived = derive(tools, case, rules, compiler, authority.get("from"))
    except (Refused, Unsupported) as problem:
        say(f"{where}: {str(problem).splitlines()[0]}")
        return
    compare(where, table, derived, say)
    accessed = case.table("accessed", rules) or {}
    if accessed.get("offsets", {}) != derived.accessed:
        say(f"{where}: accessed {accessed.get('offsets', {})} in the case, {derived.accessed} derived")
    for key in ("flags", "from"):
        if authority.get(key) != derived.authority.get(key):
            say(f"{where}: {key} `{authority.get(key)}` in the case, `{derived.authority.get(key)}` derived")


def is_here(tools, authority, report):
    """True if the compiler of a table is installed in that version; notes it otherwise."""
    compiler, wanted = authority["compiler"], authority["version"]
    present = tools.versions.get(compiler)
    if present != wanted:
        report.unchecked.append(f"{compiler} {wanted} (here: {present or 'absent'})")
    return present == wanted


def check_places(tools, case, named, report):
    """Compares the places of a case's parameters."""
    name, table = named
    tools = tools.of_convention(name.partition(".")[2])
    authority = table["authority"]
    if authority.get("compiler") is None or not is_here(tools, authority, report):
        return
    report.tables += 1
    say = report.differences.append
    where = f"{case.path}: {name}"
    try:
        placed = place(tools, case, name)
    except (Refused, Unsupported) as problem:
        say(f"{where}: {str(problem).splitlines()[0]}")
        return
    written = {path: as_list(value) for path, value in table.items() if path not in ("authority", "partial")}
    for path in sorted(written if table.get("partial") else {**written, **placed.places}):
        if sorted(written.get(path, [])) != sorted(placed.places.get(path, [])):
            say(f"{where}: {path}: {written.get(path)} in the case, {placed.places.get(path)} derived")
    for key in ("flags", "from"):
        if authority.get(key) != placed.authority[key]:
            say(f"{where}: {key} `{authority.get(key)}` in the case, `{placed.authority[key]}` derived")


def check_placement_told(tools, case, told, report):
    """Checks that a convention's compiler refuses, or warns about, what the case claims."""
    name = f"{told['target']}.{told['convention']}"
    if not has_compiler(name):
        return
    tools = tools.of_convention(told["convention"])
    if tools.versions[told["convention"].partition("@")[0]] is None:
        report.unchecked.append(name)
        return
    refused, said = False, ""
    try:
        said = place(tools, case, name).said
    except Unsupported as problem:
        report.unchecked.append(f"{name}: {problem}")
        return
    except Refused as problem:
        refused, said = True, str(problem)
    report.tables += 1
    if refused != (told in case.data.get("reject", [])):
        report.differences.append(f"{case.path}: {name}: {'refused' if refused else 'not refused'}")
    elif told.get("message", "") not in said:
        report.differences.append(f"{case.path}: {name}: `{said}` lacks `{told['message']}`")


def check_refusal(tools, case, refusal, report):
    """Checks that today's compilers refuse what the case claims."""
    if "convention" in refusal:
        check_placement_told(tools, case, refusal, report)
        return
    rules, by = refusal.get("rules"), refusal.get("by")
    if by == "layoutproof":
        return
    who = by or f"refusal under {rules}"
    compiler = RULES[rules].compiler if rules in RULES else None
    if not rules:
        compiler, _, bounds = by.partition(" ")
        tools = tools.of_range(bounds) if compiler == "dxc" and bounds else tools
    if compiler not in COMPILERS or tools.versions[compiler] is None:
        report.unchecked.append(who)
        return
    try:
        if rules:
            derive(tools, case, rules)
        else:
            flags = dxc.BASE + (["-enable-16bit-types"] if case.sixteen_bit else [])
            entry = "" if has_entry(case) else "\n[numthreads(1, 1, 1)] void main() {}\n"
            tools.dxil(case.declare + entry, flags)
    except Unsupported as problem:
        report.unchecked.append(f"{who}: {problem}")
        return
    except Refused as problem:
        report.tables += 1
        if refusal.get("message", "") not in str(problem):
            report.differences.append(f"{case.path}: {who}: `{problem}` lacks `{refusal['message']}`")
        return
    report.differences.append(f"{case.path}: {who}: not refused")


def compare(where, table, derived, say):
    """Prints every number that differs, is missing or is unexpected."""
    for name in NAMES:
        here, there = table.get(name, {}), getattr(derived.layout, name)
        for path in sorted({*here, *there}):
            if path not in here and table.get("partial"):
                continue
            if here.get(path) != there.get(path):
                say(f"{where}: {name} {path}: {here.get(path)} in the case, {there.get(path)} derived")
