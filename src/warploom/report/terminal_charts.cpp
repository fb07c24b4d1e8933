#include "warploom/report/terminal_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace warploom {
namespace {

constexpr int kEighths = 8;
// U+2581 .. U+2588 grow upwards, U+258F .. U+2588 to the right.
constexpr std::array<std::string_view, kEighths + 1> kUpward{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::array<std::string_view, kEighths + 1> kRightward{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
constexpr std::size_t kBarWidth = 40;  // characters

int eighths_of(double share, double places) {
  if (!(share > 0)) return 0;
  return std::max(1, int(std::lround(std::min(1.0, share) * places * kEighths)));
}

int code_of(Ink ink) {
  switch (ink) {
    case Ink::Blue:
      return 34;
    case Ink::Yellow:
      return 33;
    case Ink::Magenta:
      return 35;
    case Ink::Cyan:
      return 36;
    case Ink::Green:
      return 32;
    case Ink::Red:
      return 31;
    case Ink::Plain:
      break;
  }
  return 0;
}

}  // namespace

std::string sparkline(std::span<const double> values, double most, std::size_t width) {
  const std::size_t places = std::min(width, values.size());
  std::string text;
  for (std::size_t place = 0; place < places; ++place) {
    const std::size_t from = place * values.size() / places, to = (place + 1) * values.size() / places;
    double highest = 0;
    for (const double value : values.subspan(from, to - from)) highest = std::max(highest, value);
    text += kUpward.at(std::size_t(most > 0 ? eighths_of(highest / most, 1) : 0));
  }
  return text;
}

std::string bar_text(double share, std::size_t width) {
  const auto eighths = std::size_t(eighths_of(share, double(width)));
  std::string text;
  for (std::size_t full = 0; full < eighths / kEighths; ++full) text += kRightward.back();
  return text + std::string(kRightward.at(eighths % kEighths));
}

std::string inked(const std::string& text, Ink ink, ChartStyle style) {
  if (!style.color || ink == Ink::Plain) return text;
  return fmt::format("\x1b[{}m{}\x1b[0m", code_of(ink), text);
}

std::string bars_text(std::span<const ChartBar> bars, ChartStyle style) {
  std::size_t names = 0;
  for (const ChartBar& bar : bars) names = std::max(names, bar.name.size());
  std::string text;
  for (const ChartBar& bar : bars) {
    const std::string drawn = bar_text(bar.share, kBarWidth);
    // a character of a bar is three bytes of UTF-8
    const std::size_t gap = kBarWidth - drawn.size() / kRightward.back().size();
    text += fmt::format("{:<{}}  {}{}  {}\n", bar.name, names, inked(drawn, bar.ink, style),
                        std::string(gap, ' '), bar.words);
  }
  return text;
}

}  // namespace warploom
