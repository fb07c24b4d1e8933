#include "warploom/serving/time/event_queue.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace warploom {
namespace {

RC_GTEST_PROP(EventQueue, LeavesInOrderOfTimeThenOfPushing, ()) {
  EventQueue<int> queue;
  std::vector<std::pair<int, int>> expected;  // time, event: numbered as pushed
  const auto operations = *rc::gen::container<std::vector<int>>(rc::gen::inRange(-3, 8));  // below 0: pop
  int pushed = 0;
  const auto pop = [&] {
    const auto next = std::min_element(expected.begin(), expected.end());
    RC_ASSERT(queue.next_time() == SimTime() + SimDuration(next->first));
    RC_ASSERT(queue.pop() == next->second);
    expected.erase(next);
  };
  for (const int operation : operations) {
    if (operation < 0) {
      if (!queue.empty()) pop();
    } else {
      queue.push(SimTime() + SimDuration(operation), pushed);
      expected.emplace_back(operation, pushed++);
    }
    RC_ASSERT(queue.size() == expected.size());
  }
  while (!queue.empty()) pop();
  RC_ASSERT(expected.empty());
}

}  // namespace
}  // namespace warploom
