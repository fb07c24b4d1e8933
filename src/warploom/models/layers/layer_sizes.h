// What every kind of layer answers about its sizes.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace warploom {

// Far above any model; products of three such sizes stay below 2^63.
constexpr double kMostHeadWidth = 1e5;  // heads, widths of heads, ranks
constexpr double kMostWidth = 1e7;      // of an MLP
constexpr double kMostExperts = 65'536;

constexpr double element_count(std::int64_t a, std::int64_t b, std::int64_t c = 1) {
  return static_cast<double>(a) * static_cast<double>(b) * static_cast<double>(c);
}

// Elements that one GPU holds of one layer. As doubles: totals exceed what matters of 64-bit integers
// nowhere, and ratios follow.
struct LayerParameters {
  double attention_input = 0, attention_output = 0;
  double mlp = 0;
  double experts = 0, shared_experts = 0;
  double tables = 0;    // looked up by tokens, in bytes with a scale for 32
  double plain = 0;     // router, norms, biases, convolutions: in the model's own type
  double used = 1;      // part of `experts` that one token uses
  double absorbed = 0;  // MLA's 16-bit copies, not parameters of the model
  double repeated = 0;  // of attention_input, kept twice by engines and once in the checkpoint
  double total() const {
    return attention_input + attention_output + mlp + experts + shared_experts + tables + plain;
  }
  // A token reads some rows of tables alone.
  double active() const { return total() - experts * (1.0 - used) - tables; }
};

// What one GPU caches for one layer: elements of the cache's type, and bytes whatever that is.
struct LayerCache {
  double per_token = 0;          // elements of each token that is kept
  double per_request = 0;        // elements of the model's type, a state, whatever the length
  std::int64_t window = 0;       // tokens that are kept; 0: every one
  double bytes_per_token = 0;    // of every token: keys of an indexer, compressed entries
  double bytes_per_request = 0;  // states of a type of their own, and windows beside a compressed cache
};

// One linear layer that adapters may add to, as one GPU holds it: [in, out], `slices` outputs packed side by
// side. Labels are static text.
struct AdaptedProduct {
  std::string_view shrink, expand;
  std::int64_t in = 0, out = 0, slices = 1, layers = 0;
};

// What context parallelism may share out of a kind of mixer.
struct ContextSplit {
  bool cached = false;      // tokens in the cache, over ranks that would hold the same ones
  bool prompts = false;     // new tokens of a prompt
  std::string_view name{};  // of what does not let it
};

inline constexpr std::string_view kRecurrentStates = "recurrent states";

// Modules of a checkpoint that engines fuse into one product: all of them are quantised, or none.
struct LayerModules {
  std::vector<std::string_view> input;
  std::string_view output;
};

}  // namespace warploom
