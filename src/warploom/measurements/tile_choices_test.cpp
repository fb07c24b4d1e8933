#include "warploom/measurements/tile_choices.h"

#include <gtest/gtest.h>

#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/scratch_folder_test.h"

namespace warploom {
namespace {

constexpr const char* kColumns =
    "gpu,sms,library,scheme,layout,m,n,k,rank,tile_m,tile_n,split_k,kernel,latency_us\n";

struct TileChoices : testing::Test {
  TileObservations read(const std::string& rows) {
    const std::filesystem::path path = scratch.path() / "tiles.csv";
    write_file_atomically(path, kColumns + rows);
    return read_tile_choices(path);
  }
  std::string refusal(const std::string& rows) {
    try {
      read(rows);
    } catch (const InvalidInput& error) {
      return error.what();
    }
    return "accepted";
  }
  ScratchFolder scratch;
};

TEST_F(TileChoices, AreReadWithTheirTimes) {
  const TileObservations found = read(
      "NVIDIA H200,132,cublasLt 13.1.0,bf16,tn,248,3072,8832,0,64,96,1,nvjet,\n"
      "NVIDIA H200,132,cublasLt 13.1.0,fp8_static,nn,16,512,4096,1,16,64,-1,nvjet,26.5\n"
      "NVIDIA H200,78,cublasLt 13.1.0,int8,tn,16,512,4096,0,0,0,1,,\n");
  EXPECT_EQ(found.gpu, "NVIDIA H200");
  EXPECT_EQ(found.library, "cublasLt 13.1.0");
  ASSERT_EQ(found.rows.size(), 2U);
  EXPECT_EQ(found.left_out, 1U);  // no tile
  EXPECT_EQ(found.rows[0].tile, (LibraryTile{64, 96, 1}));
  EXPECT_FALSE(found.rows[0].latency);
  EXPECT_EQ(found.rows[0].query.m, 248);
  EXPECT_EQ(found.rows[1].tile.splits, 1);
  EXPECT_TRUE(found.rows[1].query.inner_first);
  EXPECT_DOUBLE_EQ(*found.rows[1].latency, 26.5e-6);
}

TEST_F(TileChoices, NameTheDamagedCell) {
  const std::string sound = "NVIDIA H200,132,lt,bf16,tn,248,3072,8832,0,64,96,1,nvjet,\n";
  EXPECT_NE(refusal("NVIDIA H200,132,lt,bf16,tn,0,3072,8832,0,64,96,1,nvjet,\n").find("column 'm'"),
            std::string::npos);
  EXPECT_NE(refusal("NVIDIA H200,132,lt,nvfp4,tn,8,3072,8832,0,64,96,1,nvjet,\n").find("expected bf16, fp16"),
            std::string::npos);
  EXPECT_NE(refusal("NVIDIA H200,132,lt,bf16,tt,8,3072,8832,0,64,96,1,nvjet,\n").find("expected tn or nn"),
            std::string::npos);
  EXPECT_NE(refusal("NVIDIA H200,132,lt,bf16,tn,8,3072,8832,0,64,96,1,nvjet,-2\n").find("above 0"),
            std::string::npos);
  EXPECT_NE(refusal(sound + "NVIDIA H100,132,lt,bf16,tn,8,64,64,0,64,96,1,nvjet,\n").find("one GPU a file"),
            std::string::npos);
  EXPECT_NE(refusal("").find("no rows of choices"), std::string::npos);
}

}  // namespace
}  // namespace warploom
