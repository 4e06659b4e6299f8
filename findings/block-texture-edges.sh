#!/usr/bin/env bash
# Two decoders of block-compressed textures lose pixels at the edge of images whose size is no multiple of four.
#
# Packages: PyPI quicktex 0.3.1, imagecodecs 2026.3.6, pillow 13.0.0, numpy 2.4.6.
# Guess:    A BC1 image of 8x6 has two rows of blocks (Microsoft, "Programming Guide for DDS": sizes are rounded up to whole blocks), and a
#           decoder drops the last two rows of pixels. Red and green blocks above blue and white ones give four rows of the first two
#           colours and two rows of the others.
# Measured: Pillow does so. quicktex writes the two rows over the first rows of the image, which becomes blue and white there.
#           imagecodecs.dds_decode leaves out the last row of blocks, and the array keeps what it had. With 8x8 all agree.
# Matters:  Most chains of mipmaps have such sizes. quicktex fills the blocks that it encodes in the same way, so a round trip hides it.
set -euo pipefail
skip() { echo "not run: $1" >&2; exit 3; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
{ python3 -m venv venv && venv/bin/pip install -q quicktex==0.3.1 imagecodecs==2026.3.6 pillow==13.0.0 numpy==2.4.6; } >pip.log 2>&1 ||
    skip "pip cannot install quicktex 0.3.1, imagecodecs 2026.3.6, pillow 13.0.0 and numpy 2.4.6"

cat >run.py <<'END'
import io
import struct

import imagecodecs
import numpy
import quicktex.dds
import quicktex.s3tc.bc1
from PIL import Image

COLORS = {(255, 0, 0): "R", (0, 255, 0): "G", (0, 0, 255): "B", (255, 255, 255): "W"}
BLOCKS = b"".join(struct.pack("<HHI", color, 0, 0) for color in (0xF800, 0x07E0, 0x001F, 0xFFFF))  # Each in its first color.


def show(name, image):
    rows = ["".join(COLORS.get(tuple(map(int, pixel[:3])), ".") for pixel in row) for row in numpy.asarray(image)]
    print(f"{name}: {' '.join(rows)}")


for height in (8, 6):
    header = struct.pack("<7I", 124, 0x81007, height, 8, len(BLOCKS), 0, 1) + bytes(44)
    pixel_format = struct.pack("<2I4s5I", 32, 4, b"DXT1", 0, 0, 0, 0, 0)
    file = b"DDS " + header + pixel_format + struct.pack("<5I", 0x1000, 0, 0, 0, 0) + BLOCKS
    with open("image.dds", "wb") as output:
        output.write(file)
    print(f"8x{height}")
    show("Pillow", Image.open(io.BytesIO(file)).convert("RGB"))
    show("quicktex", quicktex.dds.read("image.dds").decode())
    image = Image.open(io.BytesIO(file)).convert("RGBA")
    quicktex.dds.encode(image, quicktex.s3tc.bc1.BC1Encoder(5), "DXT1", 1).save("image.dds")
    show("quicktex, encoded by itself", quicktex.dds.read("image.dds").decode())
    untouched = numpy.full((height, 8, 4), 1, numpy.uint8)
    show("imagecodecs", imagecodecs.dds_decode(file, out=untouched))
END
measured=$(venv/bin/python run.py)
expected='8x8
Pillow: RRRRGGGG RRRRGGGG RRRRGGGG RRRRGGGG BBBBWWWW BBBBWWWW BBBBWWWW BBBBWWWW
quicktex: RRRRGGGG RRRRGGGG RRRRGGGG RRRRGGGG BBBBWWWW BBBBWWWW BBBBWWWW BBBBWWWW
quicktex, encoded by itself: RRRRGGGG RRRRGGGG RRRRGGGG RRRRGGGG BBBBWWWW BBBBWWWW BBBBWWWW BBBBWWWW
imagecodecs: RRRRGGGG RRRRGGGG RRRRGGGG RRRRGGGG BBBBWWWW BBBBWWWW BBBBWWWW BBBBWWWW
8x6
Pillow: RRRRGGGG RRRRGGGG RRRRGGGG RRRRGGGG BBBBWWWW BBBBWWWW
quicktex: BBBBWWWW BBBBWWWW RRRRGGGG RRRRGGGG BBBBWWWW BBBBWWWW
quicktex, encoded by itself: RRRRGGGG RRRRGGGG RRRRGGGG RRRRGGGG BBBBWWWW BBBBWWWW
imagecodecs: RRRRGGGG RRRRGGGG RRRRGGGG RRRRGGGG ........ ........'
diff <(echo "$expected") <(echo "$measured") || { echo "changed: quicktex or imagecodecs decodes other pixels now" >&2; exit 1; }
echo "$measured"
