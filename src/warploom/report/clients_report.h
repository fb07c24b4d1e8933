// What `convert-clients` wrote.
#pragma once

#include <filesystem>
#include <string>

#include "warploom/base/json.h"
#include "warploom/serving/workload/client_mix.h"

namespace warploom {

std::string clients_text(const ClientMix& mix, const std::filesystem::path& output);
Json clients_json(const ClientMix& mix, const std::filesystem::path& output);

}  // namespace warploom
