// JSON, YAML and CSV as such. What was read is written and read again to the same.
#include <nlohmann/json.hpp>

#include "fuzz_input.h"
#include "warploom/base/csv.h"
#include "warploom/base/json.h"
#include "warploom/base/yaml.h"

namespace warploom::fuzz {
namespace {

void read_json(std::string_view bytes) {
  const std::string text = json_text(parse_json(bytes, "input"));
  if (json_text(parse_json(text, "written")) != text) std::abort();
}

void read_csv(const Files& files, std::string_view bytes) {
  CsvReader reader(files.write("input.csv", bytes));
  CsvWriter writer(reader.columns());
  std::vector<std::string> cells(reader.columns().size());
  while (reader.next()) {
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = reader.cell(i);
    writer.row(cells);
  }
  CsvReader again(files.write("written.csv", writer.text()));
  CsvWriter rewritten(again.columns());
  while (again.next()) {
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = again.cell(i);
    rewritten.row(cells);
  }
  if (rewritten.text() != writer.text()) std::abort();
}

}  // namespace
}  // namespace warploom::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warploom;
  static const fuzz::Files files;
  const fuzz::Input input(data, size);
  fuzz::read_or_refused(input, [&] {
    if (input.choice % 3 == 0) fuzz::read_json(input.bytes);
    if (input.choice % 3 == 1) (void)json_of(read_yaml_file(files.write("input.yaml", input.bytes))).dump();
    if (input.choice % 3 == 2) fuzz::read_csv(files, input.bytes);
  });
  return 0;
}
