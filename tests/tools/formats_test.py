"""docs/formats.md names every magic, version and schema that the sources and the shipped files have."""
import re
import struct
import unittest

from repository import ROOT

PAGE = (ROOT / "docs" / "formats.md").read_text()
ROW = re.compile(r"^\| [^|]*\| `(WL\w+)(?:\\n)?` \| ([\d.]+) \|", re.MULTILINE)
MAGIC = re.compile(r'"(WL[A-Z0-9]{5,6})(?:\\n)?"')
SCHEMA = re.compile(r'(?:"schema"\]? ?[,=:] ?|\.schema = |kSchema = |SCHEMA, VERSION = |check_schema\(\w+, )'
                    r'"(warploom[._]\w+)"')


def sources():
    for folder, suffixes in (("src/warploom", (".h", ".cpp")), ("python/warploom", (".py",))):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in suffixes and "_test" not in path.stem:
                yield path.read_text()


class Formats(unittest.TestCase):
    def test_every_magic_of_the_sources_is_explained(self):
        in_code = {magic for text in sources() for magic in MAGIC.findall(text)}
        self.assertGreaterEqual(len(in_code), 4)
        self.assertEqual(in_code - {magic for magic, _ in ROW.findall(PAGE)}, set())

    def test_every_schema_of_the_sources_and_the_data_is_explained(self):
        found = {schema for text in sources() for schema in SCHEMA.findall(text)}
        for path in sorted((ROOT / "data").rglob("*.json")):
            found.update(SCHEMA.findall(path.read_text()))
        self.assertGreaterEqual(len(found), 12)
        missing = {name for name in found if f"`{name}`" not in PAGE and f'"{name}"' not in PAGE}
        self.assertEqual(missing, set())

    def test_shipped_files_have_the_versions_of_the_page(self):
        versions, looked_at = dict(ROW.findall(PAGE)), 0
        for path in sorted((ROOT / "data").rglob("*.wl[ptqmc]")):
            magic, major, minor = struct.unpack_from("<8sII", path.read_bytes())
            stated = versions.get(magic.decode().strip(), "the page does not know it")
            self.assertIn(stated, (f"{major}.{minor}", str(major)), path)
            looked_at += 1
        self.assertGreater(looked_at, 20)

    def test_shipped_records_have_the_versions_of_the_page(self):
        row = re.compile(r"^\| `(warploom[._]\w+)` \| (\d+)[ |]", re.MULTILINE)
        stated, head = dict(row.findall(PAGE)), re.compile(r'"schema": "([\w.]+)",\s*"version": (\d+)')
        texts = [path.read_text() for path in sorted((ROOT / "data").rglob("*.json"))]
        found = {pair for text in texts for pair in head.findall(text)}
        self.assertGreater(len(found), 7)
        self.assertEqual({schema: version for schema, version in found},
                         {schema: stated.get(schema) for schema, _ in found})


if __name__ == "__main__":
    unittest.main()
