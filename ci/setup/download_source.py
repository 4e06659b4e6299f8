"""Downloads a source archive from PyPI and checks it, without running any of it.

Usage: python3 download_source.py NAME VERSION SHA256 FOLDER

pip cannot do this: it runs the archive's setup.py to learn the name and version. The index is pip's
(`pip config set global.index-url`, `PIP_INDEX_URL`), otherwise pypi.org. For an archive with a different checksum, the
script writes nothing and exits with 1.
"""

import hashlib
import json
import os
import subprocess
import sys
import urllib.parse
import urllib.request
from pathlib import Path

# "Simple repository API", Python Packaging User Guide.
SIMPLE_JSON = "application/vnd.pypi.simple.v1+json"
DEFAULT_INDEX = "https://pypi.org/simple"
TIMEOUT_SECONDS = 60


def index_url() -> str:
    if url := os.environ.get("PIP_INDEX_URL"):
        return url
    command = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
    configured = subprocess.run(command, capture_output=True, text=True, check=False)
    return configured.stdout.strip() or DEFAULT_INDEX


def archive_url(name: str, version: str) -> str:
    """The address of NAME-VERSION.tar.gz on the project's page in the index."""
    page = f"{index_url().rstrip('/')}/{name}/"
    request = urllib.request.Request(page, headers={"Accept": SIMPLE_JSON})
    with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as answer:
        files = json.load(answer)["files"]
    wanted = f"{name}-{version}.tar.gz"
    for file in files:
        if file["filename"] == wanted:
            return urllib.parse.urljoin(page, file["url"])
    sys.exit(f"error: {page} has no {wanted}")


def main() -> None:
    name, version, sha256, folder = sys.argv[1:]
    with urllib.request.urlopen(archive_url(name, version), timeout=TIMEOUT_SECONDS) as answer:
        archive = answer.read()
    found = hashlib.sha256(archive).hexdigest()
    if found != sha256:
        sys.exit(f"error: DO NOT MATCH THE HASHES: expected {sha256}, found {found}")
    Path(folder, f"{name}-{version}.tar.gz").write_bytes(archive)


if __name__ == "__main__":
    main()
