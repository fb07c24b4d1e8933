// A predicted figure against a measured one. Its error is |predicted - measured| / measured; bias is the same
// with its sign.
#pragma once

namespace warploom {

struct Comparison {
  double measured = 0, predicted = 0;  // of one unit
  double bias() const { return (predicted - measured) / measured; }
  double error() const { return bias() < 0 ? -bias() : bias(); }
};

}  // namespace warploom
