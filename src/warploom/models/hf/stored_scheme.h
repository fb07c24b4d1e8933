// Private to the module: how matrices are stored and multiplied, in the words that checkpoints use for it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "warploom/kernels/data_type.h"
#include "warploom/models/hf/config_values.h"

namespace warploom {

// Two are equal when engines run the same kernel on both.
struct StoredScheme {
  MatmulScheme scheme = MatmulScheme::Bf16;
  std::int64_t group_size = 0;   // elements sharing a scale; 0 = the scheme's usual group
  double scale_bytes = 2;        // of the scale of a group of weights that are stored alone in 4 bits
  std::string_view priced_as{};  // where no kernel of the scheme is measured: its name, static text
  bool operator==(const StoredScheme&) const = default;
};

// Throws Unsupported: "<where>: <what> is not supported; supported: ...".
[[noreturn]] void refuse_quantization(const ConfigValues& config, std::string_view what);

// A 'quant_algo' of ModelOpt; `config` names the place in errors. Throws Unsupported.
StoredScheme scheme_of_algorithm(const ConfigValues& config, const std::string& algorithm);
// A group of 'config_groups' (compressed-tensors, ModelOpt). `format`: of the checkpoint; a group may have
// its own. Throws Unsupported.
StoredScheme scheme_of_group(const ConfigValues& group, const std::string& format);
// 'quant_method' fp8. Throws Unsupported on a size of blocks that is not modelled.
StoredScheme fp8_scheme(const ConfigValues& config);
// Integer weights alone. Throws Unsupported.
StoredScheme weight_only_scheme(const ConfigValues& config, std::int64_t bits, std::string_view method);
// Four-bit floats with a scale for 32 elements. Engines choose by the GPU what multiplies them.
StoredScheme mxfp4_scheme();

// 'fp8', 'FP8', 'nvfp4' and their kin; none = 16 bits. Throws Unsupported.
DataType cache_type_of(const ConfigValues& config, const std::string& name);

}  // namespace warploom
