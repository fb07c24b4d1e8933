// Sparklines and bars of characters, for terminals: Unicode's blocks of eighths, coloured by ANSI's codes
// where colour is wanted.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace warploom {

struct ChartStyle {
  bool color = false;
};

// One character a value, from an empty place at 0 to a full block at `most`. More values than `width` are
// drawn as the largest of each stretch: a short peak stays.
std::string sparkline(std::span<const double> values, double most, std::size_t width);

// A bar of `share` (0 to 1) of `width` characters, in eighths; anything above 0 is seen.
std::string bar_text(double share, std::size_t width);

// ANSI's colours that are readable on a light and on a dark ground.
enum class Ink { Plain, Blue, Yellow, Magenta, Cyan, Green, Red };
std::string inked(const std::string& text, Ink ink, ChartStyle style);

struct ChartBar {
  std::string name, words;  // what stands before the bar, and after it
  double share = 0;         // of the longest bar
  Ink ink = Ink::Plain;
};
// A line a bar, names and bars below each other.
std::string bars_text(std::span<const ChartBar> bars, ChartStyle style);

}  // namespace warploom
