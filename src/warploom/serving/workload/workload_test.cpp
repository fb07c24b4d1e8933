#include "warploom/serving/workload/workload.h"

#include <gtest/gtest.h>

#include <cmath>

#include "warploom/base/error.h"
#include "warploom/serving/pricing/linear_step_pricer_test.h"
#include "warploom/serving/simulation.h"
#include "warploom/serving/workload/fitted_workload.h"
#include "warploom/serving/workload/named_sessions.h"

namespace warploom {
namespace {

TEST(Workload, RatesAreOfRequestsThatArriveThemselves) {
  Workload workload;
  for (int session = 0; session < 5; ++session) {
    workload.requests.push_back({to_sim_time(Seconds(session)), 10, 10});
    workload.requests.push_back({SimTime(), 10, 10, 2 * session, SimDuration(1)});
  }
  EXPECT_NEAR(arrival_rate(workload), 1, 1e-9);
  rescale_arrivals(workload, 2);
  EXPECT_NEAR(arrival_rate(workload), 2, 1e-6);
  set_fixed_rate_arrivals(workload, 4);
  EXPECT_NEAR(arrival_rate(workload), 4, 1e-6);
  set_poisson_arrivals(workload, 4, 1);
  check_workload(workload);
}

TEST(Workload, SyntheticLengthsStayInTheirRange) {
  const Workload workload = synthetic_workload(
      {.requests = 2000, .input_tokens = 1000, .output_tokens = 100, .range_ratio = 0.8}, 4);
  double sum = 0;
  for (const WorkloadRequest& request : workload.requests) {
    EXPECT_GE(request.input_tokens, 800);
    EXPECT_LE(request.input_tokens, 1000);
    EXPECT_GE(request.output_tokens, 80);
    sum += request.input_tokens;
  }
  EXPECT_NEAR(sum / 2000, 900, 5);
  EXPECT_THROW(synthetic_workload({.range_ratio = 0}, 1), InvalidInput);
  EXPECT_THROW(synthetic_workload({.range_ratio = std::nan("")}, 1), InvalidInput);
  EXPECT_THROW(synthetic_workload({.input_tokens = 0}, 1), InvalidInput);
}

TEST(Workload, ArrivalsHaveTheRateAskedFor) {
  Workload workload = synthetic_workload({.requests = 20000}, 1);
  set_poisson_arrivals(workload, 8, 3);
  EXPECT_NEAR(arrival_rate(workload), 8, 0.2);
  set_fixed_rate_arrivals(workload, 4);
  EXPECT_NEAR(arrival_rate(workload), 4, 1e-9);
  rescale_arrivals(workload, 2);
  EXPECT_NEAR(arrival_rate(workload), 2, 1e-6);
  check_workload(workload);
  EXPECT_THROW(set_poisson_arrivals(workload, 0, 1), InvalidInput);
  EXPECT_THROW(set_closed_loop(workload, 0), InvalidInput);
}

TEST(Workload, BurstsKeepTheRateAndSpreadTheGaps) {
  const auto spread = [](double burstiness) {
    Workload workload = synthetic_workload({.requests = 20000}, 1);
    set_gamma_arrivals(workload, 10, burstiness, 3);
    check_workload(workload);
    EXPECT_NEAR(arrival_rate(workload), 10, 0.6);
    double squares = 0;
    for (std::size_t i = 1; i < workload.requests.size(); ++i) {
      const double gap =
          (workload.requests[i].arrival - workload.requests[i - 1].arrival).seconds().value() * 10;
      squares += (gap - 1) * (gap - 1);
    }
    return squares / 20000;  // 1 / burstiness in the mean
  };
  EXPECT_NEAR(spread(1), 1, 0.1);
  EXPECT_NEAR(spread(4), 0.25, 0.03);
  EXPECT_GT(spread(0.2), 4);
  Workload workload = synthetic_workload({.requests = 2}, 1);
  EXPECT_THROW(set_gamma_arrivals(workload, 10, 0, 3), InvalidInput);
}

TEST(Workload, UsersThinkBeforeTheyAskAgain) {
  Workload workload = synthetic_workload({.requests = 400, .input_tokens = 10, .output_tokens = 2}, 1);
  set_closed_loop(workload, 4);
  const LinearStepPricer pricer({.per_step = milliseconds(1)});
  const double busy = simulate({}, workload, pricer).metrics.duration.value();
  set_think_time(workload, Seconds(1), 5);
  const SimulationResult run = simulate({}, workload, pricer);
  EXPECT_EQ(run.metrics.completed, 400);
  EXPECT_EQ(run.metrics.max_concurrent_requests, 4);
  EXPECT_NEAR(run.metrics.duration.value() - busy, 99, 20);
  EXPECT_THROW(set_think_time(workload, Seconds(-1), 5), InvalidInput);
}

TEST(Workload, ConversationHasTheMomentsOfItsTrace) {
  // Means of the trace: 1,155 tokens in, 211 out, 5.53 requests a second.
  const Workload workload = sample_workload(fitted_workload("conversation"), 50000, std::nullopt, 11);
  double input = 0, output = 0;
  for (const WorkloadRequest& request : workload.requests) {
    input += request.input_tokens;
    output += request.output_tokens;
  }
  EXPECT_NEAR(input / 50000, 1155, 20);
  EXPECT_NEAR(output / 50000, 211, 3);
  EXPECT_NEAR(arrival_rate(workload), 5.53, 0.12);
  check_workload(workload);
}

TEST(Workload, EachByNameHasTheMeansOfItsSource) {
  struct Means {
    const char* name;
    double input, output, rate, slack;
  };
  // As the traces have them; log-normals have median exp(deviation^2 / 2), where the ends cut little off.
  for (const Means& mean : {Means{"code", 2048, 28, 2.566, 0.06}, Means{"summarising", 2588, 291, 1, 0.03},
                            Means{"rag", 3500 * 1.083, 150 * 1.278, 2, 0.03},
                            Means{"reasoning", 200 * 1.649, 3000 * 1.499, 0.5, 0.03},
                            Means{"long_context", 32000 * 1.197, 400 * 1.278, 0.1, 0.03}}) {
    const Workload workload = sample_workload(fitted_workload(mean.name), 50000, std::nullopt, 11);
    double input = 0, output = 0;
    for (const WorkloadRequest& request : workload.requests) {
      input += request.input_tokens;
      output += request.output_tokens;
    }
    EXPECT_NEAR(input / 50000, mean.input, mean.slack * mean.input) << mean.name;
    EXPECT_NEAR(output / 50000, mean.output, mean.slack * mean.output) << mean.name;
    EXPECT_NEAR(arrival_rate(workload), mean.rate, mean.slack * mean.rate) << mean.name;
  }
}

TEST(Workload, NamesSayWhereTheyCameFrom) {
  for (const std::string& name : workload_names()) {
    const NamedSessions* sessions = find_named_sessions(name);
    const std::string source = sessions != nullptr ? sessions->source : fitted_workload(name).source;
    EXPECT_TRUE(source.starts_with("stated, not measured") || source.find("MIT") != source.npos) << name;
  }
}

TEST(Workload, NamedSessionsHaveAsManyRequestsAsAsked) {
  const NamedSessions* agents = find_named_sessions("agents");
  ASSERT_NE(agents, nullptr);
  const SessionShape shape = sessions_for(agents->shape, 20000);
  const Workload workload = session_workload(shape, 3);
  EXPECT_NEAR(double(workload.requests.size()), 20000, 1500);
  EXPECT_EQ(sessions_for(agents->shape, 1).sessions, 1);
  EXPECT_EQ(find_named_sessions("conversation"), nullptr);
}

TEST(Workload, RateLeavesTheLengthsAlone) {
  const FittedWorkload& fitted = fitted_workload("conversation");
  const Workload slow = sample_workload(fitted, 100, 1.0, 7), fast = sample_workload(fitted, 100, 10.0, 7);
  for (std::size_t i = 0; i < 100; ++i)
    EXPECT_EQ(slow.requests[i].input_tokens, fast.requests[i].input_tokens);
  EXPECT_THROW(fitted_workload("conversations"), NotFound);
  EXPECT_THROW(sample_workload(fitted, 100, -1.0, 7), InvalidInput);
}

}  // namespace
}  // namespace warploom
