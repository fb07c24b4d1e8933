#include "warploom/predictor/tables/residual_table.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>

#include "warploom/base/byte_stream.h"
#include "warploom/base/hash.h"

namespace warploom {
namespace {

constexpr std::size_t kRowsPerBucket = 8;

std::uint64_t axis_hash(std::size_t axis, std::int64_t value) {
  return hash_combine(0xA715ULL + axis, std::uint64_t(value));
}

float median_of(std::vector<float>& values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::int16_t quantised(float residual) {
  return std::int16_t(std::clamp(std::round(double(residual) / kResidualStep), -32767.0, 32767.0));
}

}  // namespace

PointKey::PointKey(std::uint32_t cell, const GridPoint& point)
    : sum_(hash_combine(hash_combine(0x7AB1EULL, cell), point.group)) {
  for (std::size_t a = 0; a < point.axes; ++a) sum_ += axis_hash(a, point.at[a]);
}

PointKey PointKey::moved(std::size_t axis, std::int64_t from, std::int64_t value) const {
  PointKey key = *this;
  key.sum_ += axis_hash(axis, value) - axis_hash(axis, from);
  return key;
}

std::uint64_t PointKey::hash() const {
  const std::uint64_t x = (sum_ ^ (sum_ >> 32)) * 0xD6E8FEB86659FD93ULL;
  return x ^ (x >> 32);
}

ResidualTable::ResidualTable(std::span<const Entry> entries, std::uint32_t cells) {
  std::vector<std::pair<std::uint64_t, float>> rows;
  std::vector<std::tuple<std::uint32_t, std::int64_t>> places;  // cell * kMaxAxes + axis, value
  for (const Entry& entry : entries) {
    if (entry.point.axes == 0) continue;
    rows.emplace_back(PointKey(entry.cell, entry.point).hash(), entry.residual);
    for (std::size_t a = 0; a < entry.point.axes; ++a)
      places.emplace_back(entry.cell * std::uint32_t(kMaxAxes) + std::uint32_t(a), entry.point.at[a]);
  }
  std::sort(rows.begin(), rows.end());
  std::vector<std::uint64_t> hashes;
  std::vector<float> repeats;
  for (std::size_t i = 0; i < rows.size();) {
    repeats.clear();
    const std::uint64_t hash = rows[i].first;
    for (; i < rows.size() && rows[i].first == hash; ++i) repeats.push_back(rows[i].second);
    hashes.push_back(hash);
    residuals_.push_back(quantised(median_of(repeats)));
  }
  index_hashes(hashes);
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  axis_start_.assign(std::size_t(cells) * kMaxAxes + 1, 0);
  for (const auto& [place, value] : places) {
    ++axis_start_[place + 1];
    axis_values_.push_back(value);
  }
  for (std::size_t i = 1; i < axis_start_.size(); ++i) axis_start_[i] += axis_start_[i - 1];
}

void ResidualTable::index_hashes(std::span<const std::uint64_t> hashes) {
  const std::size_t buckets = std::bit_ceil(std::max<std::size_t>(2, hashes.size() / kRowsPerBucket));
  bucket_shift_ = std::uint32_t(64 - std::countr_zero(buckets));
  bucket_start_.assign(buckets + 1, 0);
  for (const std::uint64_t hash : hashes) {
    ++bucket_start_[(hash >> bucket_shift_) + 1];
    fingerprints_.push_back(std::uint32_t(hash));
  }
  for (std::size_t b = 1; b <= buckets; ++b) bucket_start_[b] += bucket_start_[b - 1];
}

std::optional<float> ResidualTable::find(const PointKey& key) const {
  if (fingerprints_.empty()) return std::nullopt;
  const std::uint64_t hash = key.hash();
  const std::size_t bucket = hash >> bucket_shift_;
  const auto wanted = std::uint32_t(hash);
  for (std::uint32_t i = bucket_start_[bucket]; i < bucket_start_[bucket + 1]; ++i)
    if (fingerprints_[i] == wanted) return float(residuals_[i] * kResidualStep);
  return std::nullopt;
}

std::span<const std::int64_t> ResidualTable::coordinates(std::uint32_t cell, std::size_t axis) const {
  const std::size_t place = std::size_t(cell) * kMaxAxes + axis;
  if (place + 1 >= axis_start_.size()) return {};
  return std::span(axis_values_).subspan(axis_start_[place], axis_start_[place + 1] - axis_start_[place]);
}

void ResidualTable::write(ByteWriter& out) const {
  out.put_all(bucket_start_);
  out.put_all(fingerprints_);
  out.put_all(residuals_);
  out.put_all(axis_start_);
  out.put_all(axis_values_);
}

ResidualTable ResidualTable::read(ByteReader& in) {
  ResidualTable table;
  table.bucket_start_ = in.take_all<std::uint32_t>();
  table.fingerprints_ = in.take_all<std::uint32_t>();
  table.residuals_ = in.take_all<std::int16_t>();
  table.axis_start_ = in.take_all<std::uint32_t>();
  table.axis_values_ = in.take_all<std::int64_t>();
  const std::size_t buckets = table.bucket_start_.empty() ? 0 : table.bucket_start_.size() - 1;
  const bool sound = buckets >= 2 && std::has_single_bit(buckets) &&
                     std::is_sorted(table.bucket_start_.begin(), table.bucket_start_.end()) &&
                     table.bucket_start_.back() == table.fingerprints_.size() &&
                     table.residuals_.size() == table.fingerprints_.size() && !table.axis_start_.empty() &&
                     std::is_sorted(table.axis_start_.begin(), table.axis_start_.end()) &&
                     table.axis_start_.back() == table.axis_values_.size();
  if (!sound) throw InvalidInput("the residual table's records contradict each other");
  table.bucket_shift_ = std::uint32_t(64 - std::countr_zero(buckets));
  return table;
}

}  // namespace warploom
