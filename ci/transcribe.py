#!/usr/bin/env python3
"""Transcribes compilers' layouts into case files, and checks that the files still agree with the compilers.

    ci/transcribe.py --fill RULES[,RULES...] CASE...   writes the tables of these rule sets; std140=slang asks slangc,
                                                       std430@slang=slang:decorations its code where it has another
                                                       source too; d3d12.dxc or vulkan.slang where they bind parameters
    ci/transcribe.py --check PATH...                   derives every number that names a compiler again

Exit status of --check: 0 all equal; 1 a number differs or a table cannot be derived; 2 bad arguments; 3 a compiler named
with --require is absent. The output lists and counts the numbers whose compiler, or that version of it, is absent. Nothing
here uses layoutproof's layout code.
"""

import argparse
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from transcription.authorities import COMPILERS, derive  # noqa: E402
from transcription.case_file import Case, authority_line, inline, layout_lines, quoted  # noqa: E402
from transcription.check import check_case  # noqa: E402
from transcription.declarations import Unsupported  # noqa: E402
from transcription.placement import bind_lines, is_placement, place  # noqa: E402
from transcription.tools import Refused, Tools  # noqa: E402


def main():
    options = arguments()
    tools = Tools()
    if options.fill:
        return fill(tools, options.fill.split(","), [Path(p) for p in options.paths])
    absent = [name for name in options.require.split(",") if name and tools.versions.get(name) is None]
    if absent:
        print(f"required and absent: {', '.join(absent)}")
        return 3
    number, parts = options.part
    return check(tools, sorted(case_paths(options.paths))[number - 1 :: parts])


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--fill", metavar="RULES", help="rule sets to write, separated by commas")
    mode.add_argument("--check", action="store_true", help="compare instead of writing")
    parser.add_argument("--require", metavar="NAMES", default="", help=f"with --check: some of {', '.join(COMPILERS)}")
    parser.add_argument("--part", metavar="K/N", type=part, default=(1, 1), help="with --check: the K-th of N parts")
    parser.add_argument("paths", nargs="+", metavar="PATH", help="case files; --check takes folders too")
    return parser.parse_args()


def part(text):
    """Parses `K/N` as two numbers."""
    number, parts = (int(word) for word in text.split("/"))
    if not 1 <= number <= parts:
        raise argparse.ArgumentTypeError(f"`{text}` is no part: K is one of 1 to N")
    return number, parts


def case_paths(paths):
    for path in map(Path, paths):
        yield from path.rglob("*.toml") if path.is_dir() else [path]


def fill(tools, rule_sets, paths):
    """Writes tables; prints a refusal and leaves the file without that table."""
    refused = 0
    for path in paths:
        case = Case(path)
        for wanted in rule_sets:
            rules, _, compiler = wanted.partition("=")
            compiler, _, source = compiler.partition(":")
            if is_placement(wanted):
                refused += fill_places(tools, case, wanted)
                continue
            try:
                derived = derive(tools, case, rules, compiler, source)
            except (Refused, Unsupported) as problem:
                refused += 1
                print(f"{path}: {rules}: {str(problem).splitlines()[0]}")
                continue
            lines = [authority_line(derived.authority), *layout_lines(derived.layout)]
            case.put("expect", rules, lines + (["partial = true"] if derived.partial else []))
            if derived.accessed:
                accessed = {**derived.authority, "from": "loads"}
                case.put("accessed", rules, [authority_line(accessed), f"offsets = {inline(derived.accessed)}"])
        case.save()
    return 1 if refused else 0


def fill_places(tools, case, name):
    """Writes where a compiler binds the parameters; 1 if it refuses."""
    try:
        placed = place(tools.of_convention(name.partition(".")[2]), case, name)
    except (Refused, Unsupported) as problem:
        print(f"{case.path}: {name}: {str(problem).splitlines()[0]}")
        return 1
    target, _, convention = name.partition(".")
    lines = [authority_line(placed.authority), *bind_lines(placed.places)]
    case.put_table(f"[bind.{target}.{quoted(convention)}]", lines)
    return 0


def check(tools, paths):
    with ThreadPoolExecutor(max_workers=2) as pool:
        reports = list(pool.map(lambda path: check_case(tools, path), paths))
    for report in reports:
        for line in report.differences:
            print(line)
    unchecked = sorted({line for report in reports for line in report.unchecked})
    for line in unchecked:
        print(f"not checked: {line}")
    differences = sum(len(report.differences) for report in reports)
    tables = sum(report.tables for report in reports)
    skipped = sum(len(report.unchecked) for report in reports)
    versions = ", ".join(f"{name} {tools.versions[name] or 'absent'}" for name in COMPILERS)
    print(f"{len(paths)} cases, {tables} tables checked, {skipped} not checked, {differences} differences ({versions})")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
