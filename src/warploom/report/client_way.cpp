#include "warploom/report/client_way.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/report/number_text.h"

namespace warploom {
namespace {

constexpr Seconds kNothing{0.0};

bool is_at_client(const ClientWayLabel& way) {
  return way.frontend_latency > kNothing || way.frontend_per_token > kNothing;
}

}  // namespace

std::string client_way_text(const ClientWayLabel& way) {
  std::string text = "latencies count from the engine's queue, without a client's way to it";
  if (is_at_client(way)) {
    text = fmt::format("latencies count from the client, {}", duration_text(way.frontend_latency));
    if (way.frontend_per_token > kNothing)
      text += fmt::format(" and {} a prompt token", duration_text(way.frontend_per_token));
    text += " before the engine's queue";
  }
  if (way.handshake > kNothing)
    text += fmt::format("; {} before each transfer between the pools", duration_text(way.handshake));
  return text + "\n";
}

void add_client_way(Json& document, const ClientWayLabel& way) {
  document["measured_at"] = way.measured_at;
  document["frontend_latency_ms"] = to_milliseconds(way.frontend_latency);
  document["frontend_per_token_us"] = to_microseconds(way.frontend_per_token);
  document["kv_transfer_handshake_ms"] = to_milliseconds(way.handshake);
}

}  // namespace warploom
