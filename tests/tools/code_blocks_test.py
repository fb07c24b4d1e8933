"""Code blocks of the documents are what the program takes: each command and option that a block names exists,
blocks that take a moment run, plans begin, files in YAML are read, the page answers what is asked of it, and
Python runs where its compiled part is built."""

import importlib.util
import json
import os
import re
import shlex
import shutil
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
QUICK = (  # a second or two each
    *("predict", "step", "static", "gpus", "gpu", "models", "schema"),
    *("simulate", "diagnose", "prices", "support", "plan"),
)
# What needs files of another block or of shared data, and a million requests.
NOT_RUN = re.compile(r"calibrated|\$|\.csv|\.json|--table|\.\.\.|FILE|1000000")
NOTHING_FOUND = "no deployment that meets the limits was found"
TRACE = "arrived_at,num_prefill_tokens,num_decode_tokens\n0.0,200,20\n0.5,300,30\n"


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
            if words[0] not in QUICK or NOT_RUN.search(line):
                continue
            if words[0] == "plan":  # what is refused is refused before the search
                words += ["--time-limit", "0.5"]
            with tempfile.TemporaryDirectory() as folder:
                done = run(*self.written_into(folder, words))
            with self.subTest(f"{document}: {line}"):
                if done.returncode != 1 or NOTHING_FOUND not in done.stderr:
                    self.assertEqual(done.returncode, 0, done.stderr)
            ran += 1
        self.assertGreaterEqual(ran, 12)

    @staticmethod
    def written_into(folder, words):
        """The words, with what they write put into the folder."""
        words = list(words)
        for option in ("--html", "--svg", "--output"):
            if option in words:
                at = words.index(option) + 1
                if words[at].isdigit():  # tokens of each request
                    continue
                words[at] = str(Path(folder) / words[at])
        return words

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
                if done.returncode != 1 or NOTHING_FOUND not in done.stderr:
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

    @unittest.skipUnless(importlib.util.find_spec("warploom"), "the compiled part is not built")
    def test_python_runs(self):
        ran = 0
        for document, block in blocks("python"):
            if document == SIGNATURES:
                continue
            if not importlib.util.find_spec("pandas"):
                block = block.replace(".to_pandas()", ".to_dict()")
            done = subprocess.run(
                [sys.executable, "-c", block], capture_output=True, text=True, check=False, timeout=120
            )
            self.assertEqual(done.returncode, 0, f"{document}\n{block}\n{done.stderr}")
            ran += 1
        self.assertGreater(ran, 0)


@unittest.skipUnless(shutil.which("curl") and shutil.which("jq"), "curl or jq is not installed")
class Page(unittest.TestCase):
    """What docs/web.md asks of a server, as a shell asks it."""

    def setUp(self):
        words = [PROGRAM, "web", "--port", "0", "--no-browser", "--json", "--time-limit", "600"]
        self.server = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        said = ""
        while not said.rstrip().endswith("}"):
            line = self.server.stdout.readline()
            if not line:
                self.fail(f"the server ended: {said}")
            said += line
        self.port = json.loads(said)["port"]

    def tearDown(self):
        self.server.terminate()
        self.server.communicate()

    def test_each_request_is_answered(self):
        lines = []
        for document, block in blocks(""):
            if document == "docs/web.md" and "curl" in block:
                lines += block.replace("\\\n", " ").splitlines()
        asked = [line for line in lines if line]
        self.assertGreaterEqual(len(asked), 6)
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "trace.csv").write_text(TRACE)
            # A line that shows what was said comes before the next line's.
            script = "\n".join(f"{line}\necho; echo END" for line in asked)
            script = script.replace("localhost:8765", f"localhost:{self.port}")
            done = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", script],
                capture_output=True, text=True, check=False, cwd=folder, timeout=600,
            )
        self.assertEqual(done.returncode, 0, done.stderr)
        answers = done.stdout.split("END\n")[:-1]
        self.assertEqual(len(answers), len(asked))
        for line, answer in zip(asked, answers):
            self.assertNotIn('"error"', answer, line)
            self.assertNotIn("null", answer.split(), line)  # jq found no such key
            if not re.match(r"\w+=", line):
                self.assertGreater(len(answer.strip()), 10, line)


if __name__ == "__main__":
    sys.exit(unittest.main())
