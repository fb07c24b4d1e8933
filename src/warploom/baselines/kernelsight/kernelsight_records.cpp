// The records of a KernelSight-LM model in the file of a method (../method_file.h).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "warploom/base/error.h"
#include "warploom/baselines/kernelsight/kernelsight_model.h"

namespace warploom::baselines {
namespace {

constexpr std::size_t kLeastFamilyBytes = 20, kLeastKernelRecord = 28, kLeastSurfaceBytes = 20,
                      kKeyPairBytes = 16, kLinkBytes = 24;

template <class Map>
std::vector<std::uint64_t> sorted_keys(const Map& map) {
  std::vector<std::uint64_t> keys;
  for (const auto& entry : map) keys.push_back(entry.first);
  std::sort(keys.begin(), keys.end());
  return keys;
}

// Each entry of a map by its key, in order of keys.
template <class Map, class Put>
void write_map(ByteWriter& writer, const Map& map, const Put& put) {
  writer.put(std::uint32_t(map.size()));
  for (const std::uint64_t key : sorted_keys(map)) {
    writer.put(key);
    put(map.at(key));
  }
}

template <class Map, class Take>
void read_map(ByteReader& reader, Map& map, std::size_t least_bytes, std::string_view where,
              const Take& take) {
  for (std::size_t left = reader.take_count(least_bytes); left > 0; --left) {
    const auto key = reader.take<std::uint64_t>();
    if (!map.emplace(key, take()).second)
      throw InvalidInput(fmt::format("{}: what was learned of {:016x} is there twice", where, key));
  }
}

double take_at_least_zero(ByteReader& reader, std::string_view where, std::string_view what) {
  const auto value = reader.take<double>();
  if (!std::isfinite(value) || value < 0)
    throw InvalidInput(fmt::format("{}: {} is {}, expected a number of at least 0", where, what, value));
  return value;
}

}  // namespace

void KernelSightModel::write(ByteWriter& writer) const {
  writer.put(std::uint32_t(parts_.families.size()));
  for (const auto& [family, learned] : parts_.families) {
    writer.put_text(name_of(family));
    writer.put_text(learned.learner ? name_of(*learned.learner) : std::string_view());
    writer.put(learned.rows);
    writer.put(std::uint32_t(learned.gpus.size()));
    for (const std::string& gpu : learned.gpus) writer.put_text(gpu);
  }
  write_map(writer, parts_.kernels, [&](const KernelSightKernel& kernel) {
    writer.put(kernel.floor);
    kernel.learner.write(writer);
  });
  write_map(writer, parts_.surfaces, [&](const GridInterpolator& surface) { surface.write(writer); });
  write_map(writer, parts_.newest, [&](std::uint64_t cell) { writer.put(cell); });
  write_map(writer, parts_.usual, [&](std::uint64_t library) { writer.put(library); });
  write_map(writer, parts_.links, [&](const KernelSightLink& link) {
    writer.put(link.start);
    writer.put(link.seconds_per_byte);
  });
}

KernelSightModel KernelSightModel::read(ByteReader& reader, std::string_view where) {
  KernelSightParts parts;
  for (std::size_t left = reader.take_count(kLeastFamilyBytes); left > 0; --left) {
    const auto family = parse_enum<Family>(reader.take_text(), fmt::format("{}: a family", where));
    KernelSightFamily learned;
    if (const std::string_view name = reader.take_text(); !name.empty())
      learned.learner = parse_enum<LearnerKind>(name, fmt::format("{}: a learner", where));
    learned.rows = reader.take<std::uint64_t>();
    learned.gpus.resize(reader.take_count(sizeof(std::uint32_t)));
    for (std::string& gpu : learned.gpus) gpu = reader.take_text();
    parts.families.emplace(family, std::move(learned));
  }
  read_map(reader, parts.kernels, kLeastKernelRecord, where, [&] {
    const double floor = take_at_least_zero(reader, where, "a launch floor");
    return KernelSightKernel{floor, EfficiencyLearner::read(reader, where)};
  });
  read_map(reader, parts.surfaces, kLeastSurfaceBytes, where,
           [&] { return GridInterpolator::read(reader, where); });
  read_map(reader, parts.newest, kKeyPairBytes, where, [&] {
    const auto cell = reader.take<std::uint64_t>();
    if (!parts.surfaces.contains(cell))
      throw InvalidInput(
          fmt::format("{}: the newest release names {:016x}, which has no surface", where, cell));
    return cell;
  });
  read_map(reader, parts.usual, kKeyPairBytes, where, [&] {
    const auto library = reader.take<std::uint64_t>();
    if (!parts.kernels.contains(library))
      throw InvalidInput(fmt::format("{}: a usual library {:016x} was not learned", where, library));
    return library;
  });
  read_map(reader, parts.links, kLinkBytes, where, [&] {
    const double start = take_at_least_zero(reader, where, "a collective's start");
    return KernelSightLink{start, take_at_least_zero(reader, where, "a collective's time of a byte")};
  });
  return KernelSightModel(std::move(parts));
}

}  // namespace warploom::baselines
