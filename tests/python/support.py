"""What tests of the package share: the program of the build, a tiny workload, and programs that answer wrongly."""

import json
import os
import shutil
import stat
import tempfile
import unittest
from pathlib import Path

import kvantage

ROOT = Path(__file__).resolve().parents[2]


def option(name, takes_value):
    """As `help COMMAND --json` describes one."""
    described = {
        "name": name,
        "positional": not name.startswith("-"),
        "required": False,
        "repeatable": False,
        "description": "",
    }
    return {**described, "value": "TEXT"} if takes_value else described


HELP = {"options": [option("WORKLOAD", True), option("--policy", True), option("--json", False),
                    option("--progress", True)]}


def real_program():
    """The kvantage-cli that the build made; the test is skipped where there is none."""
    path = os.environ.get("KVANTAGE_CLI")
    if not path or not Path(path).exists():
        raise unittest.SkipTest("KVANTAGE_CLI names no program")
    return path


class Folder(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="kvantage-test-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def stand_in(self, body, version=kvantage.__version__):
        """A program in place of kvantage-cli: a shell script whose commands but help run `body`."""
        (self.folder / "help.json").write_text(json.dumps(HELP))
        path = self.folder / "kvantage-cli"
        path.write_text(
            "#!/bin/sh\n"
            f'case "$1" in\n'
            f'--version) echo "KVantage {version}, commit 0" ;;\n'
            f"help) cat '{self.folder}/help.json' ;;\n"
            f"*)\n{body}\n;;\nesac\n"
        )
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return kvantage.Program(path)


def facts(count):
    """A text of facts, one sentence each."""
    names = ["Ada Holt", "Ben Moss", "Cora Lane", "Dan York", "Eve Shaw", "Finn Drake"]
    return " ".join(f"The badge of {names[i % 6]} {i} is {1000 + 37 * i} ." for i in range(count)) + "\n"
