#include "warploom/measurements/internal/host_floors.h"

#include <algorithm>
#include <utility>

#include "warploom/measurements/internal/table_format.h"

namespace warploom {
namespace {

// Small: rows of at most this many new tokens after at most this long a context. Rows up to this many floors
// are the host's; both set by eye on SGLang 0.5.14 and TensorRT-LLM 1.3.0 (the floors' own spread is a
// tenth).
constexpr std::int64_t kSmallTokens = 64, kSmallContext = 16384;
constexpr double kFloorBand = 1.25;

}  // namespace

HostFloors::HostFloors(const Table& of, std::span<const std::string_view> shared)
    : latency_(of.column("latency_us")) {
  Table table(of.path(), habits_of(Layout::Aiconfigurator));
  for (const std::string_view name : shared) shared_.push_back(table.column(name));
  const std::size_t heads = table.column("num_heads"), batch = table.column("batch_size"),
                    step = table.column("step");
  const std::optional<std::size_t> length = table.find_column("isl");
  std::map<std::pair<std::string, std::int64_t>, std::vector<double>> small;
  while (table.next()) {
    const std::int64_t tokens = table.positive(batch) * (length ? table.positive(*length) : 1);
    if (tokens <= kSmallTokens && table.not_negative(step) <= kSmallContext)
      small[{kernel_of(table), table.positive(heads)}].push_back(table.latency_us(latency_).value());
  }
  for (auto& [key, latencies] : small) {
    const auto middle = latencies.begin() + std::ptrdiff_t(latencies.size() / 2);
    std::nth_element(latencies.begin(), middle, latencies.end());
    const auto [at, fresh] = floors_.try_emplace(key.first, *middle);
    if (!fresh) at->second = std::min(at->second, *middle);
  }
}

std::string HostFloors::kernel_of(const Table& table) const {
  std::string key;
  for (const std::size_t column : shared_) key.append(table.text(column)).append("/");
  return key;
}

bool HostFloors::hold(const Table& at) const {
  const auto floor = floors_.find(kernel_of(at));
  return floor != floors_.end() && at.latency_us(latency_).value() <= kFloorBand * floor->second;
}

}  // namespace warploom
