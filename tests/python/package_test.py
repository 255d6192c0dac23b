"""The package as it is installed: a wheel made without network, in an environment of its own, and the example."""

import importlib.metadata
import importlib.util
import os
import subprocess
import sys
import unittest
import venv
import zipfile

import kvantage
from support import Folder, ROOT, real_program

PACKAGE = ROOT / "app" / "python"


def wheels_can_be_made():
    """setuptools makes wheels by itself from 70.1 on, before with the package wheel."""
    if not all(importlib.util.find_spec(name) for name in ("pip", "setuptools")):
        return False
    version = importlib.metadata.version("setuptools")
    return importlib.util.find_spec("wheel") is not None or tuple(map(int, version.split(".")[:2])) >= (70, 1)


class Package(Folder):
    @unittest.skipUnless(wheels_can_be_made(), "pip, setuptools or wheel is not installed")
    def test_a_wheel_is_made_and_installed_without_network(self):
        source = self.folder / "source"  # a build leaves folders in it
        subprocess.run(["cp", "-r", str(PACKAGE), str(source)], check=True)
        clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        made = subprocess.run(
            [sys.executable, "-m", "pip", "wheel", "--no-index", "--no-build-isolation", "--no-deps", "--quiet"]
            + ["--wheel-dir", str(self.folder), str(source)],
            env=clean,
            capture_output=True,
            text=True,
        )
        self.assertEqual(made.returncode, 0, made.stderr)
        (wheel,) = self.folder.glob("*.whl")
        self.assertEqual(wheel.name, f"kvantage-{kvantage.__version__}-py3-none-any.whl")
        with zipfile.ZipFile(wheel) as archive:
            names = archive.namelist()
            metadata = archive.read(f"kvantage-{kvantage.__version__}.dist-info/METADATA").decode()
        modules = {f"kvantage/{path.name}" for path in (PACKAGE / "kvantage").iterdir() if path.is_file()}
        self.assertEqual({name for name in names if name.startswith("kvantage/")}, modules)
        self.assertIn("kvantage/py.typed", names)
        self.assertIn("\nLicense: GPL-3.0-only\n", metadata)
        self.assertNotIn("\nRequires-Dist: pandas\n", metadata)  # extras alone
        self.assertIn('extra == "pandas"', metadata.replace("'", '"'))
        environment = self.folder / "environment"
        venv.create(environment, with_pip=False)
        python = environment / "bin" / "python"
        subprocess.run(
            [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-index", "--quiet", str(wheel)],
            env=clean,
            check=True,
        )
        said = subprocess.run(
            [str(python), "-c", "import kvantage; print(kvantage.__version__, kvantage.__file__)"],
            env=clean,
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        self.assertTrue(said.startswith(f"{kvantage.__version__} {environment}"), said)

    def test_the_license_is_the_project_s(self):
        self.assertIn('license = {text = "GPL-3.0-only"}', (PACKAGE / "pyproject.toml").read_text())
        self.assertIn("license: GPL-3.0-only", (ROOT / "CITATION.cff").read_text())

    def test_every_public_name_is_documented(self):
        for name in kvantage.__all__:
            one = getattr(kvantage, name)
            if name != "__version__":
                self.assertTrue((one.__doc__ or "").strip(), name)
        page = (ROOT / "docs" / "python.md").read_text()
        for name in ("run", "sweep", "profile", "plan", "simulate", "runs", "read_run", "decisions", "events"):
            self.assertIn(f"`{name}(", page, name)

    def test_the_example(self):
        program = real_program()
        ended = subprocess.run(
            [sys.executable, str(PACKAGE / "examples" / "frontier.py")],
            env={**os.environ, "KVANTAGE_CLI": program, "TMPDIR": str(self.folder)},
            capture_output=True,
            text=True,
        )
        self.assertEqual(ended.returncode, 0, ended.stderr[-2000:])
        rows = [line.split() for line in ended.stdout.splitlines() if line.startswith(("lru ", "evicpress "))]
        served = [row for row in rows if row[0] == "lru" or len(row) >= 7]
        self.assertGreaterEqual(len(served), 4, ended.stdout)
        self.assertEqual(list(self.folder.glob("kvantage-example-*")), [])  # it removes its folder


if __name__ == "__main__":
    unittest.main()
