# shellcheck shell=bash
#
# The set-up's output: one line per thing that was set up, is missing, or is worth knowing. On stderr, so that the
# standard output of `ci/run` is only the program's.

# say_done THING: THING was missing and is now installed.
say_done() {
    printf 'set up   %s\n' "$1" >&2
}

# say_missing THING HOW: THING is missing; HOW tells the reader what to do about it.
say_missing() {
    printf 'missing  %s: %s\n' "$1" "$2" >&2
}

# say_note TEXT
say_note() {
    printf 'note     %s\n' "$1" >&2
}

# first_error LOG: prints the first line of a tool's log that calls itself an error, for a message; apt and pip repeat
# themselves after it. Without such a line, the last one.
first_error() {
    grep -m 1 -i -E '^(e|error):' "$1" || tail -n 1 "$1"
}
