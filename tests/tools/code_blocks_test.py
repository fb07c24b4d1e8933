"""Code blocks of the documents are what the program takes: each command and option that a block names exists,
blocks that take a moment run, and files in YAML are read."""

import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ["WARPLOOM_PROGRAM"]
IN_DOCS = sorted(f"docs/{each.name}" for each in (ROOT / "docs").glob("*.md"))
DOCUMENTS = ("README.md", "CONTRIBUTING.md", *IN_DOCS)
SIGNATURES = "docs/python_api.md"  # written by a tool; what stands in its blocks is no program
QUICK = ("predict", "step", "static", "gpus", "gpu", "models", "schema")  # below a second each
NEEDS_FILES = re.compile(r"calibrated|\$|\.csv|\.json|--table|\.\.\.")  # of another block or of shared data


def blocks(*languages):
    for document in DOCUMENTS:
        text = (ROOT / document).read_text()
        for found in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
            if found[1] in languages:
                yield document, found[2]


def commands():
    """Lines of shells that start the program, with the words behind it."""
    for document, block in blocks("", "sh", "bash", "console"):
        for line in block.replace("\\\n", " ").splitlines():
            line = re.sub(r"^(\$ )?(build/\w+/bin/)?", "", line)
            if line.startswith("warploom "):
                yield document, line, shlex.split(line, comments=True)[1:]


def run(*words, **more):
    return subprocess.run(
        [PROGRAM, *words], capture_output=True, text=True, check=False, cwd=ROOT, timeout=120, **more
    )


class Documents(unittest.TestCase):
    def test_there_are_commands_in_the_documents(self):
        self.assertGreater(len(list(commands())), 60)

    def test_every_command_and_option_exists(self):
        helps = {}
        for document, line, words in commands():
            names = []
            for word in words:
                if word.startswith("-") or word == "...":
                    break
                names.append(word)
            names = tuple(names[: 2 if words[0] in ("predict", "tune", "validate", "gpu") else 1])
            if names not in helps:
                shown = run(*names, "--help")
                if shown.returncode:  # the second word is an argument
                    shown = run(*names[:1], "--help")
                if "program warploom-judge alone" in shown.stderr:
                    continue  # it was not built
                self.assertEqual(shown.returncode, 0, f"{document}: {line}\n{shown.stderr}")
                helps[names] = shown.stdout
            for word in words:
                if word.startswith("--"):
                    option = word.split("=")[0]
                    self.assertRegex(helps[names], rf"{option}\b", f"{document}: {line}")

    def test_quick_commands_run(self):
        ran = 0
        for document, line, words in commands():
            if words[0] not in QUICK or NEEDS_FILES.search(line):
                continue
            done = run(*words)
            self.assertEqual(done.returncode, 0, f"{document}: {line}\n{done.stderr}")
            ran += 1
        self.assertGreater(ran, 0)

    def test_yaml_of_plans_is_read(self):
        seen = 0
        for document, block in blocks("yaml"):
            if "experiments:" not in block:
                continue
            seen += 1
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "plans.yaml"
                # What is refused is refused before the search, whose half a second may find nothing.
                path.write_text(re.sub(r"^defaults: \{", "defaults: {time_limit_s: 0.5, ", block, flags=re.M))
                done = run("plans", str(path))
                if done.returncode != 1 or "no deployment that meets the limits was found" not in done.stderr:
                    self.assertEqual(done.returncode, 0, f"{document}\n{block}\n{done.stderr}")
        self.assertGreater(seen, 0)

    def test_python_parses_and_names_what_exists(self):
        api = (ROOT / "tools/make_python_api").read_text()
        known = set(re.findall(r'^    "(\w+)": "\w+"', api, re.MULTILINE))  # its functions
        known |= set(re.findall(r'"(\w+)":', (ROOT / "python/warploom/__init__.py").read_text()))
        known |= {"autotune", "Tiling"}
        seen = 0
        for document, block in blocks("python"):
            if document == SIGNATURES:
                continue
            compile(block, document, "exec")
            for name in re.findall(r"\bwarploom\.([A-Za-z_]\w*)", block):
                seen += 1
                module = ROOT / "python/warploom" / name
                there = name in known or module.is_dir() or module.with_suffix(".py").exists()
                self.assertTrue(there, f"{document}: warploom.{name}")
        self.assertGreaterEqual(seen, 4)


if __name__ == "__main__":
    sys.exit(unittest.main())
