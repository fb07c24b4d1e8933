"""Every record of docs/decisions stands in its index once, with a date and a status that can be followed."""
import re
import tempfile
import unittest
from pathlib import Path

from repository import ROOT

ROW = re.compile(r"^\| \[(\d{4})\]\(([^)]+)\) \| ([^|]+) \| (\d{4}-\d{2}-\d{2}) \| ([^|]+) \|$")
STATUS = re.compile(r"^(in force|measured|(in force, changed|replaced) by (\d{4}(, \d{4})*))$")


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


if __name__ == "__main__":
    unittest.main()
