#include "warploom/serving/workload/trace_tree.h"

#include <fmt/format.h>

#include <functional>
#include <numeric>
#include <queue>
#include <tuple>

#include "warploom/base/error.h"

namespace warploom {

std::string TraceTree::where(std::size_t node) const {
  return fmt::format("{}:{}", path_.string(), nodes_[node].row.line);
}

void TraceTree::add(TraceNode node) {
  const auto [place, is_new] = places_.try_emplace(node.id, nodes_.size());
  nodes_.push_back(std::move(node));
  if (!is_new)
    throw InvalidInput(fmt::format("{}: '{}' is the name of line {} too, expected one row of each name",
                                   where(nodes_.size() - 1), nodes_.back().id,
                                   nodes_[place->second].row.line));
}

void TraceTree::resolve() {
  edges_.resize(nodes_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    for (const TraceDependency& wanted : nodes_[i].waits_for) {
      const auto found = places_.find(wanted.id);
      if (found == places_.end())
        throw InvalidInput(
            fmt::format("{}: waits for '{}', which is the name of no row", where(i), wanted.id));
      edges_[i].push_back({found->second, wanted.delay_ns, wanted.from_sending});
    }
  }
}

std::vector<std::size_t> TraceTree::sessions() {
  std::vector<std::size_t> joined(nodes_.size());
  std::iota(joined.begin(), joined.end(), std::size_t(0));
  const auto session_of = [&](std::size_t node) {
    while (joined[node] != node) node = joined[node] = joined[joined[node]];
    return node;
  };
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    for (const Edge& edge : edges_[i]) joined[session_of(i)] = session_of(edge.parent);
  constexpr std::size_t kNone = ~std::size_t(0);
  std::vector<std::size_t> first(nodes_.size(), kNone);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    std::size_t& earliest = first[session_of(i)];
    const bool free = edges_[i].empty();
    if (free && (earliest == kNone || nodes_[i].row.arrival_ns < nodes_[earliest].row.arrival_ns))
      earliest = i;
  }
  // A session without such a row goes round in a circle, which order() refuses.
  for (std::size_t i = 0; i < nodes_.size(); ++i) first[i] = first[session_of(i)];
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (edges_[i].empty() && first[i] != i)
      edges_[i].push_back({first[i], nodes_[i].row.arrival_ns - nodes_[first[i]].row.arrival_ns, true});
  return first;
}

std::vector<std::size_t> TraceTree::order(const std::vector<std::size_t>& first) const {
  std::vector<std::vector<std::size_t>> turns(nodes_.size());
  std::vector<std::size_t> left(nodes_.size());
  using Place =
      std::tuple<std::int64_t, std::size_t, std::size_t>;  // arrival and first row of the session, row
  std::priority_queue<Place, std::vector<Place>, std::greater<>> ready;
  const auto offer = [&](std::size_t i) { ready.emplace(nodes_[first[i]].row.arrival_ns, first[i], i); };
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    left[i] = edges_[i].size();
    for (const Edge& edge : edges_[i]) turns[edge.parent].push_back(i);
    if (left[i] == 0) offer(i);
  }
  std::vector<std::size_t> order;
  order.reserve(nodes_.size());
  for (; !ready.empty();) {
    order.push_back(std::get<2>(ready.top()));
    ready.pop();
    for (const std::size_t turn : turns[order.back()])
      if (--left[turn] == 0) offer(turn);
  }
  if (order.size() < nodes_.size()) refuse_cycle(left);
  return order;
}

void TraceTree::refuse_cycle(const std::vector<std::size_t>& left) const {
  const auto waits = [&](std::size_t i) { return left[i] > 0; };
  std::size_t at = 0;
  while (!waits(at)) ++at;
  // Back along the rows that still wait: the first that comes again is on the circle.
  std::vector<bool> seen(nodes_.size(), false);
  const auto before = [&](std::size_t i) {
    for (const Edge& edge : edges_[i])
      if (waits(edge.parent)) return edge.parent;
    return i;
  };
  for (; !seen[at]; at = before(at)) seen[at] = true;
  std::string way;
  for (std::size_t i = before(at); i != at; i = before(i))
    way += fmt::format(" '{}' (line {}),", nodes_[i].id, nodes_[i].row.line);
  throw InvalidInput(fmt::format("{}: '{}' waits for itself{}{} expected a tree", where(at), nodes_[at].id,
                                 way.empty() ? "," : ", by way of", way));
}

Workload TraceTree::take(bool timed, std::int64_t max_requests) {
  resolve();
  const std::vector<std::size_t> first = sessions();
  std::vector<std::int32_t> place(nodes_.size());
  std::int32_t taken = 0;
  TraceRows rows(path_);
  for (const std::size_t i : order(first)) {
    if (rows.full(max_requests)) break;
    place[i] = taken++;
    TraceRow& row = nodes_[i].row;
    for (const Edge& edge : edges_[i])
      row.parents.push_back({place[edge.parent], edge.delay_ns, edge.from_sending});
    rows.add(row);
  }
  return rows.take(timed);
}

}  // namespace warploom
