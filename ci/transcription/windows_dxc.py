"""DXC for Windows under Wine, as `ci/setup.sh --wine` sets it up.

Input: arguments of dxc. Output: its listing. One process compiles all sources, since Wine's start takes longer than a
hundred of them; `layoutproof-d3d.exe` documents the lines of requests and answers.
"""

import os
import subprocess
import tempfile
import threading
from pathlib import Path

from .slang_library import Refused, first_error

PROGRAM = "layoutproof-d3d.exe"


class WindowsDxc:
    """The compiler in one folder of the tools folder."""

    def __init__(self, wine, tools, name):
        self.command = [wine, str(tools / name / PROGRAM), "dxc"]
        prefix = {"WINEPREFIX": str(tools / "wine-prefix"), "WINEDEBUG": "-all"}
        # Without them, Wine offers to download Mono and Gecko.
        overrides = {"WINEDLLOVERRIDES": "mscoree,mshtml,winemenubuilder.exe="}
        self.environment = {**os.environ, **prefix, **overrides}
        self.process, self.release, self.lock = None, None, threading.Lock()
        self.scratch = tempfile.TemporaryDirectory(prefix="transcribe-dxc-")

    @staticmethod
    def is_there(tools, name):
        """True if the set-up made it."""
        return (tools / name / PROGRAM).exists() and (tools / "wine-prefix").is_dir()

    def version(self):
        """The release as cases write it, without the number of the build. The compiler answers once."""
        with self.lock:
            if self.release is None:
                command = [*self.command, "--version"]
                done = subprocess.run(
                    command, env=self.environment, capture_output=True, text=True, timeout=60, check=True
                )
                self.release = ".".join(done.stdout.split()[1].split(".")[:3])
        return self.release

    def run(self, arguments):
        """The listing of a source that must be accepted."""
        folder = Path(self.scratch.name)
        files = ["-Cd", str(folder), "-Fc", "listing", "-Fe", "diagnostics"]
        with self.lock:
            answer = self.ask("\t".join([*files, *arguments]))
            if answer == "0":
                return (folder / "listing").read_text(encoding="utf-8")
            said = (folder / "diagnostics").read_text(encoding="utf-8") if answer == "1" else answer
        lines = said.strip().splitlines() or ["ended without a word"]
        raise Refused(first_error(lines))

    def ask(self, line):
        """The answer to a line. Without an answer the process has ended, and the next line starts another."""
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen(
                self.command,
                env=self.environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                bufsize=1,
            )
        self.process.stdin.write(line + "\n")
        answer = self.process.stdout.readline().strip()
        if not answer:
            self.process.wait()
        return answer or "ended without an answer"
