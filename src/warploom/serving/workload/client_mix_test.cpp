#include "warploom/serving/workload/client_mix.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "warploom/base/error.h"

namespace warploom {
namespace {

Json chat_and_batch() {
  return Json::parse(R"({"schema": "warploom_clients", "version": 1, "duration_s": 1000,
    "slo_classes": {"chat": {"ttft": 300}, "batch": {"e2el": 60000}},
    "clients": [
      {"name": "web", "tenant": "acme", "slo_class": "chat", "rate": 4, "prefix_tokens": 30,
       "input_tokens": {"min": 10, "max": 20}, "output_tokens": 5,
       "windows": [{"from_s": 200, "to_s": 300, "factor": 5}]},
      {"name": "night", "slo_class": "batch", "priority": 3, "rate": 1, "from_s": 500, "arrivals": "constant",
       "input_tokens": {"weights": [[100, 1], [200, 3]]}, "output_tokens": {"quantiles": [1, 1, 9]}}]})");
}

std::int64_t between(const Workload& workload, double from, double to, std::uint16_t slo_class) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < workload.requests.size(); ++i) {
    const double at = workload.requests[i].arrival.seconds().value();
    count += at >= from && at < to && workload.groups[i].slo_class == slo_class ? 1 : 0;
  }
  return count;
}

TEST(ClientMix, SendsByRateWindowAndTime) {
  const Workload workload = client_workload(client_mix_from_json(chat_and_batch(), "test"), 0, 0, 7);
  check_workload(workload);
  ASSERT_EQ(workload.classes, (std::vector<std::string>{"chat", "batch"}));
  ASSERT_EQ(workload.tenants, std::vector<std::string>{"acme"});
  EXPECT_EQ(workload.class_limits[0].ttft, milliseconds(300));
  // Poisson counts, within five deviations.
  EXPECT_NEAR(double(between(workload, 0, 200, 0)), 800, 5 * std::sqrt(800.0));
  EXPECT_NEAR(double(between(workload, 200, 300, 0)), 2000, 5 * std::sqrt(2000.0));
  EXPECT_EQ(between(workload, 0, 500, 1), 0);
  EXPECT_EQ(between(workload, 500, 1000, 1), 500) << "one a second, evenly";
  std::int64_t long_prompts = 0;
  for (std::size_t i = 0; i < workload.requests.size(); ++i) {
    const WorkloadRequest& request = workload.requests[i];
    if (workload.groups[i].slo_class == 0) {
      EXPECT_EQ(workload.groups[i].tenant, 0);
      EXPECT_GE(request.input_tokens, 40);
      EXPECT_LE(request.input_tokens, 50);
      EXPECT_EQ(workload.content_of(i)[0].content, 1u) << "all of one client begin alike";
      continue;
    }
    EXPECT_EQ(workload.groups[i].tenant, kNoGroup);
    EXPECT_EQ(request.priority, 3);
    EXPECT_TRUE(request.input_tokens == 100 || request.input_tokens == 200);
    long_prompts += request.input_tokens == 200 ? 1 : 0;
  }
  EXPECT_NEAR(double(long_prompts), 375, 5 * std::sqrt(500 * 0.75 * 0.25));
}

TEST(ClientMix, ScalesToARateAndSwings) {
  ClientMix mix = client_mix_from_json(chat_and_batch(), "test");
  const Workload faster = client_workload(mix, 20, 0, 1);
  EXPECT_NEAR(double(faster.requests.size()), 20000, 5 * std::sqrt(20000.0));
  EXPECT_EQ(client_workload(mix, 20, 100, 1).requests.size(), 100u);
  mix.clients.resize(1);
  mix.clients[0].windows.clear();
  mix.clients[0].diurnal = {.amplitude = 1, .period = Seconds(1000), .peak = Seconds(0)};
  const Workload swinging = client_workload(mix, 0, 0, 1);
  // Over a whole period the mean rate stays; the middle half of the time has (1/2 - 1/pi) of it.
  EXPECT_NEAR(double(swinging.requests.size()), 4000, 5 * std::sqrt(4000.0));
  EXPECT_NEAR(double(between(swinging, 250, 750, 0)), 4000 * (0.5 - 1 / 3.14159265), 5 * std::sqrt(727.0));
}

// Deviation of gaps over their mean: 1 / sqrt(shape) of gamma, sqrt(5) of Weibull with shape 1/2.
TEST(ClientMix, GapsHaveTheSpreadOfTheirProcess) {
  for (const auto& [process, shape, wanted] :
       {std::tuple{ArrivalProcess::Gamma, 0.25, 2.0}, std::tuple{ArrivalProcess::Gamma, 4.0, 0.5},
        std::tuple{ArrivalProcess::Weibull, 0.5, std::sqrt(5.0)},
        std::tuple{ArrivalProcess::Poisson, 1.0, 1.0}}) {
    ClientMix mix;
    mix.duration = Seconds(40000.0);
    mix.clients.push_back({.name = "one", .rate = 1, .arrivals = process, .shape = shape});
    const Workload workload = client_workload(mix, 0, 0, 3);
    double sum = 0, squares = 0, before = 0;
    for (const WorkloadRequest& request : workload.requests) {
      const double gap = request.arrival.seconds().value() - before;
      before += gap;
      sum += gap;
      squares += gap * gap;
    }
    const double count = double(workload.requests.size()), mean = sum / count;
    EXPECT_NEAR(mean, 1, 0.07) << name_of(process);
    EXPECT_NEAR(std::sqrt(squares / count - mean * mean) / mean, wanted, 0.1 * wanted) << name_of(process);
  }
}

TEST(ClientMix, ComesBackFromItsJson) {
  const ClientMix mix = client_mix_from_json(chat_and_batch(), "test");
  const Json written = client_mix_to_json(mix);
  EXPECT_EQ(written, client_mix_to_json(client_mix_from_json(written, "again")));
  const Workload a = client_workload(mix, 0, 0, 5);
  const Workload b = client_workload(client_mix_from_json(written, "again"), 0, 0, 5);
  ASSERT_EQ(a.requests.size(), b.requests.size());
  for (std::size_t i = 0; i < a.requests.size(); ++i) {
    EXPECT_EQ(a.requests[i].arrival, b.requests[i].arrival);
    EXPECT_EQ(a.requests[i].input_tokens, b.requests[i].input_tokens);
  }
}

TEST(ClientMix, RefusesWhatItDoesNotUnderstand) {
  const auto refused = [](const char* patch) {
    Json document = chat_and_batch();
    document.merge_patch(Json::parse(patch));
    try {
      (void)client_workload(client_mix_from_json(document, "mix.json"), 0, 0, 1);
    } catch (const InvalidInput& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(refused(R"({"schema": "other"})").find("expected \"schema\""), std::string::npos);
  EXPECT_NE(refused(R"({"duration_s": 0})").find("duration_s"), std::string::npos);
  EXPECT_NE(refused(R"({"clients": []})").find("at least one"), std::string::npos);
  EXPECT_NE(refused(R"({"slo_classes": {"chat": null}})").find("'chat' is not among"), std::string::npos);
  EXPECT_NE(refused(R"({"weeks": 3})").find("'weeks' is unknown"), std::string::npos);
  const auto tokens = [&](const char* distribution) {
    return refused(fmt::format(R"({{"slo_classes": {{"a": {{}}}}, "clients": [{{"name": "x", "rate": 1,
        "input_tokens": {}, "output_tokens": 1}}]}})",
                               distribution)
                       .c_str());
  };
  for (const char* wrong :
       {"0", "\"ten\"", R"({"min": 5, "max": 2})", R"({"quantiles": [3, 1]})", R"({"weights": [[1, -1]]})",
        R"({"weights": [[1, 0]]})", R"({"min": 1, "mean": 2})"})
    EXPECT_NE(tokens(wrong).find("client 0: input_tokens"), std::string::npos) << wrong;
  EXPECT_EQ(tokens("12"), "");
  Json newer = chat_and_batch();
  newer["version"] = 9;
  EXPECT_THROW(client_mix_from_json(newer, "mix.json"), Unsupported);
}

}  // namespace
}  // namespace warploom
