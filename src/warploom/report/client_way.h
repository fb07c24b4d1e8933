// Whose TTFT a report shows: the client's or the engine's, and what lies between.
#pragma once

#include <string>

#include "warploom/app/serving/run_label.h"
#include "warploom/base/json.h"

namespace warploom {

// One line for people, with its end.
std::string client_way_text(const ClientWayLabel& way);
// Adds "measured_at", "frontend_latency_ms", "frontend_per_token_us" and "kv_transfer_handshake_ms".
void add_client_way(Json& document, const ClientWayLabel& way);

}  // namespace warploom
