// Which shapes of a GPU few-shot training keeps: what to measure when only so many can be.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "warploom/hardware/gpu_spec.h"
#include "warploom/measurements/dataset.h"

namespace warploom {

// What a number of shapes is meant for: all of a family, or each kind of its arithmetic (kind_code: data
// types and variant) by itself.
enum class FewShotPer { Family, Kind };
template <>
struct EnumNames<FewShotPer> {
  static constexpr std::string_view kKind = "few-shot scope";
  static constexpr std::array<std::pair<FewShotPer, std::string_view>, 2> kNames{
      {{FewShotPer::Family, "family"}, {FewShotPer::Kind, "kind"}}};
};

// The shapes that are chosen from: a number of times `count`, those of least hash. `rows` are of one GPU and
// family.
std::set<std::uint64_t> few_shot_candidates(const Dataset& dataset, std::span<const std::uint32_t> rows,
                                            std::int64_t count, FewShotPer per = FewShotPer::Family);

// `count` shapes, or all where there are fewer: the candidates whose rows most reduce the
// uncertainty about the rows of all candidates (shape_design.h); no latency is looked at. Rows timed eagerly
// count for nothing. Depends on the candidates' rows alone.
std::set<std::uint64_t> few_shot_shapes(const Dataset& dataset, std::span<const std::uint32_t> rows,
                                        const GpuSpec& gpu, std::int64_t count,
                                        FewShotPer per = FewShotPer::Family);

}  // namespace warploom
