#include "warploom/predictor/tables/size_curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "warploom/base/embedded_document.h"
#include "warploom/base/error.h"
#include "warploom/base/units.h"
#include "warploom/hardware/record_version.h"
#include "warploom_embedded/size_curve_files.h"

namespace warploom {
namespace {

constexpr std::string_view kSchema = "warploom_size_curves";
constexpr std::int64_t kVersion = 1;

class Reader {
 public:
  Reader(const Json& object, std::string where) : object_(object), where_(std::move(where)) {
    if (!object.is_object()) throw InvalidInput(fmt::format("{}: expected an object", where_));
  }

  std::string text(const char* name) const {
    const Json& value = at(name);
    if (!value.is_string()) refuse(name, "a text");
    return value.get<std::string>();
  }
  std::int64_t count(const char* name, std::int64_t least) const {
    const Json& value = at(name);
    if (!value.is_number_integer() || value.get<std::int64_t>() < least)
      refuse(name, fmt::format("an integer of at least {}", least));
    return value.get<std::int64_t>();
  }
  std::vector<double> numbers(const char* name, std::size_t fewest) const {
    const Json& value = list(name);
    const auto is_number = [](const Json& one) { return one.is_number(); };
    if (value.size() < fewest || !std::all_of(value.begin(), value.end(), is_number))
      refuse(name, fmt::format("a list of at least {} numbers", fewest));
    return value.get<std::vector<double>>();
  }
  const Json& list(const char* name) const {
    const Json& value = at(name);
    if (!value.is_array()) refuse(name, "a list");
    return value;
  }
  [[noreturn]] void refuse(const char* name, const std::string& expected) const {
    throw InvalidInput(fmt::format("{}: '{}': expected {}", where_, name, expected));
  }

 private:
  const Json& at(const char* name) const {
    const auto found = object_.find(name);
    if (found == object_.end()) throw InvalidInput(fmt::format("{}: '{}' is missing", where_, name));
    return *found;
  }
  const Json& object_;
  std::string where_;
};

bool is_ascending(const std::vector<double>& values) {
  return std::adjacent_find(values.begin(), values.end(), std::greater_equal<>()) == values.end();
}

SizeInterval interval_of(const Reader& reader, std::size_t ranges) {
  SizeInterval interval{reader.text("kernel"), reader.numbers("low", 1), reader.numbers("high", 1)};
  const auto check = [&](const char* name, const std::vector<double>& values, double sign) {
    const auto wrong = [&](double value) { return value * sign < 0; };
    if (values.size() != ranges || std::any_of(values.begin(), values.end(), wrong))
      reader.refuse(name, fmt::format("{} numbers {} 0", ranges, sign < 0 ? "up to" : "from"));
  };
  check("low", interval.low, -1);
  check("high", interval.high, 1);
  return interval;
}

SizeCurve curve_of(const Reader& reader) {
  SizeCurve curve{.gpu = reader.text("gpu"),
                  .context = {reader.text("framework"), reader.text("version"), reader.text("kernel")},
                  .ranks = reader.count("ranks", 2),
                  .bytes = reader.numbers("bytes", 2),
                  .seconds = reader.numbers("us", 2)};
  if (curve.bytes.front() <= 0 || !is_ascending(curve.bytes))
    reader.refuse("bytes", "ascending sizes above 0");
  const auto not_positive = [](double time) { return !(time > 0); };
  if (curve.seconds.size() != curve.bytes.size() ||
      std::any_of(curve.seconds.begin(), curve.seconds.end(), not_positive))
    reader.refuse("us", fmt::format("{} times above 0, one for each of 'bytes'", curve.bytes.size()));
  for (double& time : curve.seconds) time = microseconds(time).value();
  return curve;
}

const SizeInterval* interval_for(const SizeCurveFile& file, std::string_view kernel) {
  for (const SizeInterval& interval : file.intervals)
    if (interval.kernel == kernel) return &interval;
  return nullptr;
}

}  // namespace

SizeCurveFile size_curves_from_json(const Json& document, std::string_view where) {
  check_record_version(document, kSchema, kVersion, where);
  const Reader reader(document, std::string(where));
  SizeCurveFile file;
  file.edges = reader.numbers("interval_edges", 0);
  if (!is_ascending(file.edges)) reader.refuse("interval_edges", "ascending sizes");
  const auto named = [&](const char* list, std::size_t i) {
    return fmt::format("{}: {}[{}]", where, list, i);
  };
  const Json& intervals = reader.list("intervals");
  for (std::size_t i = 0; i < intervals.size(); ++i)
    file.intervals.push_back(interval_of(Reader(intervals[i], named("intervals", i)), file.edges.size() + 1));
  const Json& curves = reader.list("curves");
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const Reader one(curves[i], named("curves", i));
    file.curves.push_back(curve_of(one));
    if (interval_for(file, file.curves.back().context.kernel) == nullptr)
      one.refuse("kernel", "one that 'intervals' names");
  }
  return file;
}

const SizeCurveFile& shipped_size_curves() {
  static const SizeCurveFile file =
      from_embedded(embedded::size_curve_files(), "warploom_size_curves", size_curves_from_json);
  return file;
}

SizeCurves::SizeCurves(const SizeCurveFile& file, const FamilyModel& model) : file_(file) {
  using Key = std::tuple<std::string_view, std::string_view, std::string_view, std::string_view>;
  std::map<Key, std::uint32_t> cells;
  for (std::uint32_t c = 0; c < model.cells.size(); ++c) {
    const CellRecord& cell = model.cells[c];
    if (cell.gpu == CellRecord::kAnyGpu) continue;
    const ContextRecord& context = model.contexts[cell.context];
    cells.emplace(Key{model.gpus[cell.gpu].name, context.framework, context.version, context.kernel}, c);
  }
  for (const SizeCurve& curve : file.curves) {
    const ContextRecord& context = curve.context;
    const auto cell = cells.find(Key{curve.gpu, context.framework, context.version, context.kernel});
    if (cell != cells.end())
      entries_.push_back({cell->second, curve.ranks, &curve, interval_for(file, context.kernel)});
  }
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.cell, a.ranks) < std::tie(b.cell, b.ranks);
  });
}

std::optional<SizeCurves::Answer> SizeCurves::answer(std::uint32_t cell, const Collective& op) const {
  // Measured inside one link domain.
  if (op.ranks_per_node > 0 && op.ranks_per_node < op.ranks) return std::nullopt;
  const auto entry =
      std::lower_bound(entries_.begin(), entries_.end(), std::pair(cell, op.ranks),
                       [](const Entry& a, const std::pair<std::uint32_t, std::int64_t>& asked) {
                         return std::pair(a.cell, a.ranks) < asked;
                       });
  if (entry == entries_.end() || entry->cell != cell || entry->ranks != op.ranks) return std::nullopt;
  const std::vector<double>&sizes = entry->curve->bytes, &times = entry->curve->seconds;
  const double size = op.size.value();
  if (size < sizes.front() || size > sizes.back()) return std::nullopt;
  const auto above = std::lower_bound(sizes.begin() + 1, sizes.end(), size);
  const auto i = std::size_t(above - sizes.begin());
  const double share = (size - sizes[i - 1]) / (sizes[i] - sizes[i - 1]);
  const auto range =
      std::size_t(std::lower_bound(file_.edges.begin(), file_.edges.end(), size) - file_.edges.begin());
  return Answer{times[i - 1] + share * (times[i] - times[i - 1]), entry->interval->low[range],
                entry->interval->high[range]};
}

}  // namespace warploom
