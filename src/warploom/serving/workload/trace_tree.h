// Rows of a trace that name the rows they wait for, in any order of the file: sessions as trees, with joins.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <unordered_map>
#include <vector>

#include "warploom/serving/workload/trace_rows.h"

namespace warploom {

struct TraceDependency {
  std::string id;
  std::int64_t delay_ns = 0;
  bool from_sending = false;  // `delay_ns` counts from when that row is sent, not from its answer
};

struct TraceNode {
  std::string id;
  TraceRow row;
  std::vector<TraceDependency> waits_for;
};

class TraceTree {
 public:
  explicit TraceTree(std::filesystem::path path) : path_(std::move(path)) {}
  // Throws InvalidInput "<file>:<line>: ..." on a second row of one id.
  void add(TraceNode node);
  // Sessions in order of their first arrival, in each no row before those that it waits for; the first
  // `max_requests` (0: all). Rows of one session that wait for nothing come after the first of them, as much
  // later as in the file. Throws InvalidInput with file and line on an id that no row has, on rows that wait
  // for themselves, and as TraceRows does.
  Workload take(bool timed, std::int64_t max_requests);

 private:
  struct Edge {
    std::size_t parent = 0;
    std::int64_t delay_ns = 0;
    bool from_sending = false;
  };
  std::string where(std::size_t node) const;
  void resolve();
  // By node the first of its session: the earliest that waits for nothing. Joins the others to it.
  std::vector<std::size_t> sessions();
  std::vector<std::size_t> order(const std::vector<std::size_t>& first) const;
  [[noreturn]] void refuse_cycle(const std::vector<std::size_t>& left) const;

  std::filesystem::path path_;
  std::vector<TraceNode> nodes_;
  std::vector<std::vector<Edge>> edges_;  // by node: what it waits for
  std::unordered_map<std::string, std::size_t> places_;
};

}  // namespace warploom
