#include "warploom/models/rank_placement.h"

#include <gtest/gtest.h>

#include "warploom/models/model_catalog.h"
#include "warploom/models/operator_graph.h"

namespace warploom {
namespace {

GraphOptions domain_of(std::int64_t gpus) {
  GraphOptions options;
  options.ranks_per_node = gpus;
  return options;
}

// Ranks per node of the collectives with a label; 0: they share a domain.
std::vector<std::int64_t> placed(const Sharding& sharding, const GraphOptions& options,
                                 std::string_view label) {
  std::vector<std::int64_t> ranks;
  const char* model = sharding.attention_data_parallel > 1 ? "DeepSeek-R1" : "Llama-3.1-70B";
  for (const OperatorNode& node :
       build_operator_graph(load_model(model), sharding, StepShape::one_token_each(16, 100), options))
    if (node.label == label) ranks.push_back(std::get<Collective>(node.op).ranks_per_node);
  return ranks;
}

TEST(RankPlacement, GroupsThatFitShareADomain) {
  EXPECT_EQ(ranks_in_domain(domain_of(0), 64), 0);
  EXPECT_EQ(ranks_in_domain(domain_of(8), 8), 0);
  EXPECT_EQ(ranks_in_domain(domain_of(8), 16), 8);
  EXPECT_EQ(ranks_in_domain(domain_of(8), 2, 8), 1);
  EXPECT_EQ(ranks_in_domain(domain_of(8), 4, 4), 2);
}

TEST(RankPlacement, TensorParallelismLeavesTheNodeOnlyWhereItIsWider) {
  EXPECT_EQ(placed({.tensor_parallel = 16}, domain_of(8), "allreduce"), std::vector<std::int64_t>{8});
  EXPECT_EQ(placed({.tensor_parallel = 8, .pipeline_parallel = 2}, domain_of(8), "allreduce"),
            std::vector<std::int64_t>{0});
}

TEST(RankPlacement, StagesOfANodeSendAcross) {
  const Sharding sharding{.tensor_parallel = 8, .pipeline_parallel = 2};
  EXPECT_EQ(placed(sharding, domain_of(8), "pipeline_send_across"), std::vector<std::int64_t>{1});
  EXPECT_TRUE(placed(sharding, domain_of(8), "pipeline_send").empty());
  EXPECT_EQ(placed(sharding, domain_of(0), "pipeline_send"), std::vector<std::int64_t>{0});
  EXPECT_EQ(crossings_between(domain_of(8), 4, 4), 1);  // two stages a node
  EXPECT_EQ(crossings_between(domain_of(8), 3, 16), 2);
}

TEST(RankPlacement, ExpertsOfGroupsInTwoNodesAreReachedAcross) {
  const Sharding wide{.expert_parallel = 16, .attention_data_parallel = 16};
  EXPECT_EQ(placed(wide, domain_of(8), "moe_allgather"), std::vector<std::int64_t>{8});
  const Sharding pairs{.tensor_parallel = 8, .expert_parallel = 16, .attention_data_parallel = 2};
  EXPECT_EQ(placed(pairs, domain_of(8), "moe_allgather"), std::vector<std::int64_t>{1});
  EXPECT_EQ(placed(pairs, domain_of(8), "allreduce"), std::vector<std::int64_t>{0});
}

TEST(RankPlacement, TheNetworkIsSaidWhereItIsUsed) {
  GraphOptions options = domain_of(8);
  options.network.nic_rate = gigabytes_per_second(25);
  Collective inside{.ranks = 8}, across{.ranks = 16};
  place_ranks(inside, options);
  place_ranks(across, options);
  EXPECT_FALSE(inside.nic_rate.has_value());
  EXPECT_EQ(across.nic_rate, options.network.nic_rate);
}

}  // namespace
}  // namespace warploom
