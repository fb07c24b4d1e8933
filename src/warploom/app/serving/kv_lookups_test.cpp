#include "warploom/app/serving/kv_lookups.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "warploom/app/serving/serving_engines.h"
#include "warploom/app/serving/shared_kv_setup.h"
#include "warploom/base/error.h"

namespace warploom {
namespace {

TEST(KvLookups, AreThoseOfTheFile) {
  const KvLookups& shipped = shipped_kv_lookups();
  EXPECT_NEAR(shipped.store.usual.value(), 500e-6, 1e-12);
  EXPECT_LT(shipped.peer.least.value(), shipped.peer.usual.value());
  EXPECT_GT(shipped.peer.most.value(), shipped.peer.usual.value());
}

TEST(KvLookups, RefuseWhatIsOutOfOrderOrMissing) {
  Json file = {{"schema", "warploom_kv_lookups"}, {"version", 1}, {"lookups", Json::array()}};
  EXPECT_THROW(parse_kv_lookups(file, "file"), InvalidInput);
  file["lookups"].push_back({{"of", "store"}, {"least_us", 1}, {"usual_us", 2}, {"most_us", 3}});
  file["lookups"].push_back({{"of", "peer"}, {"least_us", 5}, {"usual_us", 2}, {"most_us", 3}});
  EXPECT_THROW(parse_kv_lookups(file, "file"), InvalidInput);
  file["lookups"][1]["least_us"] = 0;
  EXPECT_NEAR(parse_kv_lookups(file, "file").peer.most.value(), 3e-6, 1e-12);
  file["version"] = 2;
  EXPECT_THROW(parse_kv_lookups(file, "file"), Unsupported);
}

TEST(KvLookups, RunsAtTheEndsOfTheIntervalLookAsShortAndAsLong) {
  ServingEngines engines;
  engines.deployment.shared_kv.store_lookup = {Seconds(1), Seconds(2), Seconds(3)};
  engines.deployment.shared_kv.peer_lookup = {Seconds(4), Seconds(5), Seconds(6)};
  const auto at = [&](StepTime time) { return at_end(engines, time).shared_kv; };
  engines.deployment.shared_kv.store_latency = Seconds(2);
  EXPECT_EQ(at(StepTime::Mid).store_latency.value(), 2);
  EXPECT_EQ(at(StepTime::Low).store_latency.value(), 1);
  EXPECT_EQ(at(StepTime::Low).peer_latency.value(), 4);
  EXPECT_EQ(at(StepTime::High).store_latency.value(), 3);
  EXPECT_EQ(at(StepTime::High).peer_latency.value(), 6);
}

}  // namespace
}  // namespace warploom
