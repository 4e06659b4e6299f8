# shellcheck shell=bash
#
# The set-up's output: one line for each thing set up, missing, or worth knowing. On stderr, so that the standard
# output of `ci/run` is the program's alone.

# say_done THING: THING was not there and now is.
say_done() {
    printf 'set up   %s\n' "$1" >&2
}

# say_missing THING HOW: THING is not there; HOW tells the reader what to do about it.
say_missing() {
    printf 'missing  %s: %s\n' "$1" "$2" >&2
}

# say_note TEXT
say_note() {
    printf 'note     %s\n' "$1" >&2
}

# say_last_line FILE: the last line with text in a tool's log, for use in a message.
say_last_line() {
    grep -v '^[[:space:]]*$' "$1" | tail -n 1 || true
}
