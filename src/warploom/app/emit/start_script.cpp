#include "warploom/app/emit/start_script.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "warploom/app/emit/emitted_text.h"
#include "warploom/app/serving/engine_start.h"
#include "warploom/base/error.h"
#include "warploom/base/shell_line.h"

namespace warploom {
namespace {

// A process on one machine.
struct Placed {
  std::string name;  // "engine-0"
  const EmittedPool* pool = nullptr;
  std::int64_t machine = 0, first_gpu = 0, gpus = 1;
  std::int64_t port = kServedPort, number = 0;  // of the instance within its fleet
  std::int64_t rank = 0, nodes = 1;             // of the instance
};

std::string machine_name(std::int64_t machine) { return fmt::format("$MACHINE_{}", machine); }

std::string url_of(const Placed& placed) {
  return fmt::format("http://{}:{}", machine_name(placed.machine), placed.port);
}

// Instances fill machines in turn; another kind of GPU begins on another machine.
std::vector<Placed> place(const EmittedFleet& fleet) {
  std::vector<Placed> all;
  std::int64_t machine = 0, used = 0, number = 0;
  std::string gpu = fleet.pools.front().gpu;
  for (const EmittedPool& pool : fleet.pools) {
    if (pool.gpu != gpu && used > 0) {
      ++machine;
      used = 0;
    }
    gpu = pool.gpu;
    for (std::int64_t i = 0; i < pool.instances; ++i, ++number) {
      const std::int64_t each = std::min(pool.gpus, pool.gpus_per_node);
      const std::int64_t port = fleet.needs_router() ? kServedPort + 1 + number : kServedPort;
      for (std::int64_t rank = 0; rank < pool.nodes(); ++rank) {
        if (used + each > pool.gpus_per_node) {
          ++machine;
          used = 0;
        }
        std::string name = fmt::format("{}-{}", pool.role, i);
        if (pool.nodes() > 1) name += fmt::format("-node-{}", rank);
        all.push_back({name, &pool, machine, used, each, port, number, rank, pool.nodes()});
        used += each;
      }
    }
  }
  return all;
}

// "$MACHINE_3", "$MACHINE_3:20000" or "http://$MACHINE_3:8001", and nothing else: whatever a user named stays
// quoted.
bool is_address(std::string_view word) {
  constexpr std::string_view kScheme = "http://", kVariable = "$MACHINE_", kDigits = "0123456789";
  if (word.starts_with(kScheme)) word.remove_prefix(kScheme.size());
  if (!word.starts_with(kVariable)) return false;
  word.remove_prefix(kVariable.size());
  const std::size_t colon = std::min(word.find(':'), word.size());
  const std::string_view machine = word.substr(0, colon);
  const std::string_view port = word.substr(std::min(colon + 1, word.size()));
  return !machine.empty() && machine.find_first_not_of(kDigits) == std::string_view::npos &&
         port.find_first_not_of(kDigits) == std::string_view::npos;
}

// A line for a shell, which puts the machines' addresses in.
std::string with_machines(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    line += is_address(word) ? "\"" + word + "\"" : shell_line({word});
  }
  return line;
}

void add_ranks(std::vector<std::string>& words, const Placed& placed, std::int64_t first_machine) {
  if (placed.nodes == 1) return;
  const EngineManifest& manifest = *placed.pool->manifest;
  const bool spread = placed.pool->shape.data_parallel > 1 && manifest.rank_flags.size() > 3;
  if (manifest.rank_flags.empty() || spread)
    throw Unsupported(fmt::format(
        "emit: {} is started over {} machines by other means than its start line, expected the format dynamo "
        "or sizes of at most {} GPUs",
        manifest.engine, placed.nodes, placed.pool->gpus_per_node));
  std::string address = machine_name(first_machine);
  if (manifest.rank_port > 0) address += fmt::format(":{}", manifest.rank_port);
  words.insert(words.end(), {manifest.rank_flags[0], std::to_string(placed.nodes), manifest.rank_flags[1],
                             std::to_string(placed.rank), manifest.rank_flags[2], address});
  if (placed.rank > 0 && manifest.rank_flags.size() > 3) words.push_back(manifest.rank_flags[3]);
}

std::string command_of(const Placed& placed, const EmittedFleet& fleet, std::int64_t first_machine) {
  const EngineManifest& manifest = *placed.pool->manifest;
  std::vector<std::string> words = placed.pool->command.words;
  words.insert(words.end(), {"--host", "0.0.0.0", "--port", std::to_string(placed.port)});
  if (!placed.pool->command.file.empty())
    words.insert(words.end(), {options_flag(*placed.pool->engine), placed.pool->role + "_options.yaml"});
  add_ranks(words, placed, first_machine);
  std::string environment;
  if (fleet.apart() && !manifest.bootstrap_flag.empty() && placed.pool->role == "prefill")
    words.insert(words.end(),
                 {manifest.bootstrap_flag, std::to_string(manifest.first_bootstrap + placed.number)});
  if (fleet.apart() && !manifest.side_channel_host.empty()) {
    constexpr std::int64_t kPortsOfAnInstance = 64;  // each rank takes one
    environment += fmt::format("{}=\"{}\" {}={} ", manifest.side_channel_host, machine_name(placed.machine),
                               manifest.side_channel_port,
                               manifest.first_side_channel + kPortsOfAnInstance * placed.number);
  }
  if (placed.gpus < placed.pool->gpus_per_node && fleet.needs_router()) {
    std::vector<std::int64_t> devices;
    for (std::int64_t i = 0; i < placed.gpus; ++i) devices.push_back(placed.first_gpu + i);
    environment += fmt::format("CUDA_VISIBLE_DEVICES={} ", fmt::join(devices, ","));
  }
  return (environment.empty() ? "exec " : environment + "exec ") + with_machines(words);
}

std::string router_command(const EmittedFleet& fleet, const std::vector<Placed>& all) {
  std::vector<std::string> engines, decoders;
  for (const Placed& placed : all)
    if (placed.rank == 0) (placed.pool->role == "decode" ? decoders : engines).push_back(url_of(placed));
  return "exec " + with_machines(router_words(fleet, engines, decoders));
}

std::string script_of_several(const EmittedFleet& fleet, const std::vector<Placed>& all) {
  std::string text =
      "# One argument says what is started; each starts in a shell of its own, on its machine.\n";
  std::vector<std::string> names;
  std::int64_t machines = 0, first_machine = 0;
  std::string cases;
  for (const Placed& placed : all) {
    names.push_back(placed.name);
    machines = std::max(machines, placed.machine + 1);
    if (placed.rank == 0) first_machine = placed.machine;
    cases += fmt::format("# {} on machine {}\n{})\n  {}\n  ;;\n", placed.pool->words(), placed.machine,
                         placed.name, command_of(placed, fleet, first_machine));
  }
  if (fleet.needs_router() && fleet.has_router()) {
    names.emplace_back("router");
    cases += fmt::format("# pip install {}\nrouter)\n  {}\n  ;;\n",
                         fleet.pools.front().manifest->router_package, router_command(fleet, all));
  } else if (fleet.needs_router()) {
    text += fmt::format("# {} brings no router: put one of your own before these ports.\n",
                        fleet.pools.front().engine->name);
  }
  for (std::int64_t machine = 0; machine < machines; ++machine)
    text += fmt::format(": \"${{MACHINE_{}:=localhost}}\"\n", machine);
  return text + fmt::format(
                    "case \"${{1-}}\" in\n{}*)\n  echo \"usage: sh start.sh {}\" >&2\n  exit 2\n  ;;\nesac\n",
                    cases, fmt::join(names, "|"));
}

}  // namespace

std::vector<EmittedFile> start_script(const EmittedFleet& fleet) {
  std::vector<EmittedFile> files;
  for (const EmittedPool& pool : fleet.pools)
    if (!pool.command.file.empty())
      files.push_back({pool.role + "_options.yaml", options_text(pool.command) + "\n"});
  const std::vector<Placed> all = place(fleet);
  std::string text = fmt::format("#!/bin/sh\n# {}\n", all.front().pool->words());
  if (all.size() == 1)
    text += command_of(all.front(), fleet, 0) + "\n";
  else
    text += script_of_several(fleet, all);
  files.push_back({"start.sh", text});
  return files;
}

}  // namespace warploom
