// Private to the module: what modules within a part of a layer are called in checkpoints, of whatever model.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warploom {

// A part of layers, by the first component below a layer's path, and what it may hold.
struct LayerPart {
  std::string name;
  bool mixes = false;  // attention and its kin
  bool feeds = false;  // dense and expert products
};

// Whether no weights of a product are meant: norms, routers, biases, scales, by the name of a part or of a
// module in it.
bool is_small_module(std::string_view name);

// The first component of `path`, below the part, that no such part of any known model has; empty: all are
// known. Numbers (of experts) are passed over.
std::string_view unknown_module(const LayerPart& part, std::string_view path);
// Every name that the part may hold.
std::vector<std::string> module_words(const LayerPart& part);

}  // namespace warploom
