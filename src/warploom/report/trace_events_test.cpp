#include "warploom/report/trace_events.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace warploom {
namespace {

TEST(TraceEvents, IsAJsonDocumentWithEveryEvent) {
  TraceEvents events;
  events.name_process(1, "replica \"0\"");
  events.name_thread(1, 2, "GPU");
  events.add_slice(1, 2, "step", 10.5, 3.25, R"({"tokens":7})");
  events.add_async_slice(1, 9, "request", "prefill", 1, 4);
  events.add_counter(1, "running", 2, 5);
  EXPECT_EQ(events.count(), 6);
  const auto document = nlohmann::json::parse(events.take());
  const auto& list = document["traceEvents"];
  ASSERT_EQ(list.size(), 6u);
  EXPECT_EQ(list[0]["args"]["name"], "replica \"0\"");
  EXPECT_EQ(list[2]["ph"], "X");
  EXPECT_DOUBLE_EQ(list[2]["dur"].get<double>(), 3.25);
  EXPECT_EQ(list[2]["args"]["tokens"], 7);
  EXPECT_EQ(list[3]["ph"], "b");
  EXPECT_EQ(list[4]["ph"], "e");
  EXPECT_EQ(list[3]["id"], list[4]["id"]);
  EXPECT_EQ(list[5]["args"]["value"], 5);
  EXPECT_EQ(events.count(), 0);
}

}  // namespace
}  // namespace warploom
