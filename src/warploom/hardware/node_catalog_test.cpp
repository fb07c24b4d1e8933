#include "warploom/hardware/node_catalog.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "warploom/base/error.h"

namespace warploom {
namespace {

TEST(NodeCatalog, LoadsEveryRecordAndAgreesWithTheGpus) {
  const GpuCatalog gpus;
  const NodeCatalog nodes(gpus);
  EXPECT_GE(nodes.nodes().size(), 11U);
  for (const NodeSpec& node : nodes.nodes()) {
    const GpuSpec& gpu = gpus.get(node.gpu);
    EXPECT_EQ(node.gpu, gpu.name);
    EXPECT_TRUE(node.network.exists()) << node.name;
    EXPECT_FALSE(node.source.empty());
    if (node.link.exists()) {
      EXPECT_EQ(node.link.kind, gpu.link_kind) << node.name;
      EXPECT_DOUBLE_EQ(node.link.bandwidth.value(), gpu.link_bandwidth.value()) << node.name;
      EXPECT_EQ(node.link.domain_size, gpu.link_domain_size) << node.name;
    }
    if (node.host_bus.exists()) {
      EXPECT_DOUBLE_EQ(node.host_bus.bandwidth.value(), gpu.pcie_bandwidth.value());
    }
  }
}

TEST(NodeCatalog, GivesEveryGpuANode) {
  const GpuCatalog gpus;
  const NodeCatalog nodes(gpus);
  for (const GpuSpec& gpu : gpus.gpus()) {
    const NodeSpec node = nodes.node_of(gpu);
    EXPECT_EQ(node.gpu, gpu.name);
    EXPECT_NO_THROW(node.check(gpu.name));
    EXPECT_NO_THROW(default_node(gpu).check(gpu.name));
    for (const std::int64_t ranks : {2, 4, 8, 16, 64})
      EXPECT_TRUE(node.path(ranks).exists()) << gpu.name << ranks;
  }
  EXPECT_EQ(nodes.node_of(gpus.get("H100")).name, "hgx_h100");
  EXPECT_EQ(nodes.node_of(gpus.get("gb10")).gpus_per_node, 1);
}

TEST(NodeSpec, PicksThePathThatBoundsACollective) {
  const GpuCatalog gpus;
  const NodeCatalog nodes(gpus);
  const NodeSpec& hgx = nodes.get("HGX-H100");
  EXPECT_EQ(hgx.path(8).kind, LinkKind::NvLink);
  EXPECT_EQ(hgx.path(8, 4).kind, LinkKind::InfiniBand);
  EXPECT_EQ(hgx.path(16).kind, LinkKind::InfiniBand);
  EXPECT_TRUE(hgx.link.in_network_reduction);
  const NodeSpec& rack = nodes.get("gb200_nvl72");
  EXPECT_EQ(rack.path(64).kind, LinkKind::NvLink);
  EXPECT_EQ(rack.path(16, 4).kind, LinkKind::NvLink);
  EXPECT_EQ(rack.path(73).kind, LinkKind::InfiniBand);
  EXPECT_EQ(nodes.get("l40s_8x_pcie").path(8).kind, LinkKind::Pcie);
  const NodeSpec pairs = nodes.node_of(gpus.get("a40"));
  EXPECT_EQ(pairs.path(2).kind, LinkKind::NvLink);
  EXPECT_EQ(pairs.path(4).kind, LinkKind::Pcie);
  EXPECT_EQ(nodes.get("mi300x_8x").path(8).topology, Topology::Mesh);
  EXPECT_THROW(hgx.path(1), InvalidInput);
  EXPECT_THROW(hgx.path(-2), InvalidInput);
  EXPECT_THROW(hgx.path(16, 9), InvalidInput);
}

TEST(NodeRecord, ReadsBackWhatItWrites) {
  const GpuCatalog gpus;
  const NodeCatalog nodes(gpus);
  for (const NodeSpec& node : nodes.nodes()) {
    const NodeSpec again = node_from_json(node_to_json(node), gpus, node.name);
    EXPECT_EQ(again.name, node.name);
    EXPECT_EQ(again.title, node.title);
    EXPECT_EQ(again.gpus_per_node, node.gpus_per_node);
    for (const auto part : {&NodeSpec::link, &NodeSpec::host_bus, &NodeSpec::network}) {
      EXPECT_EQ((again.*part).kind, (node.*part).kind);
      EXPECT_EQ((again.*part).topology, (node.*part).topology);
      EXPECT_DOUBLE_EQ((again.*part).bandwidth.value(), (node.*part).bandwidth.value());
      EXPECT_DOUBLE_EQ((again.*part).latency.value(), (node.*part).latency.value());
      EXPECT_EQ((again.*part).domain_size, (node.*part).domain_size);
      EXPECT_EQ((again.*part).in_network_reduction, (node.*part).in_network_reduction);
    }
  }
}

TEST(NodeRecord, SaysOnlyWhatDiffersFromTheUsualNode) {
  const GpuCatalog gpus;
  const Json document = {{"name", "four"},
                         {"gpu", "l40s"},
                         {"gpus_per_node", 16},
                         {"source", "mine"},
                         {"network", {{"bandwidth_gb_per_s", 12.5}}}};
  const NodeSpec node = node_from_json(document, gpus, "four.json");
  EXPECT_EQ(node.host_bus.domain_size, 16);
  EXPECT_DOUBLE_EQ(node.network.bandwidth.value(), 12.5e9);
  EXPECT_EQ(node.network.kind, LinkKind::InfiniBand);
}

TEST(NodeRecord, RefusesBadRecords) {
  const GpuCatalog gpus;
  const Json good = {{"name", "mine"}, {"gpu", "h100_sxm"}, {"source", "me"}};
  EXPECT_NO_THROW(node_from_json(good, gpus, "mine.json"));
  const auto changed = [&](const char* key, const Json& value) {
    Json document = good;
    document[key] = value;
    return document;
  };
  EXPECT_THROW(node_from_json(changed("gpu", "h1000000"), gpus, "n"), NotFound);
  EXPECT_THROW(node_from_json(changed("gpu", 5), gpus, "n"), InvalidInput);
  EXPECT_THROW(node_from_json(changed("gpus_per_node", 0), gpus, "n"), InvalidInput);
  EXPECT_THROW(node_from_json(changed("name", ""), gpus, "n"), InvalidInput);
  EXPECT_THROW(node_from_json(changed("link", {{"bandwidth_gb_per_s", -1}}), gpus, "n"), InvalidInput);
  EXPECT_THROW(node_from_json(changed("link", {{"bandwidth_gb_per_s", 0}}), gpus, "n"), InvalidInput);
  EXPECT_THROW(node_from_json(changed("link", {{"domain_size", 1}}), gpus, "n"), InvalidInput);
  EXPECT_THROW(node_from_json(changed("host_bus", {{"domain_size", 4}}), gpus, "n"), InvalidInput);
  EXPECT_THROW(node_from_json(changed("nettwork", Json::object()), gpus, "n"), InvalidInput);
  EXPECT_THROW(node_from_json(changed("version", 9), gpus, "n"), Unsupported);
}

TEST(NodeCatalog, FindsByNameAndReadsAUsersRecord) {
  const GpuCatalog gpus;
  const NodeCatalog nodes(gpus);
  EXPECT_EQ(nodes.get("DGX H100").name, "hgx_h100");
  EXPECT_EQ(nodes.find("nowhere"), nullptr);
  EXPECT_THROW(nodes.get("hgx_h1000"), NotFound);
  const Json record{{"name", "my_node"}, {"gpu", "H100"}, {"gpus_per_node", 4}, {"source", "mine"}};
  const NodeSpec mine = node_from_json(record, gpus, "mine.json");
  EXPECT_EQ(mine.gpu, "h100_sxm");
  EXPECT_EQ(mine.gpus_per_node, 4);
}

}  // namespace
}  // namespace warploom
