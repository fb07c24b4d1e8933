#include <fmt/format.h>

#include "warploom/app/runs/measured_requests.h"
#include "warploom/base/csv.h"
#include "warploom/base/error.h"
#include "warploom/serving/workload/workload.h"

namespace warploom {
namespace {

class TimesInOrder {
 public:
  explicit TimesInOrder(const CsvReader& csv) : csv_(csv) {}
  double next(std::size_t column) {
    const double time = csv_.real(column);
    if (time < latest_) {
      throw InvalidInput(fmt::format("{}: is {}, expected at least {}, the time before it",
                                     csv_.where(column), time, latest_));
    }
    return latest_ = time;
  }

 private:
  const CsvReader& csv_;
  double latest_ = -1.0;  // clocks of two processes may differ by a little
};

// The optional columns.
class SharedColumns {
 public:
  explicit SharedColumns(const CsvReader& csv)
      : csv_(csv),
        group_(csv.find_column("group")),
        prefix_(csv.find_column("prefix_tokens")),
        client_(csv.find_column("client")) {
    if (group_.has_value() != prefix_.has_value())
      throw InvalidInput(
          fmt::format("{}: 'group' and 'prefix_tokens' stand together, one is missing", csv.path().string()));
  }
  void read_into(RealRequest& request) const {
    if (client_ && !csv_.empty(*client_)) request.client = csv_.integer(*client_);
    if (!group_ || csv_.empty(*group_)) return;
    request.group = csv_.integer(*group_);
    const std::int64_t tokens = csv_.integer(*prefix_);
    if (tokens < 1 || tokens > request.input_tokens)
      throw InvalidInput(fmt::format("{}: is {}, expected 1 to {}, the request's input_tokens",
                                     csv_.where(*prefix_), tokens, request.input_tokens));
    request.prefix_tokens = std::int32_t(tokens);
  }

 private:
  const CsvReader& csv_;
  std::optional<std::size_t> group_, prefix_, client_;
};

std::int32_t tokens_in(const CsvReader& csv, std::size_t column) {
  const std::int64_t value = csv.integer(column);
  if (value < 1 || value > kMaxRequestTokens) {
    throw InvalidInput(
        fmt::format("{}: is {}, expected 1 to {} tokens", csv.where(column), value, kMaxRequestTokens));
  }
  return std::int32_t(value);
}

}  // namespace

std::vector<RealRequest> read_real_requests(const std::filesystem::path& path) {
  CsvReader csv(path);
  const std::size_t arrival = csv.column("arrival_s"), input = csv.column("input_tokens"),
                    output = csv.column("output_tokens"), queued = csv.column("queued_s"),
                    scheduled = csv.column("scheduled_s"), first = csv.column("first_token_s"),
                    last = csv.column("last_token_s");
  const SharedColumns shared(csv);
  std::vector<RealRequest> requests;
  while (csv.next()) {
    RealRequest request;
    request.arrival = csv.real(arrival);
    TimesInOrder times(csv);
    request.queued = times.next(queued);
    request.scheduled = times.next(scheduled);
    request.first_token = times.next(first);
    request.last_token = times.next(last);
    request.input_tokens = tokens_in(csv, input);
    request.output_tokens = tokens_in(csv, output);
    shared.read_into(request);
    if (request.arrival < 0 || (!requests.empty() && request.arrival < requests.back().arrival)) {
      throw InvalidInput(
          fmt::format("{}: is {}, expected arrivals in order", csv.where(arrival), request.arrival));
    }
    requests.push_back(request);
  }
  if (requests.empty())
    throw InvalidInput(fmt::format("{}: holds no requests, expected at least one", path.string()));
  return requests;
}

}  // namespace warploom
