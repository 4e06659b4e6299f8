#!/usr/bin/env bash
# numpy repacks records that mirror a shader's struct when it joins arrays of them.
#
# Package:  PyPI numpy 2.4.6.
# Guess:    Operands of one and the same type give a result of that type: numpy.concatenate of two arrays whose dtype has
#           std140's offsets (a float at 0, a vec3 at 16, itemsize 32) keeps the offsets, as copy and tile do.
# Measured: concatenate, stack, append and an array of its records give 16 bytes a record with the vec3 at 4: type
#           promotion packs, even with itself. copy, tile, sort, take and indexing keep 32 bytes. resize, which only repeats
#           the array, packs.
# Matters:  The mirror is right where it is declared and wrong where it is uploaded. Check the dtype of what is uploaded.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
{ python3 -m venv "$work/venv" && "$work/venv/bin/pip" install -q numpy==2.4.6; } >"$work/pip.log" 2>&1 ||
    skip "pip cannot install numpy 2.4.6"

cat >"$work/run.py" <<'END'
import numpy as np

light = np.dtype({"names": ["a", "v"], "formats": ["f4", ("f4", 3)], "offsets": [0, 16], "itemsize": 32})
lights = np.zeros(2, light)
for name, result in {
    "copy": lights.copy(),
    "tile": np.tile(lights, 2),
    "take": np.take(lights, [1, 0]),
    "sort": np.sort(lights, order="a"),
    "concatenate": np.concatenate([lights, lights]),
    "stack": np.stack([lights, lights]),
    "append": np.append(lights, lights),
    "resize": np.resize(lights, 4),
    "array": np.array([lights[0], lights[1]]),
}.items():
    print(f"{name}: v at {result.dtype.fields['v'][1]}, itemsize {result.dtype.itemsize}")
END
measured=$("$work/venv/bin/python" "$work/run.py")
expected='copy: v at 16, itemsize 32
tile: v at 16, itemsize 32
take: v at 16, itemsize 32
sort: v at 16, itemsize 32
concatenate: v at 4, itemsize 16
stack: v at 4, itemsize 16
append: v at 4, itemsize 16
resize: v at 4, itemsize 16
array: v at 4, itemsize 16'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: numpy keeps other offsets now" >&2; exit 1; }
echo "$measured"
