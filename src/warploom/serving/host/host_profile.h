// Constants of a machine's CPU and of the engines' code on it, whatever the model: what HostModel is made of.
// Built-in profiles are data/hosts/*.json; `warploom calibrate-host` writes one of a machine of one's own.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/base/file_scope.h"
#include "warploom/base/json.h"
#include "warploom/models/architecture.h"
#include "warploom/serving/host/host_model.h"

namespace warploom {

// Layers of a model by what it takes to launch them without a CUDA graph.
struct LaunchedLayers {
  std::int64_t all = 0;
  std::int64_t experts = 0;            // of those: with routed experts, launched as several kernels
  std::int64_t fused_experts = 0;      // with routed experts in one kernel
  std::int64_t block_fp8_experts = 0;  // of `experts`: with fp8 weights scaled by blocks
  std::int64_t latent = 0;             // with multi-head latent attention
  std::int64_t linear = 0;             // with linear attention
  std::int64_t collectives = 0;        // of a step, between the GPUs of a replica; 0: one GPU
};

// The layers of a model whose routed experts are launched as one kernel or as several.
LaunchedLayers launched_layers_of(const ModelArchitecture& model, bool experts_fused);

// One engine on the machine. Launch times of a layer, and of its collectives, are in addition to `layer`.
struct EngineHost {
  std::string engine;
  std::string since;  // first version that the constants hold for; empty: from the first
  Seconds schedule{0.0}, schedule_per_sequence{0.0};
  Seconds prepare{0.0}, prepare_per_sequence{0.0};
  Seconds launch_graph{0.0};
  Seconds piece{0.0}, latent_piece{0.0};
  Seconds layer{0.0}, experts{0.0}, fused_experts{0.0}, block_fp8_experts{0.0};
  Seconds latent{0.0}, linear{0.0}, collective{0.0};
  Seconds finish{0.0}, finish_per_sequence{0.0};
  Seconds gap{0.0}, gap_per_sequence{0.0}, ranks_gap_per_sequence{0.0};
  Seconds layer_pause{0.0}, experts_pause{0.0}, block_fp8_experts_pause{0.0};
  // What no step holds: the way of a request from its client to the engine's queue, and what a transfer
  // between two pools takes before its first byte. Absent: as the default profile has them.
  std::optional<Seconds> frontend, frontend_per_token, handshake;
  std::string frontend_source;  // versions, runs and load generators that these three were fitted to
  // Share of `experts`, `fused_experts`, `linear` in steps without prompts; below 1 where they were fitted on
  // steps of prompts and their cause is not known (HostModel::prompt_launch).
  double decode_share = 1;
  // The times of the fastest and the slowest tenth of such machines, over these.
  double fast = 1, slow = 1;
  // By how much one machine varies within a run: the standard deviation of ln of its times. `steady` and
  // `unsteady`: of machines that vary little and much; 0: as pace_spread.
  double pace_spread = 0, steady = 0, unsteady = 0;
  // How much slower than its `probe` the machine was when the launches of layers were measured.
  double launches_level = 1;

  static FieldTable describe();
  HostModel of(const LaunchedLayers& layers) const;
  // `side` below 0: of a steady machine, above 0: of an unsteady one.
  double pace_spread_at(int side) const;
};

// What `python -m warploom.probe` took for a piece of work on the profile's machine.
struct ProbedWork {
  std::string work;
  Seconds time{0.0};
  static FieldTable describe();
};

struct HostProfile {
  std::string name;
  std::string title;
  std::string source;  // what the constants were measured or fitted on
  std::vector<EngineHost> engines;
  // How its machines vary within a run (HostPaces); empty: as the default profile's do.
  Seconds pace_period{0.0};
  std::vector<double> pace_levels;
  std::vector<ProbedWork> probe;  // undisturbed; empty: the machine was never probed

  static FieldTable describe();
  // The constants of that version, or of the newest where it is empty. Throws Unsupported when the profile
  // does not have the engine: it names those that it has.
  const EngineHost& engine(std::string_view engine, std::string_view version = {}) const;
};

// The profile that holds where none is named.
inline constexpr std::string_view kDefaultHostProfile = "public_fleet";

// What clients of an engine's OpenAI server see on top: HTTP and scheduling, and work on each prompt token,
// which the requests in one event loop share (FrontEnd); and before a transfer between two pools.
struct ClientWay {
  Seconds latency{0.0}, per_token{0.0}, handshake{0.0};
};
// For an engine on the profile's machine; what the profile does not state is kDefaultHostProfile's. Throws
// Unsupported where that does not have the engine.
ClientWay client_way_of(const HostProfile& profile, std::string_view engine);

// How machines of the profile vary within a run; what it does not state is kDefaultHostProfile's.
HostPaces paces_of(const HostProfile& profile);

// Throws InvalidInput naming `where`; Unsupported on a newer version.
HostProfile host_profile_from_json(const Json& document, std::string_view where);
Json host_profile_to_json(const HostProfile& profile);

std::vector<std::string> host_profile_names();
// A built-in profile by its name, or a file of `files` that ends in .json. Throws NotFound with the nearest
// names.
HostProfile load_host_profile(const std::string& name_or_path, const FileScope& files = {});

}  // namespace warploom
