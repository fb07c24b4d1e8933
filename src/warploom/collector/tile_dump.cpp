#include "warploom/collector/tile_dump.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <set>

#include "warploom/collector/csv_line.h"
#include "warploom/collector/failure.h"

namespace warploom::collector {
namespace {

constexpr int kRanksAsked = 24;  // of which those that differ in tile or split are timed

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

class TileFile {
 public:
  TileFile(const std::filesystem::path& path, const DeviceFacts& facts, const std::string& version)
      : path_(path), gpu_(facts.name), version_(version), file_(path) {
    put({"gpu",       "sms",    "library",       "scheme", "layout",    "m",          "n",         "k",
         "rank",      "tile_m", "tile_n",        "stages", "cluster_m", "cluster_n",  "split_k",   "swizzle",
         "algorithm", "custom", "library_waves", "kernel", "grid",      "latency_us", "half_width"});
  }
  void add(const TileQuery& q, int sms, const TileChoice& c, const MedianEstimate* latency) {
    const auto whole = [](std::int64_t value) { return std::to_string(value); };
    put({gpu_,
         whole(sms),
         version_,
         q.scheme,
         q.layout,
         whole(q.m),
         whole(q.n),
         whole(q.k),
         whole(c.rank),
         whole(c.tile_m),
         whole(c.tile_n),
         c.stages,
         whole(c.cluster_m),
         whole(c.cluster_n),
         whole(c.split_k),
         whole(c.swizzle),
         whole(c.algorithm),
         whole(c.custom),
         number(c.waves),
         c.kernel,
         c.grid,
         latency != nullptr ? number(latency->median * 1e6) : "",
         latency != nullptr ? number(latency->relative_half_width) : ""});
  }

 private:
  void put(const std::vector<std::string>& cells) {
    file_ << csv_line(cells);
    if (!file_.flush()) throw FileFailure(path_.string() + ": cannot be written; is the disk full?");
  }
  std::filesystem::path path_;
  std::string gpu_, version_;
  std::ofstream file_;
};

struct Dump {
  TileLibrary& library;
  const DeviceFacts& facts;
  const TileDumpOptions& options;
  const std::atomic<bool>& stop;
  TileFile& file;
  TileDumpSummary summary;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();

  bool over() const {
    return stop.load() ||
           std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > options.seconds;
  }

  void ask(const TileQuery& query) {
    std::vector<int> counts{0};
    counts.insert(counts.end(), options.sms.begin(), options.sms.end());
    try {
      for (const int sms : counts) {
        TileChoice first = library.choices(query, sms, 1).at(0);
        if (sms == 0) library.name_kernels(query, first);
        file.add(query, sms == 0 ? facts.sm_count : sms, first, nullptr);
        ++summary.rows;
      }
    } catch (const Unmeasurable& reason) {
      ++summary.without[reason.what()];
    }
  }

  void time(const TileQuery& query) {
    std::set<std::array<std::int64_t, 3>> seen;
    try {
      for (TileChoice& choice : library.choices(query, 0, kRanksAsked)) {
        if (int(seen.size()) >= options.ranks) break;
        if (!seen.insert({choice.tile_m, choice.tile_n, choice.split_k}).second) continue;
        const MedianEstimate latency = sample_case(*library.prepare(query, choice), options.sampling);
        library.name_kernels(query, choice);
        file.add(query, facts.sm_count, choice, &latency);
        ++summary.timings;
      }
    } catch (const Unmeasurable&) {
      // Counted when it was asked for, or too large to time.
    }
  }
};

}  // namespace

TileDumpSummary dump_tiles(TileLibrary& library, const DeviceFacts& facts, const std::string& version,
                           const std::vector<TileQuery>& queries, const TileDumpOptions& options,
                           const std::filesystem::path& path, const std::atomic<bool>& stop,
                           const std::function<void(std::string_view)>& note) {
  TileFile file(path, facts, version);
  Dump dump{library, facts, options, stop, file, {}};
  std::size_t done = 0;
  for (; done < queries.size() && !dump.over(); ++done) dump.ask(queries[done]);
  note(std::to_string(dump.summary.rows) + " choices of " + std::to_string(done) + " products");
  const std::size_t timed = std::min(options.timed, queries.size());
  std::size_t at = 0;
  for (; at < timed && !dump.over(); ++at) dump.time(queries[at]);
  note(std::to_string(dump.summary.timings) + " timings of " + std::to_string(at) + " products");
  dump.summary.complete = done == queries.size() && at == timed;
  return std::move(dump.summary);
}

}  // namespace warploom::collector
