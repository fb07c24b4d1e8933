#include "warploom/serving/host/host_profile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/nearest_name.h"
#include "warploom/base/version.h"
#include "warploom/hardware/record_version.h"
#include "warploom_embedded/host_profiles.h"

namespace warploom {
namespace {

constexpr std::string_view kProfileSchema = "warploom_host_profile";
constexpr std::int64_t kProfileVersion = 1;

// The last entry of the same engine before entry `index`, or nullptr.
const EngineHost* entry_before(const HostProfile& profile, std::size_t index) {
  for (std::size_t i = index; i-- > 0;)
    if (profile.engines[i].engine == profile.engines[index].engine) return &profile.engines[i];
  return nullptr;
}

// What kernels take in a graph over the sum of their times; below 0: they overlap.
void add_pauses(FieldList<EngineHost>& fields) {
  using E = EngineHost;
  const auto us = [](std::string_view doc) {
    return FieldOptions{.unit = "us", .doc = doc, .min = -1e3, .max = 1e6, .scale = 1e-6};
  };
  fields
      .add("layer_pause_us", &E::layer_pause,
           us("what a layer's kernels take in a graph over the sum of their times; below 0: they overlap"))
      .add("experts_pause_us", &E::experts_pause, us("more for a layer with experts in several kernels"))
      .add("block_fp8_experts_pause_us", &E::block_fp8_experts_pause,
           us("more than experts_pause_us where their weights are fp8 scaled by blocks"));
}

// How machines of the profile's kind differ, and how one does within a run.
void add_variation(FieldList<EngineHost>& fields) {
  using E = EngineHost;
  fields
      .add("fast", &E::fast,
           {.doc = "times of the fastest tenth of such machines, over these", .min = 0.02, .max = 1})
      .add("slow", &E::slow,
           {.doc = "times of the slowest tenth of such machines, over these", .min = 1, .max = 50})
      .add("pace_spread", &E::pace_spread,
           {.doc = "standard deviation of ln of one machine's times within a run; 0: always the same",
            .min = 0,
            .max = 2})
      .add("steady", &E::steady, {.doc = "the same of machines that vary little", .min = 0, .max = 2})
      .add("unsteady", &E::unsteady, {.doc = "the same of machines that vary much", .min = 0, .max = 2})
      .add("launches_level", &E::launches_level,
           {.doc = "how much slower than its `probe` the machine was when launches of layers were measured",
            .min = 0.02,
            .max = 50});
}

void check_paces(const HostProfile& profile, std::string_view where) {
  if ((profile.pace_period > Seconds(0.0)) == profile.pace_levels.empty())
    throw InvalidInput(
        fmt::format("{}: has one of 'pace_period_ms' and 'pace_levels', expected both", where));
  if (!std::is_sorted(profile.pace_levels.begin(), profile.pace_levels.end()))
    throw InvalidInput(fmt::format("{}: 'pace_levels' is {}, expected the fastest first", where,
                                   fmt::join(profile.pace_levels, ", ")));
}

}  // namespace

FieldTable EngineHost::describe() {
  using E = EngineHost;
  const auto us = [](std::string_view doc) {
    return FieldOptions{.unit = "us", .doc = doc, .min = 0, .max = 1e6, .scale = 1e-6};
  };
  const auto ms = [](std::string_view doc) {
    return FieldOptions{.unit = "ms", .doc = doc, .min = 0, .max = 1e6, .scale = 1e-3};
  };
  constexpr std::string_view kEach = "the same, for each sequence of the step";
  FieldList<E> fields("engine_host");
  fields.add("engine", &E::engine, {.doc = "vllm, sglang or trtllm", .required = true})
      .add("since", &E::since,
           {.doc =
                "first version that these hold for; what such an entry does not state is as in the engine's "
                "entry before it"})
      .add("schedule_us", &E::schedule, us("choosing the requests of a step"))
      .add("schedule_per_sequence_us", &E::schedule_per_sequence, us(kEach))
      .add("prepare_us", &E::prepare, us("making the inputs of a step, up to its first launch"))
      .add("prepare_per_sequence_us", &E::prepare_per_sequence, us(kEach))
      .add("launch_graph_us", &E::launch_graph, us("launching one CUDA graph, and the sampling"))
      .add("piece_us", &E::piece, us("a layer of a step that is many CUDA graphs"))
      .add("latent_piece_us", &E::latent_piece, us("more for a layer with latent attention"))
      .add("layer_us", &E::layer, us("a layer whose kernels are launched one by one"))
      .add("experts_us", &E::experts, us("more for a layer with experts in several kernels"))
      .add("fused_experts_us", &E::fused_experts, us("more for a layer with experts in one kernel"))
      .add("block_fp8_experts_us", &E::block_fp8_experts,
           us("more than experts_us where their weights are fp8 scaled by blocks"))
      .add("latent_us", &E::latent, us("more for a layer with latent attention"))
      .add("linear_us", &E::linear, us("more for a layer with linear attention"))
      .add("collective_us", &E::collective,
           us("more for a collective between GPUs that is launched outside a graph"))
      .add("finish_us", &E::finish, us("giving the tokens of a step to its requests"))
      .add("finish_per_sequence_us", &E::finish_per_sequence, us(kEach))
      .add("gap_us", &E::gap, us("pause of the GPU between two steps, however early launched"))
      .add("gap_per_sequence_us", &E::gap_per_sequence, us(kEach))
      .add("ranks_gap_per_sequence_us", &E::ranks_gap_per_sequence,
           us("more of it where GPUs share each layer: the process that gives out tokens comes late"))
      .add("frontend_ms", &E::frontend, ms("of a request from its client to the engine's queue"))
      .add("frontend_per_token_us", &E::frontend_per_token,
           us("more of it for each prompt token; requests share it"))
      .add("handshake_ms", &E::handshake, ms("of a transfer between two pools before its first byte"))
      .add("frontend_source", &E::frontend_source,
           {.doc = "versions and runs that the three above were fitted to"})
      .add("decode_share", &E::decode_share,
           {.doc = "part of experts_us, fused_experts_us and linear_us in steps without prompts, which may "
                   "take none or all of it; 1: known to be the same",
            .min = 0,
            .max = 1});
  add_pauses(fields);
  add_variation(fields);
  return fields.table();
}

FieldTable ProbedWork::describe() {
  using W = ProbedWork;
  return FieldList<W>("probed_work")
      .add("work", &W::work, {.doc = "by the probe's name, such as engine.layer", .required = true})
      .add("us", &W::time,
           {.unit = "us",
            .doc = "on that machine, undisturbed",
            .min = 1e-3,
            .max = 1e9,
            .scale = 1e-6,
            .required = true})
      .table();
}

FieldTable HostProfile::describe() {
  using P = HostProfile;
  return FieldList<P>("host_profile")
      .add("name", &P::name, {.doc = "short name", .required = true})
      .add("title", &P::title, {.doc = "one line for people"})
      .add("source", &P::source, {.doc = "what the constants were measured or fitted on", .required = true})
      .add("engines", &P::engines, {.doc = "the engines whose constants are known", .required = true})
      .add("pace_period_ms", &P::pace_period,
           {.unit = "ms",
            .doc =
                "for so long one of its machines keeps its speed in a run; absent: as the default profile's",
            .min = 0,
            .max = 1e6,
            .scale = 1e-3})
      .add("pace_levels", &P::pace_levels,
           {.doc = "speeds that it then has, fastest first: ln of its times over their mean, in standard "
                   "deviations (pace_spread)",
            .min = -10,
            .max = 10})
      .add("probe", &P::probe, {.doc = "what a probe of the machine took, which others are compared with"})
      .table();
}

LaunchedLayers launched_layers_of(const ModelArchitecture& model, bool experts_fused) {
  const std::int64_t experts = model.layers_of<MixtureOfExperts>();
  std::int64_t block_fp8 = 0;
  for (const LayerGroup& group : model.layers)
    if (std::holds_alternative<MixtureOfExperts>(group.feed_forward) &&
        group.schemes.experts == MatmulScheme::Fp8Block)
      block_fp8 += group.count;
  return {
      .all = model.layer_count(),
      .experts = experts_fused ? 0 : experts,
      .fused_experts = experts_fused ? experts : 0,
      .block_fp8_experts = experts_fused ? 0 : block_fp8,
      .latent = model.layers_of<LatentAttention>() + model.layers_of<SparseLatentAttention>() +
                model.layers_of<CompressedLatent>(),
      .linear = model.layers_of<GatedDeltaNet>() + model.layers_of<KimiDelta>() + model.layers_of<Mamba2>()};
}

HostModel EngineHost::of(const LaunchedLayers& layers) const {
  const Seconds late_rank = layers.collectives > 0 ? ranks_gap_per_sequence : Seconds(0.0);
  const Seconds fitted = double(layers.experts) * experts + double(layers.fused_experts) * fused_experts +
                         double(layers.linear) * linear;
  const bool of_prompts = decode_share < 1;
  return {.schedule = schedule,
          .schedule_per_sequence = schedule_per_sequence,
          .prepare = prepare,
          .prepare_per_sequence = prepare_per_sequence,
          .launch_graph = launch_graph,
          .launch_pieces = launch_graph + double(layers.all) * piece + double(layers.latent) * latent_piece,
          .launch_kernels = launch_graph + double(layers.all) * layer + double(layers.experts) * experts +
                            double(layers.fused_experts) * fused_experts +
                            double(layers.block_fp8_experts) * block_fp8_experts +
                            double(layers.latent) * latent + double(layers.linear) * linear +
                            double(layers.collectives) * collective,
          .prompt_launch = of_prompts ? fitted : Seconds(0.0),
          .decode_launch = of_prompts ? decode_share * fitted : Seconds(0.0),
          .finish = finish,
          .finish_per_sequence = finish_per_sequence,
          .gap = gap,
          .gap_per_sequence = gap_per_sequence + late_rank,
          .pause = double(layers.all) * layer_pause + double(layers.experts) * experts_pause +
                   double(layers.block_fp8_experts) * block_fp8_experts_pause};
}

double EngineHost::pace_spread_at(int side) const {
  const double end = side < 0 ? steady : side > 0 ? unsteady : 0;
  return end > 0 ? end : pace_spread;
}

ClientWay client_way_of(const HostProfile& profile, std::string_view engine) {
  const HostProfile usual =
      profile.name == kDefaultHostProfile ? profile : load_host_profile(std::string(kDefaultHostProfile));
  const EngineHost& stated = profile.engine(engine);
  const EngineHost& known = usual.engine(engine);
  const auto choose = [&](std::optional<Seconds> EngineHost::*time) {
    return (stated.*time).value_or((known.*time).value_or(Seconds(0.0)));
  };
  return {choose(&EngineHost::frontend), choose(&EngineHost::frontend_per_token),
          choose(&EngineHost::handshake)};
}

HostPaces paces_of(const HostProfile& profile) {
  if (!profile.pace_levels.empty()) return {profile.pace_period, profile.pace_levels};
  const HostProfile usual = load_host_profile(std::string(kDefaultHostProfile));
  return {usual.pace_period, usual.pace_levels};
}

const EngineHost& HostProfile::engine(std::string_view engine, std::string_view version) const {
  const EngineHost* found = nullptr;
  std::vector<std::string_view> known;
  for (const EngineHost& host : engines) {
    if (host.engine == engine) {
      const bool holds = version.empty() || host.since.empty() || compare_versions(version, host.since) >= 0;
      if (found == nullptr || holds) found = &host;
    } else if (host.since.empty()) {
      known.push_back(host.engine);
    }
  }
  if (found != nullptr) return *found;
  throw Unsupported(fmt::format("host_profile: '{}' has no constants of {}, it has those of {}", name, engine,
                                fmt::join(known, ", ")));
}

HostProfile host_profile_from_json(const Json& document, std::string_view where) {
  check_record_version(document, kProfileSchema, kProfileVersion, where);
  HostProfile profile;
  read_fields(document, fields_of<HostProfile>(), &profile, where);
  if (profile.engines.empty())
    throw InvalidInput(fmt::format("{}: 'engines' is empty, expected the constants of at least one", where));
  check_paces(profile, where);
  for (std::size_t i = 1; i < profile.engines.size(); ++i) {
    const EngineHost* before = entry_before(profile, i);
    if (before == nullptr) continue;
    const std::string& since = profile.engines[i].since;
    if (since.empty() || (!before->since.empty() && compare_versions(since, before->since) <= 0))
      throw InvalidInput(
          fmt::format("{}: 'engines' has {} twice, expected each once, or the later with a "
                      "newer version in 'since'",
                      where, before->engine));
    EngineHost whole = *before;
    read_fields(document["engines"][i], fields_of<EngineHost>(), &whole, where);
    profile.engines[i] = std::move(whole);
  }
  return profile;
}

Json host_profile_to_json(const HostProfile& profile) {
  Json document = {{"schema", kProfileSchema}, {"version", kProfileVersion}};
  document.update(to_json(profile));
  return document;
}

std::vector<std::string> host_profile_names() {
  std::vector<std::string> names;
  for (const EmbeddedFile& record : embedded::host_profiles()) {
    const std::string_view file = record.name;
    const std::size_t folder = file.rfind('/');
    const std::string_view base = folder == file.npos ? file : file.substr(folder + 1);
    names.emplace_back(base.substr(0, base.rfind('.')));
  }
  std::sort(names.begin(), names.end());
  return names;
}

HostProfile load_host_profile(const std::string& name_or_path, const FileScope& files) {
  if (name_or_path.ends_with(".json") && files.holds(name_or_path))
    return host_profile_from_json(parse_json(read_file(name_or_path), name_or_path), name_or_path);
  for (const EmbeddedFile& record : embedded::host_profiles())
    if (HostProfile profile = host_profile_from_json(parse_json(record.contents, record.name), record.name);
        profile.name == name_or_path)
      return profile;
  const std::vector<std::string> names = host_profile_names();
  throw NotFound(
      fmt::format("host_profile: '{}' is unknown{}; expected one of {}, or a file that ends in .json",
                  name_or_path, did_you_mean(name_or_path, names), fmt::join(names, ", ")));
}

}  // namespace warploom
