#include "warploom/app/runs/client_result.h"

#include <fmt/format.h>

#include <algorithm>

#include "warploom/base/error.h"

namespace warploom {
namespace {

constexpr double kLongestRun = 1e9;  // s, what simulated time and readers of traces allow

void check_client_request(const ClientRequest& request, std::size_t number, const std::string& where) {
  if (request.input_tokens < 1)
    throw InvalidInput(fmt::format("{}: completed request {} has a prompt of {} tokens, expected at least 1",
                                   where, number, request.input_tokens));
  const bool in_order = request.arrival <= request.sent && request.sent <= request.first_token &&
                        request.first_token <= request.last_token;
  if (!in_order)
    throw InvalidInput(fmt::format(
        "{}: times of completed request {} run backwards: arrival {:.6g} s, sent {:.6g} s, first token "
        "{:.6g} s, last token {:.6g} s",
        where, number, request.arrival, request.sent, request.first_token, request.last_token));
  if (request.last_token > kLongestRun)
    throw InvalidInput(
        fmt::format("{}: completed request {} ends {} s after the first was sent, expected at "
                    "most {} s",
                    where, number, request.last_token, kLongestRun));
}

}  // namespace

void finish_client_result(ClientResult& result, const std::string& where) {
  std::vector<ClientRequest>& requests = result.requests;
  const ClientRun& run = result.run;
  if (requests.empty())
    throw InvalidInput(fmt::format(
        "{}: no request completed ({} failed, {} were cut off, {} warmed the engine up), expected at "
        "least one",
        where, run.failed, run.unfinished, run.warm_up));
  std::stable_sort(requests.begin(), requests.end(),
                   [](const ClientRequest& a, const ClientRequest& b) { return a.sent < b.sent; });
  double first = requests.front().arrival;
  for (const ClientRequest& request : requests) first = std::min(first, request.arrival);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    for (double ClientRequest::*time : {&ClientRequest::arrival, &ClientRequest::sent,
                                        &ClientRequest::first_token, &ClientRequest::last_token})
      requests[i].*time -= first;
    check_client_request(requests[i], i, where);
  }
}

}  // namespace warploom
