#include "warploom/report/terminal_charts.h"

#include <gtest/gtest.h>

#include "warploom/report/run_charts.h"

namespace warploom {
namespace {

TEST(TerminalCharts, SparklineKeepsAPeak) {
  const std::vector<double> even{0, 1, 2, 4, 8};
  EXPECT_EQ(sparkline(even, 8, 60), " ▁▂▄█");
  std::vector<double> long_run(600, 0.0);
  long_run[301] = 5;
  const std::string drawn = sparkline(long_run, 10, 60);
  EXPECT_EQ(drawn, std::string(30, ' ') + "▄" + std::string(29, ' '));
  EXPECT_EQ(sparkline({}, 1, 60), "");
  EXPECT_EQ(sparkline(std::vector<double>{0, 0}, 0, 60), "  ");
  // what is hardly anything is not nothing, and what is beyond the scale stays on it
  EXPECT_EQ(sparkline(std::vector<double>{0.001, 20}, 10, 60), "▁█");
}

TEST(TerminalCharts, BarsGrowInEighths) {
  EXPECT_EQ(bar_text(0, 10), "");
  EXPECT_EQ(bar_text(1e-9, 10), "▏");
  EXPECT_EQ(bar_text(0.5, 10), "█████");
  EXPECT_EQ(bar_text(0.55, 10), "█████▌");
  EXPECT_EQ(bar_text(7, 2), "██");
}

TEST(TerminalCharts, BarsStandBelowEachOther) {
  const std::vector<ChartBar> bars{{.name = "dram", .words = "a", .share = 1, .ink = Ink::Yellow},
                                   {.name = "host", .words = "b", .share = 0.5}};
  const std::string plain = bars_text(bars, {});
  EXPECT_EQ(plain.find('\x1b'), std::string::npos);
  std::string full, half;
  for (int i = 0; i < 40; ++i) full += "█";
  for (int i = 0; i < 20; ++i) half += "█";
  EXPECT_EQ(plain, "dram  " + full + "  a\nhost  " + half + std::string(20, ' ') + "  b\n");
  const std::string colored = bars_text(bars, {.color = true});
  EXPECT_NE(colored.find("\x1b[33m█"), std::string::npos);
  EXPECT_NE(colored.find("█\x1b[0m"), std::string::npos);
  EXPECT_NE(colored.find("\nhost  █"), std::string::npos);
}

TEST(TerminalCharts, TimelineSaysItsPeaks) {
  SimulationResult result;
  EXPECT_EQ(timeline_chart(result, {}), "");
  for (int i = 0; i < 4; ++i)
    result.timeline.push_back({.time = SimTime(std::int64_t(i) * 1'000'000'000),
                               .running = 2 * i,
                               .waiting = i == 2 ? 100 : 0,
                               .kv_use = 0.25 * i});
  const std::string calm = timeline_chart(result, {});
  EXPECT_NE(calm.find("running    ▃▅█  at most 6\n"), std::string::npos) << calm;
  EXPECT_NE(calm.find("  █   at most 100\n"), std::string::npos) << calm;
  EXPECT_NE(calm.find(" ▂▄▆  at most 75.0 %\n"), std::string::npos) << calm;
  EXPECT_EQ(calm.find("preemptions"), std::string::npos);
  result.timeline.back().preemptions = 3;
  EXPECT_NE(timeline_chart(result, {}).find("preemptions     █  3 in all\n"), std::string::npos);
}

TEST(TerminalCharts, StepAddsKernelsOfABound) {
  StepBreakdown step;
  step.gpu_p50 = Seconds(8e-3);
  step.host = Seconds(2e-3);
  step.kernels = {{.label = "a", .p50 = Seconds(3e-3), .bound = Bound::Tensor, .source = {}},
                  {.label = "b", .p50 = Seconds(4e-3), .bound = Bound::Dram, .source = {}},
                  {.label = "c", .p50 = Seconds(1e-3), .bound = Bound::Tensor, .source = {}}};
  const std::string chart = step_chart(step, {});
  EXPECT_NE(chart.find("4.00 ms, 40.0 %"), std::string::npos) << chart;
  EXPECT_NE(chart.find("host    ████████████████████ "), std::string::npos) << chart;
  EXPECT_NE(chart.rfind("4.00 ms, 40.0 %"), chart.find("4.00 ms, 40.0 %")) << chart;  // dram, and tensor
}

TEST(TerminalCharts, FitSpreadsItsResiduals) {
  WaveModel model;
  for (const float residual : {0.01F, 0.01F, 0.05F}) {
    FittedConfig fitted;
    fitted.residual = residual;
    model.configs.push_back(fitted);
  }
  const std::string chart = fit_chart(model, {});
  EXPECT_NE(chart.find("residuals 1.0 % █"), std::string::npos) << chart;
  EXPECT_NE(chart.find("▄ 5.0 %: configurations, at most 2 of 3"), std::string::npos) << chart;
  model.configs.resize(1);
  EXPECT_EQ(fit_chart(model, {}), "");
}

}  // namespace
}  // namespace warploom
