#include "warploom/serving/time/event_queue.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <utility>
#include <vector>

namespace warploom {
namespace {

RC_GTEST_PROP(EventQueue, LeavesInOrderOfTimeThenOfPushing, ()) {
  EventQueue<int> queue;
  // Below 0 the next one leaves, or is put off.
  const auto operations = *rc::gen::container<std::vector<int>>(rc::gen::inRange(-4, 8));
  std::map<std::pair<int, int>, int> expected;  // by time and the order in which they were pushed
  int pushed = 0;
  const auto pop = [&] {
    const auto next = expected.begin();
    RC_ASSERT(queue.next_time() == SimTime(next->first.first));
    RC_ASSERT(queue.next() == next->second);
    RC_ASSERT(queue.pop() == next->second);
    expected.erase(next);
  };
  for (const int operation : operations) {
    if (operation >= 0) {
      queue.push(SimTime(operation), pushed);
      expected[{operation, pushed}] = pushed;
      ++pushed;
    } else if (!queue.empty() && operation >= -2) {
      pop();
    } else if (!queue.empty()) {
      const auto [key, event] = *expected.begin();
      queue.put_off(SimTime(key.first - operation));
      expected.erase(key);
      expected[{key.first - operation, pushed++}] = event;
    }
    RC_ASSERT(queue.size() == expected.size());
  }
  while (!queue.empty()) pop();
  RC_ASSERT(expected.empty());
}

}  // namespace
}  // namespace warploom
