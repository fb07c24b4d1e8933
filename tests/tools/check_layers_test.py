"""tools/check_layers passes on a clean tree and fails on each kind of broken one."""
import json
import unittest

from repository import LAYERS, ToolTest

CLEAN = {
    "src/warploom/base/CMakeLists.txt": "warploom_module(NAME base PRIVATE fmt::fmt)\n",
    "src/warploom/base/a.h": "#include <string>\n",
    "src/warploom/base/internal/json_detail.h": "#include <nlohmann/json.hpp>\n",
    "src/warploom/kernels/CMakeLists.txt": "warploom_module(NAME kernels\n  DEPENDS base\n  PRIVATE x)\n",
    "src/warploom/kernels/k.h": '#include "warploom/base/a.h"\n#include <nlohmann/json_fwd.hpp>\n',
    "src/warploom/kernels/k.cpp": '#include <nlohmann/json.hpp>\n#include "warploom/kernels/k.h"\n',
    "src/warploom/kernels/store.h": "#pragma once\n",
}


class CheckLayers(ToolTest):
    tool = "check_layers"

    def broken(self, name, text):
        return {**CLEAN, name: text}

    def test_passes_a_clean_tree(self):
        self.assert_passes(CLEAN)

    def test_refuses_an_include_upwards(self):
        self.assert_fails(self.broken("src/warploom/base/b.cpp", '#include "warploom/kernels/k.h"\n'),
                          "'base' may not include 'kernels'")

    def test_refuses_an_include_that_depends_does_not_declare(self):
        files = self.broken("src/warploom/kernels/CMakeLists.txt", "warploom_module(NAME kernels)\n")
        self.assert_fails(files, "DEPENDS of 'kernels' lack 'base'")

    def test_refuses_a_declared_dependency_outside_the_table(self):
        files = self.broken("src/warploom/base/CMakeLists.txt",
                            "warploom_module(NAME base DEPENDS kernels)\n")
        self.assert_fails(files, "'base' declares DEPENDS kernels")
        self.assert_fails(files, "modules depend on each other")

    def test_refuses_an_unknown_module(self):
        files = self.broken("src/warploom/extra/CMakeLists.txt", "warploom_module(NAME extra)\n")
        self.assert_fails(files, "'extra' is not in tools/layers.json")

    def test_refuses_a_heavy_header_in_a_public_header(self):
        self.assert_fails(self.broken("src/warploom/base/b.h", "#include <sqlite3.h>\n"), "heavy <sqlite3.h>")
        self.assert_fails(self.broken("src/warploom/base/b.h", "#  include <nlohmann/json.hpp>\n"), "heavy")

    def test_refuses_an_internal_header_of_another_module(self):
        text = '#include "warploom/base/internal/json_detail.h"\n'
        self.assert_fails(self.broken("src/warploom/kernels/x.cpp", text), "internal to 'base'")

    def test_refuses_what_judges_in_the_product(self):
        table = {**LAYERS, "modules": {**LAYERS["modules"], "judge": ["base"]}, "judging": ["judge"]}
        judge = {**CLEAN, "tools/layers.json": json.dumps(table),
                 "src/warploom/judge/CMakeLists.txt": "warploom_module(NAME judge DEPENDS base)\n"}
        self.assert_passes(judge)
        self.assert_fails({**judge, "src/warploom/base/CMakeLists.txt":
                           "warploom_module(NAME base PRIVATE fmt::fmt warploom_judge)\n"},
                          "base/CMakeLists.txt: links warploom_judge")
        self.assert_fails({**judge, "src/warploom/base/CMakeLists.txt":
                           "warploom_module(NAME base TEST_PRIVATE warploom_judging)\n"
                           "target_link_libraries(warploom_base PRIVATE warploom_judging)\n"},
                          "base/CMakeLists.txt: links warploom_judging")
        self.assert_passes({**judge, "src/warploom/base/CMakeLists.txt":
                            "warploom_module(NAME base PRIVATE fmt::fmt TEST_PRIVATE warploom_judging)\n"})
        table["modules"]["kernels"] = ["base", "judge"]
        self.assert_fails({**judge, "tools/layers.json": json.dumps(table)},
                          "lets 'kernels' include 'judge'")

    def test_refuses_a_restricted_header_outside_its_owners_and_tests(self):
        app = {**CLEAN, "src/warploom/app/CMakeLists.txt": "warploom_module(NAME app DEPENDS kernels base)\n"}
        text = '#include "warploom/kernels/store.h"\n'
        self.assert_fails({**app, "src/warploom/app/x.cpp": text}, "only kernels may open")
        self.assert_passes({**app, "src/warploom/app/x_test.cpp": text})

    def test_refuses_headers_that_include_each_other(self):
        files = {**CLEAN, "src/warploom/base/x.h": '#include "warploom/base/y.h"\n',
                 "src/warploom/base/y.h": '#include "warploom/base/x.h"\n'}
        self.assert_fails(files, "files include each other: base/x -> base/y -> base/x")

    def test_refuses_a_cycle_that_a_source_closes(self):
        files = {**CLEAN, "src/warploom/base/list.h": "#pragma once\n",
                 "src/warploom/base/list.cpp": '#include "warploom/base/list.h"\n'
                                               '#include "warploom/base/one.h"\n',
                 "src/warploom/base/one.h": '#include "warploom/base/two.h"\n',
                 "src/warploom/base/two.cpp": '#include "warploom/base/list.h"\n'}
        self.assert_fails(files, "files include each other: base/list -> base/one -> base/two -> base/list")

    def test_names_every_cycle(self):
        files = dict(CLEAN)
        for a, b in (("p", "q"), ("r", "s")):
            files[f"src/warploom/base/{a}.h"] = f'#include "warploom/base/{b}.h"\n'
            files[f"src/warploom/base/{b}.cpp"] = f'#include "warploom/base/{a}.h"\n'
        self.assert_fails(files, "base/p -> base/q -> base/p")
        self.assert_fails(files, "base/r -> base/s -> base/r")

    def test_lets_a_test_include_what_it_tests(self):
        files = {**CLEAN, "src/warploom/base/b.h": "#pragma once\n",
                 "src/warploom/base/b_test.cpp": '#include "warploom/base/b.h"\n'
                                                 '#include "warploom/base/drawn_test.h"\n',
                 "src/warploom/base/drawn_test.h": '#include "warploom/base/b.h"\n'}
        self.assert_passes(files)


# A module with two rooms, a plain record that both use and a door above both.
HOUSE = {
    **CLEAN,
    "tools/layers.json": json.dumps({**LAYERS, "rooms": {"base": ["internal"], "kernels": ["low", "high"]}}),
    "src/warploom/kernels/record.h": "#pragma once\n",
    "src/warploom/kernels/low/l.h": '#include "warploom/kernels/record.h"\n',
    "src/warploom/kernels/high/h.h": '#include "warploom/kernels/low/l.h"\n',
    "src/warploom/kernels/door.h": "#pragma once\n",
    "src/warploom/kernels/door.cpp": '#include "warploom/kernels/high/h.h"\n',
}


class CheckRooms(ToolTest):
    tool = "check_layers"

    def test_passes_rooms_in_order(self):
        self.assert_passes(HOUSE)

    def test_refuses_an_include_of_a_room_above(self):
        files = {**HOUSE, "src/warploom/kernels/low/x.cpp": '#include "warploom/kernels/high/h.h"\n'}
        self.assert_fails(files, "kernels/low/x.cpp: room 'low' may not include kernels/high/h.h, "
                                 "of room 'high' above it")

    def test_lets_a_test_look_into_a_room_above(self):
        self.assert_passes({**HOUSE, "src/warploom/kernels/low/x_test.cpp":
                            '#include "warploom/kernels/high/h.h"\n'})

    def test_refuses_a_way_upwards_through_the_root(self):
        files = {**HOUSE, "src/warploom/kernels/low/x.h": '#include "warploom/kernels/hall.h"\n',
                 "src/warploom/kernels/hall.h": '#include "warploom/kernels/door.h"\n'}
        self.assert_fails(files, "room 'low' may not include kernels/hall.h, which reaches room 'high'")

    def test_refuses_a_folder_that_is_not_in_the_table(self):
        files = {**HOUSE, "src/warploom/kernels/cellar/c.h": "#pragma once\n"}
        self.assert_fails(files, "room 'cellar' of 'kernels' is not in tools/layers.json")

    def test_refuses_a_room_that_is_no_folder(self):
        files = {name: text for name, text in HOUSE.items() if "/high/" not in name}
        files["src/warploom/kernels/door.cpp"] = ""
        self.assert_fails(files, "names room 'high' of 'kernels', which is no folder")


if __name__ == "__main__":
    unittest.main()
