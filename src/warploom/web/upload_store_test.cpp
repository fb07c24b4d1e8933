#include "warploom/web/upload_store.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/base/file.h"

namespace warploom {
namespace {

const AnswerReach kReach{.access = AnswerAccess::Clients, .files = {"trace", "list"}, .output = "output"};

TEST(UploadStore, GivesPathsAndNamesForItsFiles) {
  UploadStore store;
  const std::string file = store.add("trace.csv", "a,b\n");
  const Json asked{{"trace", file}, {"deep", {{"list", {file, "x"}}}}};
  const Json placed = store.with_paths(asked, kReach);
  EXPECT_EQ(read_file(placed["trace"].get<std::string>()), "a,b\n");
  EXPECT_EQ(placed["deep"]["list"][0], placed["trace"]);
  EXPECT_EQ(store.with_names(asked)["deep"]["list"], Json({"trace.csv", "x"}));
  EXPECT_EQ(store.without_paths(placed["trace"].get<std::string>() + ": wrong"), "trace.csv: wrong");
}

TEST(UploadStore, RemovesItsFolder) {
  std::filesystem::path folder;
  {
    UploadStore store;
    store.add("a", "x");
    folder = store.folder();
    EXPECT_TRUE(std::filesystem::exists(folder));
  }
  EXPECT_FALSE(std::filesystem::exists(folder));
}

// A server that is killed takes no leave: its folder lies there, and nobody holds its lock.
TEST(UploadStore, TheNextOneRemovesWhatAKilledServerLeft) {
  const UploadStore living;
  const std::filesystem::path parent = living.folder().parent_path();
  const std::filesystem::path left = parent / "warploom-uploads-killed", other = parent / "warploom-others";
  for (const auto& folder : {left, other}) write_file_atomically(folder / "id" / "trace.csv", "a,b");
  {
    const UploadStore next;
    EXPECT_NE(next.folder(), living.folder());
  }
  EXPECT_FALSE(std::filesystem::exists(left));
  EXPECT_TRUE(std::filesystem::exists(other));
  EXPECT_TRUE(std::filesystem::exists(living.folder()));
  std::filesystem::remove_all(other);
}

TEST(UploadStore, RefusesNamesThatAreNoFileNames) {
  UploadStore store;
  for (const std::string& name : std::initializer_list<std::string>{"", "..", ".x", "a/b", "../a", "a\\b",
                                                                    "a b", "a\nb", std::string("a\0b", 3)})
    EXPECT_THROW(store.add(name, "x"), InvalidInput) << name;
  EXPECT_THROW(store.add(std::string(500, 'a'), "x"), InvalidInput);
}

TEST(UploadStore, RefusesPathsOfTheMachine) {
  UploadStore store;
  for (const char* text : {"/etc/passwd", "~/x", "../x", "a/../../x", ".."})
    EXPECT_THROW(store.with_paths({{"model", {{"x", {text}}}}}, kReach), InvalidInput) << text;
  for (const char* text : {"Qwen/Qwen3-8B", "a..b", "4x1024", R"({"method": "eagle3"})", "{not json"})
    EXPECT_EQ(store.with_paths({{"model", text}}, kReach)["model"], text);
  EXPECT_THROW(store.with_paths({{"model", std::string("a\0b", 3)}}, kReach), InvalidInput);
}

TEST(UploadStore, TakesFilesWhereTheRequestReadsThemAlone) {
  UploadStore store;
  const std::string file = store.add("trace.csv", "a,b\n");
  for (const Json& asked : {Json{{"questions", file}}, Json{{"trace", {{"store", {file}}}}},
                            Json{{"output", file}}, Json{{"output", "table.wlt"}}, Json{{"output", 3}}})
    EXPECT_THROW(store.with_paths(asked, kReach), Unsupported) << asked;
  const AnswerReach silent;
  EXPECT_THROW(store.with_paths({{"trace", file}}, silent), Unsupported);
  EXPECT_THROW(store.with_paths({{"output", "upload:new"}}, silent), Unsupported);
  EXPECT_EQ(silent.access, AnswerAccess::Machine);
}

TEST(UploadStore, LosesTheOldestFilesWhenItIsFull) {
  UploadStore store({.file_bytes = 10, .files = 2, .total_bytes = 15});
  EXPECT_THROW(store.add("long", "12345678901"), InvalidInput);
  const std::string first = store.add("first", "1234567890"), second = store.add("second", "12345");
  EXPECT_EQ(store.read(first.substr(7)).second, "1234567890");
  const std::string third = store.add("third", "1");
  EXPECT_THROW(store.with_paths({{"trace", first}}, kReach), NotFound);
  EXPECT_EQ(store.read(second.substr(7)).second, "12345");
  EXPECT_EQ(store.read(third.substr(7)).first, "third");
  std::size_t folders = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(store.folder())) ++folders;
  EXPECT_EQ(folders, 2U);
}

TEST(UploadStore, KeepsWhatAnAnswerWrote) {
  UploadStore store;
  const Json placed = store.with_paths({{"output", "upload:new"}}, kReach);
  const std::filesystem::path path = placed["output"].get<std::string>();
  EXPECT_EQ(path.parent_path().parent_path(), store.folder());
  write_file_atomically(path, "table");
  const Json files = store.keep_outputs(placed);
  EXPECT_EQ(store.read(files["output"].get<std::string>().substr(7)).second, "table");
  EXPECT_TRUE(store.keep_outputs(store.with_paths({{"output", "upload:new"}}, kReach))
                  .empty());  // nothing was written
  EXPECT_TRUE(store.keep_outputs({{"output", "x"}}).empty());
}

}  // namespace
}  // namespace warploom
