#!/usr/bin/env python3
"""Copies the test programs that `cargo test --no-run --message-format=json` made.

    ci/wine/test_programs.py MESSAGES FOLDER

Each copy has its package's name. PACKAGE.folder next to it contains the folder in which cargo would start it.
"""

import json
import shutil
import sys
from pathlib import Path


def main():
    messages, folder = Path(sys.argv[1]), Path(sys.argv[2])
    copied = 0
    for line in messages.read_text().splitlines():
        message = json.loads(line)
        if message.get("reason") != "compiler-artifact" or not message.get("executable") or not message["profile"]["test"]:
            continue
        manifest = Path(message["manifest_path"])
        name = next(part for part in Path(message["executable"]).stem.rsplit("-", 1))
        shutil.copy(message["executable"], folder / f"{name}.exe")
        (folder / f"{name}.folder").write_text(str(manifest.parent))
        copied += 1
    return 0 if copied else "no test program was made"


if __name__ == "__main__":
    sys.exit(main())
