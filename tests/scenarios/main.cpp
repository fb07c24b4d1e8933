// GoogleTest's main with one flag of our own: --update rewrites the files of golden/.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i)
    if (std::string_view(argv[i]) == "--update") setenv("WARPLOOM_UPDATE_GOLDEN", "1", 1);
  return RUN_ALL_TESTS();
}
