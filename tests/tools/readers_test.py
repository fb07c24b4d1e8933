"""Every source that reads what others wrote is named in robustness/readers.json, with suites that damage it.

A new reader fails here until a test feeds it damaged input; what is linked in or written by the program
itself says so. The JSON library is called in one place, where depth and size are bounded.
"""

import json
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "src/warploom"
READS = re.compile(
    r"\b(parse_json|parse_body|json_or_text|json_object|read_json_file|read_yaml_file|parse_yaml"
    r"|parse_yaml_documents|parse_python_json|read_file)\(|\b(Json|json)::parse\(|\bstd::ifstream\b"
    r"|\bCsvReader \w+[(;]|\bsqlite3_open"
)
LIBRARY = re.compile(r"\b(Json|json)::parse\(|\b(Json|json)::sax_parse\(")
# Below its limits of text, and what the training library wrote.
OWN_CALLS = {"base/json_parser.cpp", "base/yaml.cpp", "learning/boosting.cpp"}
KINDS = ("shipped: ", "own: ")
DECLARED = {"base/file.h", "base/json.h", "base/json_or_text.h", "base/yaml.h", "models/hf/python_json.h",
            "web/served_requests.h"}  # fmt: skip
SUITE = re.compile(r"^(?:TEST|TEST_F|TEST_P|RC_GTEST_PROP)\((\w+),|^class (\w+)\(", re.M)


def code_of(path):
    return re.sub(r"//[^\n]*", "", path.read_text())


def sources():
    for path in [*SOURCES.rglob("*.cpp"), *SOURCES.rglob("*.h")]:
        if "_test." not in path.name:
            yield str(path.relative_to(SOURCES)), path


def readers(matching=READS):
    return {name for name, path in sources() if matching.search(code_of(path))}


def suites():
    found = set()
    places = [*SOURCES.rglob("*_test.cpp"), *(ROOT / "tests").rglob("*_test.*")]
    for path in [*places, *(ROOT / "python/tests").glob("*.py")]:
        found |= {one or other for one, other in SUITE.findall(path.read_text())}
    return found


class Readers(unittest.TestCase):
    def setUp(self):
        self.listed = json.loads((ROOT / "tests/robustness/readers.json").read_text())

    def test_each_is_listed_and_no_other(self):
        self.assertEqual(readers() - DECLARED, set(self.listed))

    def test_each_names_suites_that_there_are_or_why_none_is_needed(self):
        known = suites()
        for name, tested in self.listed.items():
            if isinstance(tested, str):
                self.assertTrue(tested.startswith(KINDS) and len(tested) > 12, f"{name}: {tested}")
            else:
                self.assertTrue(tested, name)
                self.assertEqual(set(tested) - known, set(), name)

    def test_the_json_library_parses_where_limits_are(self):
        self.assertEqual(readers(LIBRARY), OWN_CALLS)

    def test_a_source_that_reads_is_seen(self):
        for line in ("CsvReader csv(path);", "auto d = parse_json(text, where);", "std::ifstream in(path);"):
            self.assertTrue(READS.search(line), line)
        self.assertFalse(READS.search("already_read_file_of(path)"))


class Promises(unittest.TestCase):
    """docs/reliability.md names tests that there are."""

    NAMED = re.compile(r"`([a-z_]+|Program|Surfaces|Tools)\.(\w+)`")

    def unknown(self, text):
        cmake = (ROOT / "tests/CMakeLists.txt").read_text()
        tools = {path.name.removesuffix("_test.py") for path in (ROOT / "tests/tools").glob("*_test.py")}
        known, ours = suites(), set(re.findall(r"add_test\(NAME (\S+)", cmake))
        for module, name in self.NAMED.findall(text):
            if module in ("Program", "Surfaces"):
                found = f"{module}.{name}" in ours
            elif module == "Tools":
                found = name in tools
            else:
                found = name in known and (module == "robustness" or (SOURCES / module).is_dir())
            if not found and module != "program":  # whole commands have a program of tests of their own
                yield f"{module}.{name}"

    def test_each_test_exists(self):
        text = (ROOT / "docs/reliability.md").read_text()
        self.assertGreater(len(self.NAMED.findall(text)), 40)
        self.assertEqual(sorted(self.unknown(text)), [])

    def test_one_that_does_not_is_seen(self):
        text = "`base.Yaml`, `base.NoSuchSuite`, `Program.NoSuchTest`, `Tools.no_such_tool`"
        self.assertEqual(len(list(self.unknown(text))), 3)


if __name__ == "__main__":
    unittest.main()
