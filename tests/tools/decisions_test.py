"""Every record of docs/decisions stands in its index once, with a date and a status that can be followed; its
story, where it has one, in docs/notebook; and the tests that hold its rules exist."""
import re
import tempfile
import unittest
from pathlib import Path

from repository import ROOT

ROW = re.compile(r"^\| \[(\d{4})\]\(([^)]+)\) \| ([^|]+) \| (\d{4}-\d{2}-\d{2}) \| ([^|]+) \|$")
STATUS = re.compile(r"^(in force|measured|(in force, changed|replaced) by (\d{4}(, \d{4})*))$")
MOST_LINES = 125  # of a record; what is longer tells a story, which has a page of docs/notebook
NAMED_TEST = re.compile(r"`([A-Z]\w+)\.(\*|[A-Z]\w+)`")
WRITTEN_TEST = re.compile(r"\b(?:TEST(?:_[FP])?|RC_GTEST(?:_FIXTURE)?_PROP)\(\s*(\w+)\s*,\s*(\w+)")


def problems_of(folder):
    """What is wrong with the index README.md of a folder of records; an empty list when nothing is."""
    records = sorted(path.name for path in folder.glob("[0-9]*.md"))
    numbers = [name[:4] for name in records]
    problems = [f"the number {n} is used twice" for n in sorted(set(numbers)) if numbers.count(n) > 1]
    listed = []
    for line in (folder / "README.md").read_text().splitlines():
        if not line.startswith("| ["):
            continue
        row = ROW.match(line)
        if not row:
            problems.append(f"not a row of number, words, date and status: {line}")
            continue
        number, file, _, _, status = row.groups()
        listed.append(file)
        if not file.startswith(number + "-") or file not in records:
            problems.append(f"{number} links to {file}, which is not its record")
        if not STATUS.match(status):
            problems.append(f"{number} has the status '{status}', which the page does not explain")
        later = re.findall(r"\d{4}", status)
        problems += [f"{number} names {n}, which is no later record" for n in later
                     if n not in numbers or n <= number]
    problems += [f"{name} is listed {listed.count(name)} times"
                 for name in records if listed.count(name) != 1]
    if listed != sorted(listed):
        problems.append("the rows are not in the order of their numbers")
    return problems


def notebook_problems(docs):
    """What is wrong between docs/decisions and docs/notebook: long records, pages that nothing links."""
    records, stories = docs / "decisions", docs / "notebook"
    problems = [f"{path.name} has more than {MOST_LINES} lines: its story belongs to docs/notebook"
                for path in sorted(records.glob("[0-9]*.md")) if path.read_text().count("\n") > MOST_LINES]
    index = (stories / "README.md").read_text()
    for page in sorted(stories.glob("[0-9]*.md")):
        record = records / page.name
        if not record.exists():
            problems.append(f"notebook/{page.name} is of no record")
            continue
        if f"(../notebook/{page.name})" not in record.read_text():
            problems.append(f"{record.name} does not link to its notebook")
        if f"(../decisions/{page.name})" not in page.read_text():
            problems.append(f"notebook/{page.name} does not link to its record")
        if f"({page.name})" not in index:
            problems.append(f"notebook/{page.name} is not listed")
    return problems


def written_tests(root):
    """{suite: names} of all tests in C++."""
    found = {}
    for folder in ("src", "tests"):
        for path in (root / folder).rglob("*.cpp"):
            for suite, name in WRITTEN_TEST.findall(path.read_text()):
                found.setdefault(suite, set()).add(name)
    return found


def missing_tests(text, tests):
    """Tests that a record names and that are not there; `Suite.*` is any of a suite."""
    return [f"{suite}.{name}" for suite, name in NAMED_TEST.findall(text)
            if suite not in tests or name not in ("*", *tests[suite])]


def row_of(number, status="in force", date="2026-01-02"):
    return f"| [{number}]({number}-a.md) | words | {date} | {status} |\n"


class Decisions(unittest.TestCase):
    def problems(self, index, *names):
        with tempfile.TemporaryDirectory() as folder:
            for name in names:
                (Path(folder) / name).write_text("# x\n")
            (Path(folder) / "README.md").write_text(index)
            return " ".join(problems_of(Path(folder)))

    def test_the_index_lists_every_record(self):
        self.assertEqual(problems_of(ROOT / "docs" / "decisions"), [])

    def test_a_record_that_is_missing_or_listed_twice_is_found(self):
        self.assertIn("0002-a.md is listed 0 times", self.problems(row_of("0001"), "0001-a.md", "0002-a.md"))
        self.assertIn("listed 2 times", self.problems(row_of("0001") * 2, "0001-a.md"))
        self.assertIn("not its record", self.problems(row_of("0001"), "0001-b.md"))

    def test_a_number_used_twice_is_found(self):
        self.assertIn("0001 is used twice", self.problems(row_of("0001"), "0001-a.md", "0001-b.md"))

    def test_a_status_that_leads_nowhere_is_found(self):
        both = ("0001-a.md", "0002-a.md")
        good = row_of("0001", "in force, changed by 0002") + row_of("0002")
        self.assertEqual(self.problems(good, *both), "")
        self.assertIn("no later record", self.problems(good.replace("by 0002", "by 0007"), *both))
        self.assertIn("does not explain", self.problems(good.replace("in force |", "fine |"), *both))
        self.assertIn("not a row", self.problems(row_of("0001", date="soon"), "0001-a.md"))
        self.assertIn("order", self.problems(row_of("0002") + row_of("0001"), *both))

    def test_stories_stand_in_the_notebook(self):
        self.assertEqual(notebook_problems(ROOT / "docs"), [])

    def test_a_story_without_links_or_a_long_record_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            docs = Path(folder)
            for name, text in (("decisions/0001-a.md", "[story](../notebook/0001-a.md)\n"),
                               ("notebook/0001-a.md", "[rule](../decisions/0001-a.md)\n"),
                               ("notebook/README.md", "[0001](0001-a.md)\n")):
                (docs / name).parent.mkdir(exist_ok=True)
                (docs / name).write_text(text)
            self.assertEqual(notebook_problems(docs), [])
            for name, said in (("decisions/0001-a.md", "does not link to its notebook"),
                               ("notebook/0001-a.md", "does not link to its record"),
                               ("notebook/README.md", "is not listed")):
                kept = (docs / name).read_text()
                (docs / name).write_text("nothing\n")
                self.assertIn(said, " ".join(notebook_problems(docs)))
                (docs / name).write_text(kept)
            (docs / "decisions/0002-b.md").write_text("line\n" * (MOST_LINES + 1))
            (docs / "notebook/0003-c.md").write_text("x\n")
            said = " ".join(notebook_problems(docs))
            self.assertIn("0002-b.md has more than", said)
            self.assertIn("0003-c.md is of no record", said)

    def test_rules_name_tests_that_exist(self):
        tests = written_tests(ROOT)
        for page in sorted((ROOT / "docs" / "notebook").glob("[0-9]*.md")):
            record = ROOT / "docs" / "decisions" / page.name
            self.assertEqual(missing_tests(record.read_text(), tests), [], record.name)

    def test_a_test_that_is_gone_is_found(self):
        tests = {"Csv": {"ReadsRows"}}
        self.assertEqual(missing_tests("`Csv.ReadsRows` and `Csv.*`", tests), [])
        self.assertEqual(missing_tests("`Csv.ReadsAll` `Tsv.*`", tests), ["Csv.ReadsAll", "Tsv.*"])


if __name__ == "__main__":
    unittest.main()
