// The published model of collectives: a random forest of one GPU and kind over message size and ranks.
//
// Breiman's random forest for regression as the publication sets it: 100 trees of depth 20 at most, a split
// needs 5 rows and a leaf 2, the target is the mean latency. Trees are grown by the library that boosts trees
// (learning/boosting.h), each on rows drawn with replacement's share of distinct ones, 63.2 %.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "warploom/kernels/latency_model.h"
#include "warploom/kernels/operator.h"
#include "warploom/learning/tree_ensemble.h"

namespace warploom::baselines {

// Whether a collective is NCCL's, the only library of the publication; one that names no kernel is.
bool is_nccl(const KernelContext& context);

struct CollectiveRow {
  double bytes = 0, ranks = 2, seconds = 0;
};

class CollectiveForest {
 public:
  CollectiveForest(CollectiveKind kind, std::string gpu, std::string trees, std::string_view where);
  // Encoded trees for the constructor. Throws InvalidInput without rows.
  static std::string train(std::span<const CollectiveRow> rows, std::uint64_t seed);

  CollectiveKind kind() const { return kind_; }
  const std::string& gpu() const { return gpu_; }
  const std::string& trees() const { return encoded_; }
  double seconds(double bytes, double ranks) const;

 private:
  CollectiveKind kind_;
  std::string gpu_, encoded_;
  TreeEnsemble ensemble_;
};

}  // namespace warploom::baselines
