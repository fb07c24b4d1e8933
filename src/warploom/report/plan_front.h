// The fronts of a plan as a plot of characters and as SVG.
#pragma once

#include <string>
#include <vector>

#include "warploom/app/plan/make_plan.h"

namespace warploom {

struct PlotPoint {
  double x = 0, y = 0;
  bool on_front = false;
  std::string name;  // shown by SVG on the mouse
};
struct Plot {
  std::string title, x, y;
  std::vector<PlotPoint> points;
  std::string mark = "on the front";  // what its stars are
};

// Tokens/s/GPU over tokens/s/user, as InferenceX plots them; and $ (GPU hours without prices) per million
// output tokens over p95 TTFT in ms.
Plot speed_plot(const PlanResult& plan);
Plot cost_plot(const PlanResult& plan);

// '*' on the front, '.' beside it; empty without points.
std::string plot_text(const Plot& plot);
// One document with all plots below each other.
std::string plots_svg(const std::vector<Plot>& plots);

}  // namespace warploom
