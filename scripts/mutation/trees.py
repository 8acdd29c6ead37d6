"""Builds the library and its tests once, then a mutant by what differs: one object and one link."""

import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

LEFT_OUT = {"build", "__pycache__"}
WITHOUT_CODE = {"apps", "docs"}  # not part of the digest
LIBRARY = "libswitchyard.so"


class BuildError(Exception):
    pass


class Base:
    """The tree without a mutant: sources copied to `folder`/tree, built in `folder`/build."""

    def __init__(self, root, folder, programs, options):
        self.root = Path(root)
        self.folder = Path(folder)
        self.tree = self.folder / "tree"
        self.build = self.folder / "build"
        self.programs = programs  # names such as "core", for tests/*/test_core
        self.options = options

    def copy_sources(self):
        """Writes only what differs, so that little is built again. Gives a digest of the code."""
        digest = hashlib.sha256()
        wanted = set()
        for path in sorted(_files(self.root)):
            name = path.relative_to(self.root)
            wanted.add(name)
            text = path.read_bytes()
            if name.parts[0] not in WITHOUT_CODE and path.suffix != ".md":
                digest.update(str(name).encode() + b"\0" + hashlib.sha256(text).digest())
            copy = self.tree / name
            if copy.is_file() and copy.read_bytes() == text:
                continue
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)
            os.utime(copy)
        for path in list(_files(self.tree)):
            if path.relative_to(self.tree) not in wanted:
                path.unlink()
        return digest.hexdigest()[:16]

    def make(self, jobs):
        launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
        configure = ["cmake", "-S", str(self.tree), "-B", str(self.build), "-G", "Ninja"]
        configure += ["-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG"]
        configure += ["-DSWITCHYARD_BUILD_TESTS=ON", "-DSWITCHYARD_BUILD_APPS=OFF"]
        configure += ["-DSWITCHYARD_WERROR=OFF", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", "-Wno-dev"]
        self._run(configure + launcher + self.options)
        known = self._run(["ninja", "-C", str(self.build), "-t", "targets", "all"])
        there = set(re.findall(r"^(test_\w+): phony", known, re.MULTILINE))
        self.programs = [name for name in self.programs if f"test_{name}" in there]
        targets = [f"test_{name}" for name in self.programs]
        self._run(["ninja", "-C", str(self.build), f"-j{jobs}", "switchyard"] + targets)
        self._read_commands()

    def _run(self, command):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            raise BuildError(shlex.join(command) + "\n" + done.stdout[-6000:])
        return done.stdout

    def _read_commands(self):
        self.compile = {}  # object: (source, words of the command)
        for entry in json.loads((self.build / "compile_commands.json").read_text()):
            words = shlex.split(entry["command"])
            if words[0].endswith("ccache"):
                words = words[1:]
            self.compile[words[words.index("-o") + 1]] = (entry["file"], words)
        self.links = {LIBRARY: self._link_of(LIBRARY)}
        for name in self.programs:
            self.links[name] = self._link_of(f"test_{name}")
        objects = {each for words in self.links.values() for each in words if each in self.compile}
        self.users = {}  # source or header in the tree: objects
        for name, files in self._dependencies().items():
            for file in files if name in objects else ():
                self.users.setdefault(file, set()).add(name)

    def _link_of(self, target):
        commands = self._run(["ninja", "-C", str(self.build), "-t", "commands", target])
        for line in reversed(commands.splitlines()):
            found = re.search(r": && (\S*(?:\+\+|g\+\+\S*|clang\S*) .*? -o (\S+) .*?) &&", line)
            if found and Path(found.group(2)).name.startswith(target):
                return shlex.split(found.group(1))
        raise BuildError(f"ninja does not say how {target} is linked")

    def _dependencies(self):
        found = {}
        current = None
        for line in self._run(["ninja", "-C", str(self.build), "-t", "deps"]).splitlines():
            if line and not line.startswith(" "):
                current = found.setdefault(line.split(":")[0], set())
            elif line.strip():
                path = os.path.normpath(os.path.join(self.build, line.strip()))
                if path.startswith(str(self.tree) + "/"):
                    current.add(os.path.relpath(path, self.tree))
        return found

    def program(self, name):
        words = self.links[name]
        return self.build / words[words.index("-o") + 1]


class Copy:
    """One worker's sources and what it builds of them."""

    def __init__(self, base, folder):
        self.base = base
        self.folder = Path(folder)
        self.tree = self.folder / "tree"
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(base.tree, self.tree)
        self.output = self.folder / "output"

    def make(self, mutant):
        """Builds with `mutant` what it is in. False where it does not compile."""
        place = self.tree / mutant.file
        shutil.rmtree(self.output, ignore_errors=True)
        self.output.mkdir()
        text = (self.base.tree / mutant.file).read_text()
        place.write_text(text[: mutant.start] + mutant.put + text[mutant.end :])
        self.programs = {name: self.base.program(name) for name in self.base.programs}
        try:
            return self._compile_and_link(sorted(self.base.users.get(mutant.file, ())))
        finally:
            place.write_text(text)

    def _compile_and_link(self, objects):
        renewed = {}
        for number, name in enumerate(objects):
            renewed[name] = str(self.output / f"{number}.o")
            if not self._run(self._compile_command(name, renewed[name])):
                return False
        for target, words in self.base.links.items():
            if not any(word in renewed for word in words):
                continue
            if not self._run(self._link_command(target, words, renewed)):
                return False
        return True

    def _compile_command(self, name, output):
        _, words = self.base.compile[name]
        words = [word.replace(str(self.base.tree), str(self.tree)) for word in words]
        words[words.index("-o") + 1] = output
        return words + ["-w"]

    def _link_command(self, target, words, renewed):
        words = [renewed.get(word, word) for word in words]
        output = str(self.output / f"test_{target}")
        if target == LIBRARY:
            soname = [word for word in words if "-soname," in word][0].split("-soname,")[1]
            output = str(self.output / soname)
        else:
            self.programs[target] = Path(output)
        words[words.index("-o") + 1] = output
        return words

    def _run(self, command):
        done = subprocess.run(
            command,
            cwd=self.base.build,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.problem = done.stderr[-2000:]
        return done.returncode == 0


def _files(root):
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name not in LEFT_OUT and name[0] != "."]
        for name in files:
            yield Path(folder) / name
