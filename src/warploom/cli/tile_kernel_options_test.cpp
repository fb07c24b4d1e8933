#include "warploom/cli/tile_kernel_options.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "warploom/base/error.h"
#include "warploom/cli/options.h"

namespace warploom {
namespace {

// The kernel of a command line, or what is said instead.
std::string said_of(TileKernelUse use, const std::string& line, TileKernel* kernel = nullptr) {
  CLI::App app;
  Command command(app);
  const auto options = add_tile_kernel_options(command, use);
  app.parse(line);
  try {
    const TileKernel read = tile_kernel_of(*options, use, "tune");
    if (kernel != nullptr) *kernel = read;
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

TEST(TileKernelOptions, OfAnotherKindAreRefusedWithTheKind) {
  for (const char* option : {"--experts 4", "--top-k 4"})
    EXPECT_NE(said_of(TileKernelUse::SecondRound, option)
                  .find("bears on --kind grouped_gemm, but the kind is gemm"),
              std::string::npos)
        << option;
  for (const char* option : {"--head-dim 64", "--head-group 4", "--causal", "--no-causal"})
    EXPECT_NE(said_of(TileKernelUse::Table, option).find("bears on --kind attention"), std::string::npos)
        << option;
  for (const char* option : {"--batch 2", "--b-along-n", "--group-rows 4"})
    EXPECT_NE(said_of(TileKernelUse::Learning, std::string("--kind attention ") + option)
                  .find("bears on --kind gemm, but the kind is attention"),
              std::string::npos)
        << option;
}

TEST(TileKernelOptions, OfTheirKindAreTaken) {
  TileKernel kernel;
  EXPECT_EQ(
      said_of(TileKernelUse::Table, "--kind grouped_gemm --experts 16 --top-k 2 --group-rows 4", &kernel),
      "");
  EXPECT_EQ(kernel.experts, 16);
  EXPECT_EQ(kernel.top_k, 2);
  EXPECT_EQ(kernel.group_rows, 4);
  EXPECT_EQ(said_of(TileKernelUse::Table, "--kind attention --causal --head-group 4 --rotation 1", &kernel),
            "");
  EXPECT_TRUE(kernel.causal);
}

TEST(TileKernelOptions, OfTheFitAreRefusedWhereNothingIsFitted) {
  for (const char* option : {"--rotation 1", "--output-bytes 4", "--group-rows 4",
                             "--kind attention --causal", "--kind grouped_gemm --top-k 2"}) {
    EXPECT_NE(said_of(TileKernelUse::Anchors, option).find("expected --samples with it"), std::string::npos)
        << option;
    EXPECT_EQ(said_of(TileKernelUse::SecondRound, option), "") << option;
  }
}

TEST(TileKernelOptions, OfOtherTypesThanTheReferenceKernelsAreRefused) {
  EXPECT_EQ(said_of(TileKernelUse::Profile, "--operand-bytes 1"), "");
  EXPECT_NE(said_of(TileKernelUse::Profile, "--operand-bytes 4").find("expected 1 or 2"), std::string::npos);
  EXPECT_NE(
      said_of(TileKernelUse::Profile, "--kind attention --operand-bytes 1").find("bears on --kind gemm"),
      std::string::npos);
}

}  // namespace
}  // namespace warploom
