#include "warploom/planner/node_room.h"

#include <gtest/gtest.h>

#include "warploom/base/error.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/hardware/node_catalog.h"

namespace warploom {
namespace {

Configuration instance_of_two() {
  Configuration configuration;
  configuration.shape.tensor_parallel = 2;
  return configuration;
}

NodeRoom room_of_gpu(const char* gpu, std::optional<double> rack_kw) {
  const GpuCatalog catalog;
  return node_room(NodeCatalog(catalog).node_of(catalog.get(gpu)), rack_kw);
}

TEST(NodeRoom, CountsNodesPowerAndRacks) {
  const NodeRoom room = room_of_gpu("H100-SXM", 40);
  EXPECT_EQ(room.per_rack, 3) << "10.2 kW each";
  EXPECT_EQ(room_of_gpu("H100-SXM", 200).per_rack, 5) << "8 of 42 units each";
  EXPECT_EQ(room_of_gpu("H100-SXM", {}).per_rack, 0) << "nobody said";
  const FleetRoom four = room_of({room}, instance_of_two(), {13, 0});
  EXPECT_EQ(four.nodes, 4);
  EXPECT_EQ(four.racks, 2);
  EXPECT_NEAR(*four.power_kw, 4 * 10.2, 1e-9);
}

TEST(NodeRoom, Nvl72ComesAsWholeRacks) {
  const NodeRoom room = room_of_gpu("GB200", {});
  EXPECT_TRUE(room.whole_racks);
  EXPECT_EQ(room.per_rack, 18);
  const FleetRoom one = room_of({room}, instance_of_two(), {1, 0});
  EXPECT_EQ(one.racks, 1);
  EXPECT_NEAR(*one.power_kw, 120, 0.1) << "all of the rack";
  EXPECT_THROW(room_of_gpu("GB200", 60), InvalidInput);
  EXPECT_THROW(room_of_gpu("H100-SXM", 9), InvalidInput);
}

TEST(NodeRoom, EveryShippedRecordIsOfAKnownNodeAndHasASource) {
  const GpuCatalog gpus;
  const NodeCatalog nodes(gpus);
  std::int64_t known = 0;
  for (const NodeSpec& node : nodes.nodes())
    if (const auto demand = node_demand(node.name)) {
      EXPECT_FALSE(demand->source.empty()) << node.name;
      EXPECT_GT(demand->power_kw, 0) << node.name;
      ++known;
    }
  EXPECT_EQ(known, 8) << "all records of data/rooms";
}

}  // namespace
}  // namespace warploom
