#include "warploom/serving/engines/attention_groups.h"

#include <fmt/format.h>

#include "warploom/base/error.h"

namespace warploom {

ServingConfig group_attention(ServingConfig config, const ModelArchitecture& model, std::int64_t groups) {
  config.enable_dp_attention = false;
  if (model.mixture() == nullptr)
    throw InvalidInput(fmt::format(
        "enable_dp_attention: {} has no experts, expected a mixture-of-experts model", model.name));
  const std::int64_t gpus = config.tensor_parallel_size;
  if (gpus % groups != 0)
    throw InvalidInput(
        fmt::format("enable_dp_attention: data_parallel_size is {}, expected a divisor of the {} GPUs of "
                    "tensor_parallel_size",
                    groups, gpus));
  config.tensor_parallel_size = gpus / groups;
  config.data_parallel_size = groups;
  return config;
}

}  // namespace warploom
