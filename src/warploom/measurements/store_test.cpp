#include "warploom/measurements/store.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <chrono>
#include <thread>

#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/scratch_folder_test.h"
#include "warploom/measurements/measured_row_test.h"

namespace warploom {
namespace {

Dataset small_data() {
  Dataset data;
  for (int m = 1; m <= 20; ++m) data.add(gemm_row(m, m % 2 == 0 ? "h100_sxm" : "l40s", m));
  for (int batch = 1; batch <= 10; ++batch) data.add(decode_row(batch, 512, "l40s", 20 + batch));
  return data;
}

void execute(const std::filesystem::path& path, const char* sql) {
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &handle), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(handle, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(handle);
  sqlite3_close(handle);
}

TEST(MeasurementStore, WaitsForAnotherThatWrites) {
  const ScratchFolder folder;
  const auto path = folder.path() / "rows.db";
  { MeasurementStore made(path); }
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
  std::thread ends([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    sqlite3_exec(other, "COMMIT", nullptr, nullptr, nullptr);
  });
  MeasurementStore store(path);
  EXPECT_EQ(store.append(small_data()).added, 30u);
  ends.join();
  sqlite3_close(other);
}

TEST(MeasurementStore, GivesBackWhatWasAppended) {
  const ScratchFolder folder;
  const auto path = folder.path() / "deep" / "rows.db";
  const Dataset data = small_data();
  {
    MeasurementStore store(path);
    const auto report = store.append(data);
    EXPECT_EQ(report.added, 30u);
    EXPECT_EQ(report.replaced, 0u);
  }
  const Dataset back = MeasurementStore(path, MeasurementStore::Mode::ReadOnly).load();
  ASSERT_EQ(back.size(), data.size());
  for (std::size_t row = 0; row < data.size(); ++row) {
    EXPECT_EQ(back.shape(row), data.shape(row));
    EXPECT_EQ(back.operator_identity(back.operator_index(row)),
              data.operator_identity(data.operator_index(row)));
    EXPECT_EQ(back.latency(row), data.latency(row));
    EXPECT_EQ(back.gpu(row), data.gpu(row));
    EXPECT_EQ(back.context(row).kernel, data.context(row).kernel);
  }
}

TEST(MeasurementStore, ReplacesARowThatIsMeasuredAgain) {
  const ScratchFolder folder;
  MeasurementStore store(folder.path() / "rows.db");
  store.append(small_data());
  Dataset again;
  again.add(gemm_row(2, "h100_sxm", 99));
  again.add(gemm_row(500, "h100_sxm", 100));
  const auto report = store.append(again);
  EXPECT_EQ(report.added, 1u);
  EXPECT_EQ(report.replaced, 1u);
  EXPECT_EQ(store.size(), 31u);
  const Dataset h100 = store.load({.families = {Family::Gemm}, .gpus = {"h100_sxm"}});
  EXPECT_EQ(h100.size(), 11u);
  EXPECT_EQ(h100.rows_where([&](std::size_t row) { return h100.latency(row) == microseconds(99); }).size(),
            1u);
}

TEST(MeasurementStore, LoadsOnlyWhatTheFilterWants) {
  const ScratchFolder folder;
  MeasurementStore store(folder.path() / "rows.db");
  store.append(small_data());
  const Dataset decode = store.load({.families = {Family::AttentionDecode}, .gpus = {}});
  EXPECT_EQ(decode.size(), 10u);
  EXPECT_EQ(store.load({.families = {Family::Moe}, .gpus = {}}).size(), 0u);
  try {
    store.load({.families = {}, .gpus = {"h100"}});
    FAIL();
  } catch (const NotFound& error) {
    EXPECT_NE(std::string(error.what()).find("h100_sxm"), std::string::npos) << error.what();
  }
}

TEST(MeasurementStore, ShowsNothingOfAnAppendThatFails) {
  const ScratchFolder folder;
  const auto path = folder.path() / "rows.db";
  MeasurementStore store(path);
  store.append(small_data());
  execute(path,
          "CREATE TRIGGER full BEFORE INSERT ON measurements WHEN NEW.latency_s > 0.5 "
          "BEGIN SELECT RAISE(ABORT, 'disk full'); END");
  Dataset more;
  more.add(gemm_row(3000, "b200_sxm", 5));
  more.add(gemm_row(3001, "b200_sxm", 1e6));
  EXPECT_THROW(store.append(more), IoError);
  EXPECT_EQ(store.size(), 30u);
  EXPECT_THROW(store.load({.families = {}, .gpus = {"b200_sxm"}}), NotFound);
}

std::string text_of(const Dataset& data) {
  std::string text;
  for (std::size_t row = 0; row < data.size(); ++row)
    text += fmt::format("{} {} {} {} {} {} {} {}\n", data.shape(row),
                        data.operator_identity(data.operator_index(row)), data.gpu(row),
                        data.latency(row).value(), data.context(row).framework, data.context(row).kernel,
                        data.n_samples(row), data.marks(row).bits());
  return text;
}

// One bit of each byte in turn: refused, or the same rows. Much of the file is
// empty, where flips change nothing.
TEST(MeasurementStore, RefusesEveryFlippedBitThatChangesARow) {
  const ScratchFolder folder;
  const auto path = folder.path() / "rows.db", flipped = folder.path() / "flipped.db";
  MeasurementStore(path).append(small_data());
  const std::string sound = text_of(MeasurementStore(path, MeasurementStore::Mode::ReadOnly).load());
  const std::string bytes = read_file(path);
  std::size_t refused = 0;
  for (std::size_t at = 0; at < bytes.size(); at += 17) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at % 8)));
    folder.write("flipped.db", damaged);
    try {
      EXPECT_EQ(text_of(MeasurementStore(flipped, MeasurementStore::Mode::ReadOnly).load()), sound)
          << "byte " << at;
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 100u);
}

TEST(MeasurementStore, RefusesATableThatWasChangedWithoutItsHash) {
  const ScratchFolder folder;
  const auto path = folder.path() / "rows.db";
  MeasurementStore(path).append(small_data());
  execute(path, "UPDATE measurements SET latency_s = latency_s * 2 WHERE operator = 3");
  for (const bool appends : {false, true}) {
    MeasurementStore store(path);
    try {
      if (appends) store.append(small_data());
      if (!appends) store.load();
      FAIL();
    } catch (const IoError& error) {
      EXPECT_NE(std::string(error.what()).find("its table `measurements`"), std::string::npos)
          << error.what();
    }
  }
}

TEST(MeasurementStore, TakesAStoreOfAnOlderProgramAndGivesItHashes) {
  const ScratchFolder folder;
  const auto path = folder.path() / "rows.db";
  MeasurementStore(path).append(small_data());
  execute(path,
          "DELETE FROM info WHERE key LIKE 'hash_%'; UPDATE info SET value = '1' WHERE key = 'version'");
  MeasurementStore store(path);
  EXPECT_EQ(store.load().size(), 30u);
  Dataset more;
  more.add(gemm_row(3000, "b200_sxm", 5));
  EXPECT_EQ(store.append(more).added, 1u);
  execute(path, "UPDATE measurements SET n_samples = 9");
  EXPECT_THROW(store.load(), IoError);
}

TEST(MeasurementStore, RefusesWhatIsNotItsOwn) {
  const ScratchFolder folder;
  EXPECT_THROW(MeasurementStore(folder.path() / "none.db", MeasurementStore::Mode::ReadOnly), IoError);
  const auto text = folder.write("text.db", std::string(4096, 'x'));
  EXPECT_THROW(MeasurementStore{text}, InvalidInput);
  const auto other = folder.path() / "other.db";
  execute(other, "CREATE TABLE people (name TEXT)");
  EXPECT_THROW(MeasurementStore{other}, InvalidInput);
  const auto newer = folder.path() / "newer.db";
  { MeasurementStore make(newer); }
  execute(newer, "UPDATE info SET value = '3' WHERE key = 'version'");
  EXPECT_THROW(MeasurementStore{newer}, Unsupported);
  MeasurementStore reader(folder.path() / "rw.db");
  MeasurementStore read_only(folder.path() / "rw.db", MeasurementStore::Mode::ReadOnly);
  EXPECT_THROW(read_only.append(small_data()), IoError);
}

}  // namespace
}  // namespace warploom
