// The sizes that something was fitted or learned on, and what an answer outside of them is worth.
#pragma once

namespace warploom {

// The sizes between two ends, which are inside.
struct SizeRange {
  double low = 1, high = 1;
};

// How far a size lies outside, in widths of the range on a scale of octaves; a range of less than an octave
// counts as one. 0: inside.
double widths_outside(const SizeRange& range, double size);

// Half-width, ln, that an answer gains `widths` outside of what it was learned from: of a feature of a model
// (LoadedFamily::outside) or a size of a rule.
double doubt_outside(double widths);

}  // namespace warploom
