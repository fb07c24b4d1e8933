#include "warploom/models/layers/block_scheme.h"

#include <cmath>

namespace warploom {

MatmulScheme block_scheme(const LayerParameters& parameters, const LayerSchemes& schemes) {
  const auto bytes = [](MatmulScheme scheme) { return bytes_per_element(weight_type(scheme)); };
  const double in = bytes(schemes.attention_input), out = bytes(schemes.attention_output);
  // What is wrong with all of it in one scheme is the part that is stored in the other.
  const double wrong_as_input = parameters.attention_output * std::abs(in - out);
  const double wrong_as_output = parameters.attention_input * std::abs(in - out);
  return wrong_as_input <= wrong_as_output ? schemes.attention_input : schemes.attention_output;
}

}  // namespace warploom
