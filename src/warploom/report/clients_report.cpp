#include "warploom/report/clients_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/base/counted.h"

namespace warploom {

std::string clients_text(const ClientMix& mix, const std::filesystem::path& output) {
  return fmt::format("{} over {:g} s, written to {}\n", counted(std::ssize(mix.clients), "client"),
                     mix.duration.value(), output.string());
}

Json clients_json(const ClientMix& mix, const std::filesystem::path& output) {
  return {{"clients", mix.clients.size()}, {"duration_s", mix.duration.value()}, {"output", output.string()}};
}

}  // namespace warploom
