#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/framed_file.h"
#include "warploom/base/hash.h"
#include "warploom/tuner/internal/table_layout.h"
#include "warploom/tuner/runtime_table.h"
#include "warploom/tuner/wavetune_schema.h"

namespace warploom {
namespace {

// Head and versions are those of every file of the program; the layout is a table's own (table_layout.h),
// since its records are used in place.
constexpr FileFormat kFormat{.magic = "WLTUNE1\n",
                             .schema = "warploom_tune_table",
                             .name = "tune table",
                             .written_by = "warploom tune fit",
                             .major = kTuneTableMajor,
                             .oldest_major = kWideTableMajor,
                             .has_minor = false};
constexpr std::size_t kChecked = offsetof(TableHeader, checksum) + sizeof(std::uint64_t);
constexpr std::size_t kAlign = 64;
constexpr std::uint64_t kMostTableFileBytes = std::uint64_t{16} << 20;  // a table has at most 1 MB

// Fields that older programs do not know are left out where they say nothing, so that those still read the
// table.
Json kernel_json(const TileKernel& kernel) {
  Json document = to_json(kernel);
  const Json usual = to_json(TileKernel());
  for (const char* later : {"expert_skew", "window", "page_keys"})
    if (document[later] == usual[later]) document.erase(later);
  return document;
}

FileFormat format_of(const WaveModel& model) {
  FileFormat format = kFormat;
  if (model.both.empty()) format.major = model.narrow.empty() ? kWideTableMajor : kNarrowTableMajor;
  return format;
}

ConfigRecord record_of(const TileKernel& kernel, const FittedConfig& fitted) {
  return {.config = fitted.config,
          .constants = ConfigConstants(kernel, fitted.config),
          .coefficients = fitted.coefficients,
          .residual = fitted.residual,
          .most_waves = fitted.most_waves,
          .most_iterations = fitted.most_iterations};
}

template <class T>
std::uint64_t append(std::string& bytes, std::span<const T> records) {
  bytes.resize((bytes.size() + kAlign - 1) / kAlign * kAlign);
  const std::uint64_t at = bytes.size();
  bytes.append(reinterpret_cast<const char*>(records.data()), records.size_bytes());
  return at;
}

// The records at `at`, if they lie inside.
template <class T>
std::span<const T> records_at(std::string_view bytes, std::uint64_t at, std::uint64_t count,
                              std::string_view where) {
  if (at % alignof(T) != 0 || at > bytes.size() || count > (bytes.size() - at) / sizeof(T))
    throw InvalidInput(fmt::format("{}: the tune table names records outside of itself", where));
  return {reinterpret_cast<const T*>(bytes.data() + at), static_cast<std::size_t>(count)};
}

const TableHeader& checked_header(std::string_view bytes, std::string_view where) {
  // The published wave model's table is a JSON document (wavetune/wavetune_table.h).
  if (bytes.starts_with('{') && bytes.find(kWaveTuneSchema) != bytes.npos)
    throw Unsupported(
        fmt::format("{}: a table of the published wave model, which `warploom tune pick` and `warploom tune "
                    "regret` read alone; expected one that `tune fit` wrote without `--method wavetune`",
                    where));
  if (bytes.size() < sizeof(TableHeader) || !bytes.starts_with(kFormat.magic))
    throw InvalidInput(
        fmt::format("{}: not a tune table, expected a file that `{}` wrote", where, kFormat.written_by));
  const auto& header = *reinterpret_cast<const TableHeader*>(bytes.data());
  check_version(kFormat, header.major, header.minor, where);
  if (header.minor != kTuneTableMinor)  // before what the checksum covers; a version is the major alone
    throw InvalidInput(fmt::format("{}: damaged tune table, its second version number is {}, expected {}",
                                   where, header.minor, kTuneTableMinor));
  if (header.total_bytes != bytes.size())
    throw InvalidInput(
        fmt::format("{}: truncated tune table, {} of {} bytes", where, bytes.size(), header.total_bytes));
  if (hash_bytes(bytes.substr(kChecked)) != header.checksum)
    throw InvalidInput(fmt::format("{}: damaged tune table, its checksum is wrong", where));
  return header;
}

// Look-ups count with these: a file may be whole, by its checksum, and still hold what no fit wrote.
bool is_sound(const ConfigRecord& record) {
  const ConfigConstants& known = record.constants;
  const auto is_tile = [](std::int32_t size, float tile, float per_f, double per) {
    return size >= 1 && tile == float(size) && per_f == 1.0F / tile && per == 1.0 / size;
  };
  const TileConfig& config = record.config;
  std::array<float, sizeof record.coefficients / sizeof(float)> coefficients;
  std::memcpy(coefficients.data(), &record.coefficients, sizeof record.coefficients);
  return is_tile(config.tile_m, known.tile_m, known.per_m_f, known.per_m) &&
         is_tile(config.tile_n, known.tile_n, known.per_n_f, known.per_n) &&
         is_tile(config.tile_k, known.tile_k, known.per_k_f, known.per_k) && config.split_k >= 1 &&
         known.split_k == float(config.split_k) && record.coefficients.slots >= 1 &&
         std::all_of(coefficients.begin(), coefficients.end(), [](float one) { return std::isfinite(one); });
}

}  // namespace

std::string table_bytes(const WaveModel& model, const TableOptions& options, const ShapeCells& grid,
                        std::uint32_t default_index, std::span<const TableCell> cells) {
  std::vector<ConfigRecord> records;
  for (const auto* fits : {&model.configs, &model.narrow, &model.both})
    for (const FittedConfig& fitted : *fits) records.push_back(record_of(model.kernel, fitted));
  const FileFormat format = format_of(model);
  Json head = file_head(format, "warploom");
  head["data_hash"] = hash_text(options.data_hash);
  head["kernel"] = kernel_json(model.kernel);
  head["gpu"] = to_json(model.gpu);
  head["median_r_squared"] = model.median_r_squared;
  head["tier"] = name_of(options.tier);
  const std::string text = head.dump();
  TableHeader header{};
  kFormat.magic.copy(header.magic, sizeof header.magic);
  header.major = format.major;
  header.minor = kTuneTableMinor;
  header.config_count = static_cast<std::uint32_t>(records.size());
  header.narrow_count = model.narrow.size();
  header.both_count = model.both.size();
  header.default_index = default_index;
  for (std::size_t i = 0; i < 3; ++i) {
    header.first[i] = grid.first[i];
    header.count[i] = grid.count[i];
  }
  std::string bytes(sizeof header, '\0');
  header.configs_at = append<ConfigRecord>(bytes, records);
  header.cells_at = append<TableCell>(bytes, cells);
  header.text_at = append<char>(bytes, text);
  header.text_bytes = text.size();
  header.total_bytes = bytes.size();
  std::memcpy(bytes.data(), &header, sizeof header);
  header.checksum = hash_bytes(std::string_view(bytes).substr(kChecked));
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

TableLayout::TableLayout(std::unique_ptr<const TableBytes> source, std::string_view where)
    : block(std::move(source)), header(&checked_header(block->view(), where)), mapping(kernel, gpu) {
  const std::string_view bytes = block->view();
  for (std::size_t i = 0; i < 3; ++i) {
    if (header->count[i] < 1 || header->count[i] > 128)
      throw InvalidInput(
          fmt::format("{}: the tune table has {} cells along an axis", where, header->count[i]));
    if (header->first[i] < 0 || header->first[i] > 128)
      throw InvalidInput(fmt::format("{}: the tune table's cells begin at {}", where, header->first[i]));
    grid.first[i] = header->first[i];
    grid.count[i] = header->count[i];
  }
  records = records_at<ConfigRecord>(bytes, header->configs_at, header->config_count, where);
  // The version lies outside of what the checksum covers: it must agree with what it announces.
  const std::size_t narrow_count = header->narrow_count, both_count = header->both_count;
  if ((header->major != kWideTableMajor) != (narrow_count > 0) ||
      (header->major == kTuneTableMajor) != (both_count > 0) || narrow_count > records.size() ||
      both_count > records.size() || narrow_count + both_count >= std::max<std::size_t>(1, records.size()))
    throw InvalidInput(
        fmt::format("{}: damaged tune table, version {} with {} configurations for narrow loads and {} with "
                    "narrow stores too",
                    where, header->major, narrow_count, both_count));
  both_at = records.size() - both_count;
  configs = records.first(both_at - narrow_count);
  const auto text = records_at<char>(bytes, header->text_at, header->text_bytes, where);
  if (configs.empty() || header->default_index >= configs.size())
    throw InvalidInput(fmt::format("{}: the tune table names no default configuration", where));
  if (std::max(both_at, both_count) > kMostConfigs || !std::all_of(records.begin(), records.end(), is_sound))
    throw InvalidInput(
        fmt::format("{}: a configuration of the tune table has constants that are not its own", where));
  const FileHead head(kFormat, {text.data(), text.size()}, where);
  kernel = object_from_json<TileKernel>(head.at("kernel"), where);
  gpu = object_from_json<TileGpu>(head.at("gpu"), fmt::format("{}: 'gpu' of the tune table", where));
  median_r_squared = head.number("median_r_squared");
  // Tables that were written before there was another tier do not state theirs.
  if (head.document().contains("tier")) tier = parse_enum<TableTier>(head.text("tier"), where);
  mapping = MappingConstants(kernel, gpu);
  row_classes = row_classes_of(kernel.kind, both_count > 0);
  splits_k = std::any_of(configs.begin(), configs.end(),
                         [](const ConfigRecord& record) { return record.config.split_k > 1; });
  cells = records_at<TableCell>(bytes, header->cells_at, grid.size() * std::size_t(row_classes), where);
  for (std::size_t i = 0; i < cells.size(); ++i)
    for (const Candidate candidate : cells[i].candidates)
      if (record_of(static_cast<int>(i / grid.size()), candidate) >= records.size())
        throw InvalidInput(fmt::format("{}: a cell of the tune table names no configuration", where));
  list_records(where);
}

void TableLayout::list_records(std::string_view where) {
  const std::size_t count = configs.size();
  for (std::size_t i = 0; i < count; ++i) listed.push_back(static_cast<std::uint16_t>(i));
  narrow = both = listed;
  for (std::size_t at = count; at < records.size(); ++at) {
    auto& of_class = at < both_at ? narrow : both;
    const TileConfig& config = records[at].config;
    std::size_t own = count;
    for (std::size_t i = 0; i < count; ++i) {
      if (configs[i].config == config) own = i;
      if (same_but_stages(configs[i].config, config)) of_class[i] = static_cast<std::uint16_t>(at);
    }
    if (own == count)
      throw InvalidInput(fmt::format("{}: narrow loads of {}, which is no configuration of the tune table",
                                     where, config_text(config)));
    listed.push_back(static_cast<std::uint16_t>(own));
  }
}

RuntimeTable RuntimeTable::open(const std::filesystem::path& path) {
  return RuntimeTable(std::make_shared<const TableLayout>(
      std::make_unique<const TableBytes>(read_file(path, kMostTableFileBytes)), path.string()));
}

RuntimeTable RuntimeTable::from_bytes(std::string_view bytes, std::string_view where) {
  return RuntimeTable(
      std::make_shared<const TableLayout>(std::make_unique<const TableBytes>(std::string(bytes)), where));
}

void RuntimeTable::write(const std::filesystem::path& path) const { write_file_atomically(path, bytes()); }

std::string_view RuntimeTable::bytes() const { return layout_->block->view(); }

}  // namespace warploom
