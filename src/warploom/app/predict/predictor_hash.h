// Which predictor it is: a hash of the bytes that its answers come from.
#pragma once

#include <cstdint>
#include <string>

namespace warploom {

// `predictor` as open_latency_model takes it. Two folders with the same files have the same hash; one in
// which a family was learned anew has another. Throws IoError.
std::uint64_t predictor_hash(const std::string& predictor);
// The same as users see it: 16 hexadecimal digits.
std::string predictor_hash_text(const std::string& predictor);

}  // namespace warploom
