#include "warploom/base/csv.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <limits>

#include "warploom/base/error.h"
#include "warploom/base/scratch_folder_test.h"

namespace warploom {
namespace {
namespace fs = std::filesystem;
using Rows = std::vector<std::vector<std::string>>;

Rows rows_of(const fs::path& path) {
  CsvReader reader(path);
  Rows rows;
  while (reader.next()) {
    std::vector<std::string>& row = rows.emplace_back();
    for (std::size_t i = 0; i < reader.columns().size(); ++i) row.emplace_back(reader.cell(i));
  }
  return rows;
}

// The message of the Expected error that `action` throws; empty when it throws none.
template <class Expected, class Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const Expected& error) {
    return error.what();
  }
  ADD_FAILURE() << "no error was thrown";
  return {};
}

void expect_contains(const std::string& text, std::string_view part) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << text << "' lacks '" << part << "'";
}

TEST(CsvReader, ReadsPlainRowsWithAndWithoutALastLineEnd) {
  const ScratchFolder folder;
  const Rows expected{{"1", "2"}, {"", "4"}};
  EXPECT_EQ(rows_of(folder.write("a.csv", "x,y\n1,2\n,4\n")), expected);
  EXPECT_EQ(rows_of(folder.write("b.csv", "x,y\n1,2\n,4")), expected);
}

TEST(CsvReader, ReadsWindowsLineEndsAndBlankLines) {
  const ScratchFolder folder;
  EXPECT_EQ(rows_of(folder.write("a.csv", "x,y\r\n1,2\r\n\r\n3,4\r\n")), (Rows{{"1", "2"}, {"3", "4"}}));
}

TEST(CsvReader, RefusesRowsWithoutEnd) {
  const ScratchFolder folder;
  const std::string endless(std::size_t(17) << 20, 'x');
  for (const char* start : {"a\n", "a\n\"", "", "# "}) {
    const fs::path path = folder.write("a.csv", start + endless);
    expect_contains(message_of<InvalidInput>([&] { rows_of(path); }), "a row is longer than 16777216 bytes");
  }
}

TEST(CsvReader, UndoesQuoting) {
  const ScratchFolder folder;
  const fs::path path =
      folder.write("a.csv", "name,value\n\"a, b\",\"say \"\"hi\"\"\"\n\"two\nlines\",\"\"\nlast,1\n");
  EXPECT_EQ(rows_of(path), (Rows{{"a, b", "say \"hi\""}, {"two\nlines", ""}, {"last", "1"}}));
}

TEST(CsvReader, CountsTheLinesInsideQuotes) {
  const ScratchFolder folder;
  CsvReader reader(folder.write("a.csv", "# remark\nx,y\n\"two\nlines\",1\n2,2\n"));
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.line(), 3U);
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.line(), 5U);
}

TEST(CsvReader, SkipsAByteOrderMarkAndRemarksBeforeTheHeader) {
  const ScratchFolder folder;
  CsvReader reader(folder.write("a.csv", "\xEF\xBB\xBF# it's a \"remark\n\n#x\nfirst,second\n1,#2\n"));
  EXPECT_EQ(reader.columns(), (std::vector<std::string>{"first", "second"}));
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.cell(1), "#2");
  EXPECT_FALSE(reader.next());
  EXPECT_FALSE(reader.next());
}

TEST(CsvReader, SkipsWhatOtherProgramsPrintedBeforeTheHeader) {
  const ScratchFolder folder;
  constexpr std::array<std::string_view, 2> kHeaders{"\"ID\"", "Time"};
  const std::string talk = "loaded 3 \"shards, done\n==PROF== Connected to process 7\n";
  CsvReader reader(folder.write("a.csv", talk + "\"ID\",name\n1,x\n"), {.headers = kHeaders});
  EXPECT_EQ(reader.columns(), (std::vector<std::string>{"ID", "name"}));
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.line(), 4U);
  const std::string far(300000, '\n');  // more than is read at once
  CsvReader second(folder.write("b.csv", "x\n" + far + "Time,name\n2,y"), {.headers = kHeaders});
  EXPECT_EQ(second.columns(), (std::vector<std::string>{"Time", "name"}));
  ASSERT_TRUE(second.next());
  EXPECT_EQ(second.line(), 300003U);
  CsvReader none(folder.write("c.csv", "first,second\n1,2\n"), {.headers = kHeaders});
  EXPECT_EQ(none.columns(), (std::vector<std::string>{"first", "second"}));
}

TEST(CsvReader, FillsShortRowsWhereTheyAreAHabit) {
  const ScratchFolder folder;
  CsvReader reader(folder.write("a.csv", "a,b,c\n1,2,\n3\n1,2,3,4\n"), {.headers = {}, .short_rows = true});
  ASSERT_TRUE(reader.next());
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.cell(0), "3");
  EXPECT_EQ(reader.cell(2), "");
  EXPECT_THROW(reader.next(), InvalidInput);
}

TEST(CsvReader, ReadsGzipLikePlainText) {
  const ScratchFolder folder;
  std::string text = "i,square\n";
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i) + "," + std::to_string(i * 3) + "\n";
  CsvReader reader(folder.write_gzip("a.csv.gz", text));
  std::int64_t count = 0;
  while (reader.next()) {
    ASSERT_EQ(reader.integer(0), count);
    ASSERT_EQ(reader.integer(1), count * 3);
    ++count;
  }
  EXPECT_EQ(count, 100'000);
}

TEST(CsvReader, RefusesTruncatedGzipAtAnyPlace) {
  const ScratchFolder folder;
  std::string text = "i,hash\n";
  for (int i = 0; i < 200'000; ++i)
    text += std::to_string(i) + "," + std::to_string(i * 7919 % 100'003) + "\n";
  const fs::path path = folder.write_gzip("a.csv.gz", text);
  const std::uintmax_t whole = fs::file_size(path);
  for (const std::uintmax_t size : {whole - 1, whole / 2, whole / 100, std::uintmax_t{30}}) {
    fs::resize_file(path, size);
    expect_contains(message_of<IoError>([&] { rows_of(path); }), "a.csv.gz");
  }
}

TEST(CsvReader, NamesTheLineOfARowWithAWrongNumberOfCells) {
  const ScratchFolder folder;
  const fs::path shorter = folder.write("a.csv", "x,y\n1,2\n3\n");
  const std::string message = message_of<InvalidInput>([&] { rows_of(shorter); });
  expect_contains(message, "a.csv:3");
  expect_contains(message, "1 cells, expected 2");
  EXPECT_THROW(rows_of(folder.write("b.csv", "x,y\n1,2,3\n")), InvalidInput);
}

TEST(CsvReader, RefusesAnUnclosedQuoteAndNamesWhereItBegan) {
  const ScratchFolder folder;
  const fs::path path = folder.write("a.csv", "x,y\n1,2\n3,\"open\n4,5\n");
  expect_contains(message_of<InvalidInput>([&] { rows_of(path); }), "a.csv:3");
}

TEST(CsvReader, RefusesMissingAndEmptyFilesAndFolders) {
  const ScratchFolder folder;
  expect_contains(message_of<IoError>([&] { CsvReader reader(folder.path() / "absent.csv"); }), "absent.csv");
  EXPECT_THROW(CsvReader reader(folder.path()), IoError);
  EXPECT_THROW(CsvReader reader(folder.write("a.csv", "")), InvalidInput);
  EXPECT_THROW(CsvReader reader(folder.write("b.csv", "# only a remark\n\n")), InvalidInput);
  EXPECT_THROW(CsvReader reader(folder.write("c.csv", "# a remark without an end")), InvalidInput);
}

TEST(CsvReader, OffersTheNearestColumn) {
  const ScratchFolder folder;
  const CsvReader reader(folder.write("a.csv", "latency_us,num_tokens\n"));
  EXPECT_EQ(reader.column("num_tokens"), 1U);
  EXPECT_EQ(reader.find_column("tokens"), std::nullopt);
  expect_contains(message_of<InvalidInput>([&] { reader.column("latency"); }), "did you mean 'latency_us'");
}

TEST(CsvReader, ParsesNumbersAndRefusesEverythingElse) {
  const ScratchFolder folder;
  CsvReader reader(folder.write("a.csv", "a,b,c,d,e,f,g,h\n-7,4.0,1e3,2.5,nan,inf,,12abc\n"));
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.integer(0), -7);
  EXPECT_EQ(reader.integer(1), 4);
  EXPECT_EQ(reader.integer(2), 1000);
  EXPECT_DOUBLE_EQ(reader.real(3), 2.5);
  expect_contains(message_of<InvalidInput>([&] { (void)reader.integer(3); }), "a.csv:2: column 'd'");
  for (std::size_t column = 4; column < 8; ++column) {
    EXPECT_THROW((void)reader.real(column), InvalidInput) << column;
    EXPECT_THROW((void)reader.integer(column), InvalidInput) << column;
  }
  EXPECT_TRUE(reader.empty(6));
}

TEST(CsvReader, KeepsTheLargestIntegerExactly) {
  const ScratchFolder folder;
  CsvReader reader(folder.write("a.csv", "a\n9223372036854775807\n9223372036854775808\n"));
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.integer(0), std::numeric_limits<std::int64_t>::max());
  ASSERT_TRUE(reader.next());
  EXPECT_THROW((void)reader.integer(0), InvalidInput);
}

rc::Gen<std::string> any_cell() {
  return rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab,\"\n\r#\t é\xEF\xBB\xBF")));
}

// Found by fuzzing: a file begins with one mark, and the name of its first column with another.
TEST(CsvWriter, AColumnThatBeginsWithAByteOrderMarkKeepsIt) {
  const ScratchFolder folder;
  const std::vector<std::string> columns = {
      "\xEF\xBB\xBF"
      "a",
      "b"};
  CsvWriter writer(columns);
  writer.row(
      {"\xEF\xBB\xBF"
       "1",
       "2"});
  const fs::path path = folder.write("a", writer.text());
  EXPECT_EQ(CsvReader(path).columns(), columns);
  EXPECT_EQ(rows_of(path), Rows({{"\xEF\xBB\xBF"
                                  "1",
                                  "2"}}));
}

RC_GTEST_PROP(CsvWriter, IsReadBackCellForCell, ()) {
  const auto width = *rc::gen::inRange<std::size_t>(1, 5);
  const auto any_row = rc::gen::container<std::vector<std::string>>(width, any_cell());
  const auto columns = *any_row;
  const Rows rows = *rc::gen::container<Rows>(any_row);
  CsvWriter writer(columns);
  for (const auto& row : rows) writer.row(row);
  const ScratchFolder folder;
  const fs::path path =
      *rc::gen::arbitrary<bool>() ? folder.write_gzip("a", writer.text()) : folder.write("a", writer.text());
  RC_ASSERT(CsvReader(path).columns() == columns);
  RC_ASSERT(rows_of(path) == rows);
}

}  // namespace
}  // namespace warploom
