"""Runs the compilers.

Finds each compiler and its version, and calls it; other modules read the output.
"""

import copy
import itertools
import operator
import os
import re
import shutil
import subprocess
import tempfile
import threading
from pathlib import Path

from .declarations import Unsupported
from .slang_library import Library, Refused, first_error
from .windows_dxc import WindowsDxc

ROOT = Path(__file__).resolve().parent.parent.parent

# DXC's library reports a commit, but releases are named by date; the count of commits maps one to the other.
DXC_RELEASES = {"4006": "1.7.2308"}

# The second DXC of ci/setup.sh: 1.7, commit d66bdf94, from before release 1.7.2207. Tables for `dxc@1.7.2207` come from
# it.
OLD_DXC, OLD_DXC_RELEASE = "1.7 d66bdf94", "1.7.2207"
DXC_RELEASES["3435"] = OLD_DXC

# The DXC of `ci/setup.sh --wine`: build 1.9.2602.17.
NEW_DXC_RELEASE = "1.9.2602"


def fetched_tools():
    """The folder in which ci/setup.sh puts compilers."""
    said = subprocess.run([str(ROOT / "ci" / "tools-folder")], stdout=subprocess.PIPE, text=True, check=False)
    if said.returncode != 0:
        # It has printed the reason on stderr.
        raise SystemExit(said.returncode)
    return Path(said.stdout.removesuffix("\n")) / "tools"


class Tools:
    """The compilers of this machine; each is None if it is absent."""

    def __init__(self):
        self.fetched = fetched_tools()
        library = Path(os.environ.get("LAYOUTPROOF_DXC_LIBRARY", self.fetched / "dxc-lib" / "libdxcompiler.so"))
        driver = built("dxc-library")
        self.dxc = LibraryDxc([*driver, "--library", str(library)]) if driver and library.exists() else None
        slangc = self.fetched / "slang" / "bin" / "slangc"
        self.slang = [str(slangc)] if slangc.exists() else which("slangc")
        self.glslang = which("glslangValidator")
        self.naga = built("naga-spirv")
        self.scratch = tempfile.TemporaryDirectory(prefix="transcribe-")
        self.numbers = itertools.count()
        self.library, self.lock = None, threading.Lock()
        self.new_dxc = None
        wine = shutil.which("wine")
        if wine and WindowsDxc.is_there(self.fetched, "dxc-1.9"):
            self.new_dxc = WindowsDxc(wine, self.fetched, "dxc-1.9")
        self.versions = {name: self.version(name) for name in ("dxc", "slang", "glslang", "naga")}

    def of_convention(self, convention):
        """These compilers, with the version of DXC that a convention names (`dxc@1.7.2207`); absent if it is not here."""
        name, _, version = convention.partition("@")
        return self.of_dxc(version) if name == "dxc" and version else self

    def of_dxc(self, release):
        """These compilers, with this release of DXC; absent if it is not here."""
        if release == self.versions["dxc"]:
            return self
        other = copy.copy(self)
        other.dxc = None
        library = self.fetched / "dxc-lib-old" / "libdxcompiler.so"
        if release == OLD_DXC_RELEASE and built("dxc-library") and library.exists():
            other.dxc = LibraryDxc([*built("dxc-library"), "--library", str(library), "--abi", "old"])
        elif release == NEW_DXC_RELEASE:
            other.dxc = self.new_dxc
        other.versions = {**self.versions, "dxc": other.version("dxc")}
        return other

    def of_range(self, bounds):
        """These compilers, with a release of DXC that matches a case's `by` (`>= 1.8.2405`); absent if none is here."""
        releases = (self.versions["dxc"], NEW_DXC_RELEASE)
        return self.of_dxc(next((release for release in releases if is_within(release, bounds)), "none"))

    def version(self, name):
        """The version as cases write it, or None."""
        command = getattr(self, name)
        if command is None:
            return None
        if name == "dxc":
            return command.version()
        if name == "slang":
            # slangc answers on stderr.
            return subprocess.run([*command, "-v"], capture_output=True, text=True, check=True).stderr.split()[-1]
        if name == "glslang":
            return re.search(r"Version: \d+:([\d.]+)", call([*command, "--version"])).group(1)
        return call([*command, "--version"]).split()[-1]

    def place(self, suffix):
        """A new path for a file that lives as long as this object."""
        return Path(self.scratch.name) / f"{next(self.numbers)}{suffix}"

    def write(self, text, suffix):
        path = self.place(suffix)
        path.write_text(text, encoding="utf-8")
        return path

    def dxil(self, source, flags, entry="main"):
        """DXC's listing."""
        return self.dxc.run([*flags, "-E", entry, str(self.write(source, ".hlsl"))])

    def dxc_spirv(self, source, flags, entry="main"):
        """DXC's module, without DXC's validation, which refuses some layouts that DXC makes on purpose."""
        module = self.place(".spv")
        path = self.write(source, ".hlsl")
        self.dxc.run(["-spirv", "-Vd", *flags, "-E", entry, "-Fo", str(module), str(path)])
        return module.read_bytes()

    def slang_reflection(self, source, flags):
        """The text of Slang's reflection."""
        answer = self.place(".json")
        path = self.write(source, ".slang")
        call([*self.slang, str(path), *flags, "-no-codegen", "-reflection-json", str(answer)])
        return answer.read_text(encoding="utf-8")

    def slang_spirv(self, source, flags):
        """slangc's module, without optimisation, which needs a library that its packages omit."""
        module = self.place(".spv")
        call([*self.slang, str(self.write(source, ".slang")), *flags, "-O0", "-o", str(module)])
        return module.read_bytes()

    def slang_program(self, source, flags, read):
        """The result of `read` for the reflection of Slang's library, which is next to slangc."""
        with self.lock:
            if self.library is None:
                found = sorted(Path(self.slang[0]).resolve().parent.glob("**/libslang-compiler.so*"))
                if not found:
                    raise Unsupported("there is no libslang-compiler.so next to slangc")
                self.library = Library(found[0])
        return self.library.program([str(self.write(source, ".slang")), *flags], read)

    def glslang_spirv(self, source, stage="comp"):
        module = self.place(".spv")
        path = self.write(source, f".{stage}")
        call([*self.glslang, "-V", "--target-env", "vulkan1.2", "-S", stage, "-o", str(module), str(path)])
        return module.read_bytes()

    def naga_spirv(self, source):
        module = self.place(".spv")
        call([*self.naga, str(self.write(source, ".wgsl")), str(module)])
        return module.read_bytes()


class LibraryDxc:
    """DXC as a library, driven by a program of this workspace."""

    def __init__(self, command):
        self.command = command

    def version(self):
        """The release as cases write it."""
        count = re.search(r"\((\d+),", call([*self.command, "--version"])).group(1)
        return DXC_RELEASES.get(count, f"commit {count}")

    def run(self, arguments):
        """The listing of a source that must be accepted."""
        return call([*self.command, *arguments])


def built(command):
    """The command that starts this command of the workspace's newest program, or None if none is built."""
    folder = ROOT / os.environ.get("CARGO_TARGET_DIR", "target")
    programs = [folder / profile / "layoutproof" for profile in ("debug", "release")]
    there = [program for program in programs if program.exists()]
    return [str(max(there, key=lambda program: program.stat().st_mtime)), command] if there else None


def is_within(release, bounds):
    """True if a dotted release is within bounds such as `>= 1.8.2405, < 1.9`."""
    numbers = tuple(int(part) for part in (release or "").split(".") if part.isdigit())
    compare = {">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt, "=": operator.eq}
    found = [re.fullmatch(r"(>=|<=|>|<|=)\s*([\d.]+)", bound.strip()).groups() for bound in bounds.split(",")]
    return bool(numbers) and all(compare[sign](numbers, tuple(map(int, to.split(".")))) for sign, to in found)


def which(name):
    found = shutil.which(name)
    return [found] if found else None


def call(command):
    """stdout of a command that must succeed."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    if done.returncode != 0:
        said = (done.stderr + done.stdout).strip().splitlines() or [f"ended with {done.returncode}"]
        raise Refused(first_error(said))
    return done.stdout
