#include "warploom/kernels/operator_family.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "warploom/base/hash.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/kernels/base_constants.h"
#include "warploom/kernels/kernel_profile.h"
#include "warploom/kernels/nearest_kind.h"
#include "warploom/kernels/operator_coordinates.h"
#include "warploom/kernels/operator_fields.h"
#include "warploom/kernels/operator_grid.h"
#include "warploom/kernels/operator_json.h"

namespace warploom {
namespace {

TEST(OperatorFamily, HasEveryFunction) {
  EXPECT_EQ(all_families().size(), std::variant_size_v<Operator>);
  for (const OperatorFamily* value : all_families()) {
    const std::string_view name = value->names[0].name;
    EXPECT_TRUE(value->standard && value->example && value->fields && value->set_sizes && value->check &&
                value->hash && value->decodes && value->stepped_size)
        << name;
    EXPECT_TRUE(value->work && value->forced_dram && value->bound && value->constants && value->price &&
                value->profile)
        << name;
    EXPECT_TRUE(value->kind_code && value->near && value->grid && value->coordinates) << name;
    EXPECT_EQ(value->place == nullptr, value->names.size() == 1) << name;
    EXPECT_LE(value->constants().size(), kMaxConstants) << name;
  }
}

TEST(OperatorFamily, IsFoundByItsCodeWhateverTheOrderOfTheFiles) {
  std::set<std::string_view> names;
  for (const auto& [family, name] : EnumNames<Family>::kNames) {
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_EQ(family_of(default_operator(family)), family) << name;
    EXPECT_EQ(&family_value(default_operator(family)), &family_value(family)) << name;
  }
  EXPECT_EQ(Family::Gemm, EnumNames<Family>::kNames[0].first);
  EXPECT_TRUE(std::holds_alternative<Gemm>(Operator()));
}

// What measured rows were split by must not move.
TEST(OperatorFamily, HashesBeginWithTheCode) {
  const KvWrite op{
      .type = DataType::Fp16, .kv_cache = DataType::Fp8, .tokens = 3, .kv_heads = 5, .head_dim = 7};
  std::uint64_t hash = hash_combine(0x57A9, 11);
  for (const std::uint64_t value : {std::uint64_t(op.type), std::uint64_t(op.kv_cache), std::uint64_t(3),
                                    std::uint64_t(5), std::uint64_t(7)})
    hash = hash_combine(hash, value);
  EXPECT_EQ(shape_hash(op), hash);
  EXPECT_EQ(shape_hash(Collective{.kind = CollectiveKind::SendRecv, .size = Bytes(8)}), [] {
    std::uint64_t all = hash_combine(0x57A9, 16);
    all = hash_combine(all, std::uint64_t(CollectiveKind::SendRecv));
    all = hash_combine(all, std::bit_cast<std::uint64_t>(8.0));
    return hash_combine(hash_combine(all, 2), 0);
  }());
}

TEST(OperatorFamily, AnExampleIsAnOperatorOfEverySubject) {
  const GpuCatalog gpus;
  const GpuSpec& gpu = gpus.get("H100");
  std::set<std::uint64_t> hashes;
  for (const auto& [family, name] : EnumNames<Family>::kNames) {
    const Operator op = family_value(family).example(family);
    EXPECT_NO_THROW(check_operator(op, "example")) << name;
    EXPECT_EQ(shape_hash(operator_from_json(operator_to_json(op), "example")), shape_hash(op)) << name;
    EXPECT_TRUE(hashes.insert(shape_hash(op)).second) << name;
    EXPECT_LT(kind_code(op), 1u << 16) << name;
    EXPECT_EQ(near_kinds(op, gpu).kinds[0].kind, kind_code(op)) << name;
    EXPECT_GT(grid_point(op).axes, 0u) << name;
    EXPECT_GT(operator_coordinates(op).count, 0u) << name;
    EXPECT_LE(operator_coordinates(op).count, kCoordinates) << name;
    const KernelProfile profile = warploom::profile(op, gpu);
    EXPECT_GT(profile.price.seconds, 0) << name;
    EXPECT_GE(profile.roofline, profile.physical_bound) << name;
  }
}

TEST(OperatorFamily, StepsScaleTheRowsOfAFamily) {
  for (const OperatorFamily* value : all_families()) {
    if (value->rows == nullptr) continue;
    Operator op = value->example(value->names[0].family);
    const std::uint64_t before = shape_hash(op);
    *value->rows(op) += 1;
    EXPECT_NE(shape_hash(op), before) << value->names[0].name;
  }
}

TEST(OperatorFamily, SaysWhatSortOfWorkItDoes) {
  EXPECT_TRUE(is_collective(Family::MoeDispatch));
  EXPECT_FALSE(is_collective(Family::Moe));
  EXPECT_EQ(family_value(Family::LinearAttention).kind, FamilyKind::Attention);
  EXPECT_EQ(family_value(Family::Sampling).kind, FamilyKind::Rows);
}

}  // namespace
}  // namespace warploom
