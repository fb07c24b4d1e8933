"""tools/check_engine_names passes where engines are asked and fails where code asks which engine it is."""
import json
import unittest

from repository import LAYERS, ToolTest

RULES = {**LAYERS, "engine_names": ["kernels/kernel_hints.h", "serving/engines/"], "engine_free": ["app"],
         "gpu_free": ["steps"]}
HINTS = """enum class Engine { Unknown, Loom };
template <>
struct EnumNames<Engine> {
  static constexpr std::array<std::pair<Engine, std::string_view>, 1> kNames{{{Engine::Loom, "loom"}}};
};
"""
CLEAN = {
    "tools/layers.json": json.dumps(RULES),
    "src/warploom/kernels/kernel_hints.h": HINTS,
    "src/warploom/kernels/tiles.cpp": "if (hints.engine == Engine::Loom) return 2;\n",
    "src/warploom/serving/engines/loom.cpp": 'constexpr std::string_view kName = "loom";\n',
    "src/warploom/app/run.cpp": 'const auto text = "a loom";  // not "loom"\n',
    "src/warploom/app/run_test.cpp": 'EXPECT_EQ(name, "loom");\n',
}


class CheckEngineNames(ToolTest):
    tool = "check_engine_names"

    def test_passes_names_where_they_belong(self):
        self.assert_passes(CLEAN)

    def test_refuses_a_name_elsewhere(self):
        text = 'if (config.engine == "loom") return 3;\n'
        self.assert_fails({**CLEAN, "src/warploom/app/x.cpp": text}, "app/x.cpp:1: holds the engine's name")

    def test_refuses_an_alternative_where_engines_are_asked(self):
        text = "\nreturn kind == Engine::Loom;\n"
        self.assert_fails({**CLEAN, "src/warploom/app/x.cpp": text}, "app/x.cpp:2: asks for Engine::Loom")

    def test_refuses_a_gpus_name_where_data_say_what_it_does(self):
        tree = {**CLEAN, "data/gpus/heddle.json": "{}", "src/warploom/app/y.cpp": 'gpu.name == "heddle"\n',
                "src/warploom/steps/x_test.cpp": 'gpu("heddle")\n'}
        self.assert_passes(tree)
        text = '\nif (gpu.name == "heddle") return 2;  // fitted there\n'
        self.assert_fails({**tree, "src/warploom/steps/x.cpp": text}, "steps/x.cpp:2: holds the GPU's name")

    def test_refuses_a_tree_without_names(self):
        self.assert_fails({**CLEAN, "src/warploom/kernels/kernel_hints.h": "\n"}, "no EnumNames<Engine>")


if __name__ == "__main__":
    unittest.main()
