// Ranks of data-parallel attention start their prompts together, so that none computes a prompt while the
// others wait for it in the experts' collectives (TensorRT-LLM: attention_dp_config with enable_balance,
// _balance_adp_requests in _torch/pyexecutor/py_executor.py).
#pragma once

#include <cstdint>
#include <span>

namespace warploom {

struct RankBalanceConfig {
  bool on = false;
  std::int64_t timeout_steps = 50;   // after which prompts start though some rank has none
  std::int64_t batching_steps = 10;  // that prompts wait for more of them once every rank has one
};

// What one rank could run next.
struct RankLoad {
  bool prompts = false;   // requests that could start
  bool decodes = false;   // requests that go on
  bool has_place = true;  // for another request
};

class RankBalance {
 public:
  explicit RankBalance(const RankBalanceConfig& config) : config_(config) {}
  // Whether no prompt may start in the step that is chosen now; counts the steps.
  bool prompts_wait(std::span<const RankLoad> ranks);

 private:
  RankBalanceConfig config_;
  std::int64_t steps_ = 0;           // since prompts last started or timed out, whether any waited or not
  std::int64_t batching_steps_ = 0;  // with a prompt on every rank
};

}  // namespace warploom
