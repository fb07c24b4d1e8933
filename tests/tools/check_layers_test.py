"""tools/check_layers passes on a clean tree and fails on each kind of broken one."""
import unittest

from repository import ToolTest

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

    def test_refuses_a_restricted_header_outside_its_owners_and_tests(self):
        app = {**CLEAN, "src/warploom/app/CMakeLists.txt": "warploom_module(NAME app DEPENDS kernels base)\n"}
        text = '#include "warploom/kernels/store.h"\n'
        self.assert_fails({**app, "src/warploom/app/x.cpp": text}, "only kernels may open")
        self.assert_passes({**app, "src/warploom/app/x_test.cpp": text})

    def test_refuses_headers_that_include_each_other(self):
        files = {**CLEAN, "src/warploom/base/x.h": '#include "warploom/base/y.h"\n',
                 "src/warploom/base/y.h": '#include "warploom/base/x.h"\n'}
        self.assert_fails(files, "headers include each other")


if __name__ == "__main__":
    unittest.main()
