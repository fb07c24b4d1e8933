#include "warploom/app/serving/serving_setup.h"

#include <fmt/format.h>

#include <algorithm>

#include "warploom/app/predict/machine_latency.h"
#include "warploom/app/predict/onboarding_fit.h"
#include "warploom/app/predict/tier_requirement.h"
#include "warploom/app/serving/engine_version.h"
#include "warploom/app/serving/kv_tier_setup.h"
#include "warploom/app/serving/mega_moe_setup.h"
#include "warploom/app/serving/state_setup.h"
#include "warploom/app/serving/vision_choice.h"
#include "warploom/base/divide_up.h"
#include "warploom/base/error.h"
#include "warploom/base/nearest_name.h"
#include "warploom/base/request_fields.h"
#include "warploom/hardware/gpu_class.h"
#include "warploom/hardware/node_catalog.h"
#include "warploom/kernels/moe/expert_routing.h"
#include "warploom/models/model_catalog.h"
#include "warploom/models/model_split.h"
#include "warploom/serving/engines/engine_defaults.h"
#include "warploom/serving/engines/parallelism.h"
#include "warploom/serving/engines/two_halves.h"
#include "warploom/serving/engines/version_rows.h"
#include "warploom/serving/pricing/afd_step_pricer.h"
#include "warploom/serving/pricing/encoding_step_pricer.h"
#include "warploom/serving/pricing/lora.h"
#include "warploom/serving/speculation/drafting_step_pricer.h"
#include "warploom/serving/speculation/speculation_defaults.h"

namespace warploom {

namespace {

// A file that deploys engines is no member: what reads a request puts what it starts in its place
// (manifests/manifest_request.h). Reading one that still names a file is refused.
Field manifest_field() {
  return {
      .name = "manifest",
      .kind = FieldKind::Text,
      .options = {.doc = "a file that deploys engines: objects of Kubernetes (DynamoGraphDeployment, "
                         "Deployment, LeaderWorkerSet), values of llm-d or vLLM's production stack, a "
                         "script of a shell or Slurm; what is given beside it rules"},
      .get = [](const void*) { return FieldValue(std::string()); },
      .set =
          [](void*, const FieldValue& value) {
            if (const auto* file = std::get_if<std::string>(&value); file == nullptr || file->empty()) return;
            throw Unsupported("manifest: is not read here, expected `model`, `gpu` and the engine's fields");
          }};
}

}  // namespace

FieldTable ServingSetupRequest::describe() {
  using R = ServingSetupRequest;
  FieldTable table =
      RequestFields<R>("serving_setup")
          .add("model", &R::model,
               {.doc = "a name (see `warploom models`) or the path of a config.json", .required = true})
          .add(
              "gpu", &R::gpu,
              {.doc =
                   "a name (see `warploom gpus`) or the path of a record; only a manifest may say it instead",
               .required = true})
          .add("quantization", &R::quantization,
               {.doc = "every linear layer in this scheme, for example fp8"})
          .add("predictor", &R::predictor, {.doc = "a folder that `train` wrote, or roofline"})
          .add("require_tier", &R::require_tier, {.doc = "measured: refuse kernels that never were"})
          .add("framework", &R::framework,
               {.doc = "whose kernels and host constants are used; absent: the engine's"})
          .add("engine_version", &R::version, {.doc = "version whose kernels are priced"})
          .add("engine_day", &R::day,
               {.doc = "day of a build that is no release, as 20260402: its defaults are no newer"})
          .add("expert_routing", &R::expert_routing, {.doc = kExpertRoutingDoc})
          .add("vision_encoder", &R::vision_encoder,
               {.doc = "a vision_config as JSON, or the path of a config.json that has one"})
          .add("image_tokens", &R::image_tokens, {.doc = "tokens of an image", .min = 0})
          .add("config", &R::config, {.doc = "the engine's configuration"})
          .add("network", &R::network, {.doc = "between nodes, in place of the node's record"})
          .add("host", &R::host, {.doc = "constants of the host in place of the engine's"})
          .table();
  table.fields.insert(table.fields.begin() + 2, manifest_field());
  return table;
}

namespace {

void route_experts(ServingSetup& setup, const std::string& asked) {
  if (asked.empty()) return;
  const ExpertRouting routing = parse_expert_routing(asked, "expert_routing");
  if (setup.model.mixture() == nullptr)
    throw InvalidInput(fmt::format(
        "expert_routing: says how tokens choose experts, which {} has not, expected none", setup.model.name));
  setup.graph.routing = routing.kind;
  setup.graph.routing_alpha = routing.alpha;
}

ModelArchitecture model_of(const ServingSetupRequest& request) {
  ModelArchitecture model = load_model(request.model, request.files);
  if (request.quantization.empty()) return model;
  return quantize_linears(model, parse_enum<MatmulScheme>(request.quantization, "quantization"));
}

// GPUs of one link domain; 0 where it joins all of a replica.
std::int64_t ranks_per_node(const GpuCatalog& gpus, const GpuSpec& gpu, const Sharding& sharding) {
  const std::int64_t domain = NodeCatalog(gpus).node_of(gpu).gpus_per_domain();
  return sharding.gpus_per_replica() <= domain ? 0 : domain;
}

// Nodes over which a balancer places the experts; 0: they lie in order. vLLM's policy and SGLang's `auto`
// keep groups of experts in a node where the nodes divide the groups; `deepseek` never does.
std::int64_t balanced_nodes(const GpuCatalog& gpus, const ServingSetup& setup) {
  const ServingConfig& config = setup.config;
  if (!config.enable_eplb) return 0;
  const MixtureOfExperts* mixture = setup.model.mixture();
  if (mixture == nullptr)
    throw InvalidInput(
        fmt::format("enable_eplb: {} has no experts, expected a mixture-of-experts model", setup.model.name));
  if (setup.sharding.expert_parallel <= 1)
    throw InvalidInput("enable_eplb: one GPU holds all experts, expected experts over several");
  if (config.eplb_algorithm == "deepseek") return 1;
  const std::int64_t each = NodeCatalog(gpus).node_of(*setup.gpu).gpus_per_node;
  const std::int64_t nodes = divide_up(setup.sharding.expert_parallel, each);
  if (config.eplb_algorithm == "deepseek_hierarchical" && mixture->groups % nodes != 0)
    throw InvalidInput(fmt::format(
        "eplb_algorithm deepseek_hierarchical: {} nodes do not divide the {} groups of experts of "
        "{}, expected auto or deepseek",
        nodes, mixture->groups, setup.model.name));
  return nodes;
}

// Whether the fast link joins GPUs of several nodes, as in a rack of GB200.
bool links_nodes(const GpuCatalog& gpus, const GpuSpec& gpu) {
  const NodeSpec node = NodeCatalog(gpus).node_of(gpu);
  return node.link.spans(node.gpus_per_node + 1);
}

void check_day(const ServingSetupRequest& request) {
  const std::string& day = request.day;
  if (day.empty()) return;
  constexpr std::size_t kDigits = 8;
  if (day.size() != kDigits || day.find_first_not_of("0123456789") != day.npos)
    throw InvalidInput(fmt::format("engine_day: '{}' is no day, expected for example 20260402", day));
  if (is_release(request.version))
    throw InvalidInput(fmt::format(
        "engine_day: changes nothing beside `engine_version` {}, expected one of them", request.version));
}

// Throws where the model does not split that way, and where experts apart from attention are not modelled, or
// not to rest on.
void check_split(const ServingSetup& setup, const ServingSetupRequest& request) {
  check_sharding(setup.model, setup.sharding, "sharding");
  if (!setup.sharding.apart()) return;
  check_apart(setup.model, setup.sharding);
  if (requires_measured(request.require_tier))
    throw Unsupported(
        fmt::format("require_tier: num_ffn_ranks rests on {}; expected none of them", kAfdRestsOn));
}

void check_expert_kernels(const ServingSetup& setup) {
  if (setup.config.moe_backend == "auto" || setup.model.mixture() != nullptr) return;
  throw InvalidInput(fmt::format("moe_backend '{}' names kernels of experts, which {} has not, expected auto",
                                 setup.config.moe_backend, setup.model.name));
}

void check_delta_net_kernels(const ServingSetup& setup) {
  const std::string& backend = setup.config.gdn_prefill_backend;
  if (backend == "auto" || setup.model.layers_of<GatedDeltaNet>() > 0) return;
  throw InvalidInput(fmt::format(
      "gdn_prefill_backend '{}' names kernels of gated delta nets, which {} has not, expected auto", backend,
      setup.model.name));
}

GpuSpec gpu_of(const ServingSetupRequest& request, GpuCatalog& catalog) {
  return catalog.load_gpu(request.gpu, request.files);
}

// What runs beside the model: a drafter, adapters.
struct Companions {
  SpeculativeConfig speculation;
  std::optional<Drafter> drafter;
  Sharding drafter_sharding;
  ScaledOperators lora;
  std::optional<VisionEncoder> vision;
  Bytes weights, kv_per_token;  // of one GPU
};

// vLLM runs a drafter on all GPUs of the target or whole on one (config/speculative.py).
Sharding drafter_sharding(const ServingSetup& setup, const Companions& beside) {
  const std::int64_t target = setup.sharding.tensor_parallel;
  const std::int64_t ways = beside.speculation.tensor_parallel.value_or(target);
  const bool mixture = beside.drafter->model.mixture() != nullptr;
  if (ways != target && (ways != 1 || mixture)) {
    throw Unsupported(
        fmt::format("speculative_config: draft_tensor_parallel_size {} is not modelled, expected {}{}", ways,
                    target, mixture ? "" : " or 1"));
  }
  return mixture ? setup.sharding : Sharding{.tensor_parallel = ways};
}

// What drafts: a model for itself, or one that hangs on the target.
Drafter drafter_beside(const ServingSetup& setup, const SpeculativeConfig& speculation,
                       const FileScope& files) {
  const DraftMethod& method = *speculation.method;
  if (method.drafter == nullptr) return {.model = load_model(speculation.model, files), .whole = true};
  const auto own = load_draft(method, speculation.model, files);
  return drafter_for(method, setup.model, own ? &*own : nullptr);
}

void add_drafter(const ServingSetup& setup, const FileScope& files, Companions& beside) {
  const SpeculativeConfig& speculation = beside.speculation;
  beside.drafter = drafter_beside(setup, speculation, files);
  ModelArchitecture& model = beside.drafter->model;
  if (!speculation.quantization.empty()) {
    const std::string where = "speculative_config: quantization";
    model = quantize_linears(model, parse_enum<MatmulScheme>(speculation.quantization, where));
  }
  beside.drafter_sharding = drafter_sharding(setup, beside);
  check_sharding(model, beside.drafter_sharding, "drafter");
  beside.weights += draft_weights(*beside.drafter, beside.drafter_sharding);
  beside.kv_per_token = kv_footprint(model, beside.drafter_sharding, setup.graph.kv_cache).per_token() *
                        double(beside.drafter->modules);
}

VisionSplit vision_split(const ServingSetup& setup) {
  return {.tensor_parallel = setup.sharding.tensor_parallel,
          .by_images = setup.config.mm_encoder_tp_mode == kWholeImages};
}

Companions companions_of(const ServingSetup& setup, const ServingSetupRequest& request) {
  Companions beside;
  if (request.reads_images || !request.vision_encoder.empty()) {
    beside.vision = vision_of(request.vision_encoder, request.files, setup.model);
    beside.weights += vision_weights(*beside.vision, vision_split(setup));
  }
  const ServingConfig& config = setup.config;
  beside.speculation = speculation_of(config);
  beside.speculation.method = drafting_method(config, beside.speculation, setup.model);
  if (beside.speculation.on() && config.pipeline_parallel_size > 1) {
    throw Unsupported(
        "speculative decoding over pipeline stages is not modelled, expected pipeline_parallel_size 1");
  }
  const bool in_halves = config.enable_dbo || config.enable_two_batch_overlap;
  if (setup.sharding.apart() && (beside.speculation.on() || config.enable_lora || in_halves)) {
    throw Unsupported(
        fmt::format("num_ffn_ranks: {} with attention and feed-forward apart are not modelled, expected none",
                    config.enable_lora ? "adapters"
                    : in_halves        ? "steps in two halves"
                                       : "drafts"));
  }
  if (beside.speculation.on() && beside.speculation.method->on_gpu())
    add_drafter(setup, request.files, beside);
  if (config.enable_lora) {
    const LoraShape shape{config.max_loras, config.max_lora_rank};
    beside.lora = lora_operators(setup.model, setup.sharding, shape);
    beside.weights += lora_weights(setup.model, setup.sharding, shape);
  }
  return beside;
}

KvCapacityOptions capacity_options(const ServingSetup& setup, const Companions& beside) {
  const EngineSpec& engine = engine_named(setup.config.engine);
  KvCapacityOptions options;
  options.gpu_memory_utilization = *setup.config.gpu_memory_utilization;
  options.share = engine.memory_share;
  options.max_num_batched_tokens = *setup.config.max_num_batched_tokens;
  options.max_num_seqs = *setup.config.max_num_seqs;
  options.block_size = *setup.config.block_size;
  options.windowed = engine.windowed_cache(setup.model, setup.sharding);
  options.kv_cache = setup.graph.kv_cache;
  options.expert_rows = expert_rows(setup.kernels.expert_transport);
  options.extra_weights = beside.weights;
  options.extra_kv_per_token = beside.kv_per_token;
  if (setup.graph.expert_exchange == ExpertExchange::WithExperts)
    options.runtime_reserve += mega_moe_memory({setup.config, setup.model, setup.sharding, *setup.gpu});
  return options;
}

void check_memory(ServingSetup& setup, const Companions& beside, const std::string& version,
                  std::optional<std::int64_t> asked_requests) {
  KvCapacityOptions options = capacity_options(setup, beside);
  add_states(options, {setup.config, setup.model, setup.sharding, *setup.gpu}, version, asked_requests);
  setup.memory = require_kv_capacity(setup.model, setup.sharding, setup.gpu->memory_capacity, options);
  if (!setup.config.num_gpu_blocks_override) setup.config.num_gpu_blocks_override = setup.memory.blocks;
  setup.config.kv_layout = setup.memory.layout;
  take_state_pool(setup.config, setup.memory.state_pool, setup.model.name);
  const Bytes kv = kv_footprint(setup.model, setup.sharding, setup.graph.kv_cache).per_token();
  setup.tiers = kv_tiers_of(
      setup.config, *setup.gpu, kv + beside.kv_per_token, setup.config.gpus_per_rank(),
      setup.memory.layout.tokens(*setup.config.num_gpu_blocks_override, *setup.config.block_size));
  check_tiers_of_states(setup.config, setup.tiers.exists(), setup.model.name);
}

std::unique_ptr<StepPricer> pricer_of(const ServingSetup& setup, const Companions& beside) {
  const OperatorPricer operators = setup.operators();
  const auto graphs = [&](std::int64_t query_tokens) {
    return StepPadding(graph_sizes_of(setup.config, query_tokens), setup.config.experts_skip_padding,
                       prompt_graph_sizes_of(setup.config));
  };
  const std::int64_t verified = beside.speculation.verified_tokens;
  ScaledOperators in_step = beside.lora;
  DraftOperators drafts;
  if (beside.drafter)
    drafts = draft_operators(*beside.drafter, beside.drafter_sharding, setup.graph, beside.speculation.steps);
  in_step.append(drafts.each_step);
  std::unique_ptr<StepPricer> target;
  if (setup.sharding.apart())
    target = std::make_unique<AfdStepPricer>(AfdPlan(setup.model, setup.sharding, setup.graph), operators,
                                             graphs(verified), setup.config.num_afd_stages);
  else
    target = std::make_unique<OperatorStepPricer>(
        StepPlan(setup.model, setup.sharding, setup.graph), operators, graphs(verified), std::move(in_step),
        overlap_of(setup.config, setup.kernels.expert_transport, *setup.gpu));
  if (beside.vision)
    target = std::make_unique<EncodingStepPricer>(std::move(target), operators, *beside.vision,
                                                  vision_split(setup));
  if (!beside.drafter) return target;
  // The drafter runs with the target's graphs and once for each token it proposes alone, or over its block.
  const Drafter& drafts_by = *beside.drafter;
  DraftPasses passes{.steps = beside.speculation.steps};
  GraphOptions graph = setup.graph;
  if (drafts_by.block) {
    passes.block_queries = drafts_by.block->queries(passes.steps);
    graph.sampling = drafts_by.block->markov_rank == 0;  // else each token is chosen after the one before
  }
  auto drafter = std::make_unique<OperatorStepPricer>(
      StepPlan(drafts_by.model, beside.drafter_sharding, graph), operators,
      graphs(std::max<std::int64_t>(1, passes.block_queries)), std::move(drafts.each_pass));
  return std::make_unique<DraftingStepPricer>(std::move(target), std::move(drafter), passes);
}

// Tags of releases and images begin with a v: "v0.24.0" is 0.24.0.
ServingSetupRequest with_plain_version(ServingSetupRequest request) {
  std::string& version = request.version;
  if (version.size() > 1 && version[0] == 'v' && is_release(version.substr(1))) version.erase(0, 1);
  return request;
}

// What carries tokens to their experts, in the graph of a step too.
ExpertTransport reach_experts(ServingSetup& setup, bool links_nodes) {
  const ExpertTransport transport = expert_transport(setup.config, setup.sharding, links_nodes);
  if (transport == ExpertTransport::MegaMoe)
    exchange_within_experts({setup.config, setup.model, setup.sharding, *setup.gpu}, setup.graph);
  else if (transport != ExpertTransport::Collectives)
    setup.graph.expert_exchange = ExpertExchange::DispatchCombine;
  // DeepEP's normal kernels wait for the host to learn how many tokens come: no CUDA graph holds them.
  if (transport == ExpertTransport::DeepEpNormal) setup.config.enforce_eager = true;
  return transport;
}

// What was measured of the machine that is meant; nothing where none is named.
std::optional<MachineProfile> machine_of(const ServingSetupRequest& request, const ServingSetup& setup) {
  const HostSettings& host = request.host;
  if (host.machine.empty()) return std::nullopt;
  MachineProfile machine = load_machine_profile(host.machine, request.files);
  const std::string& engine = request.framework.empty() ? request.config.engine : request.framework;
  check_machine(machine, setup.gpu->name, engine, request.version);
  if (!machine.base.empty() && host.profile != kDefaultHostProfile && host.profile != machine.base)
    throw InvalidInput(
        fmt::format("machine: '{}' scales the host profile {}, and host_profile is {}; expected "
                    "one of the two options",
                    machine.name, machine.base, host.profile));
  const bool another = !machine.model.empty() && machine.model != model_label(setup.model);
  if (!another) return machine;
  const bool same_scheme = machine.scheme.empty() || machine.scheme == scheme_label(setup.model);
  const bool experts = machine.kind == kMixtureKind || kind_label(setup.model) == kMixtureKind;
  const Kinship kinship = experts       ? Kinship::Unlike
                          : same_scheme ? Kinship::Alike
                                        : Kinship::AlikeAnotherScheme;
  return for_another_model(std::move(machine), kinship);
}

// The release whose code the host runs: of a build that is none, the one that its day has reached.
std::string host_version(const ServingSetupRequest& request, const EngineSpec& priced) {
  const std::string dated = dated_version(request.version, request.day);
  if (is_release(dated) || day_of_build(dated).empty()) return request.version;
  return std::string(priced.version_row(dated).since);
}

void set_host(ServingSetup& setup, const ServingSetupRequest& request, const EngineSpec& priced,
              const std::optional<MachineProfile>& machine) {
  const bool scaled = machine && !machine->base.empty();
  const HostProfile profile = load_host_profile(scaled ? machine->base : request.host.profile, request.files);
  setup.host_profile = scaled ? fmt::format("{} ({})", machine->name, profile.name) : profile.name;
  const LaunchedLayers layers = launched_layers(priced, setup);
  const ClientWay way = client_way_of(profile, priced.name);
  const HostPaces paces = paces_of(profile);
  const auto host_at = [&](int side) {
    const EngineHost& constants = profile.engine(priced.name, host_version(request, priced));
    HostFactors factors;
    factors.fill(side < 0 ? constants.fast : side > 0 ? constants.slow : 1);
    if (scaled) factors = machine->host_factors(constants, side);
    HostModel host = scaled_host(constants, factors).of(layers);
    host.pace_spread = scaled ? machine->pace_spread_beside(constants, side) : constants.pace_spread_at(side);
    host.paces = paces;
    request.host.apply(host, way);
    return host;
  };
  setup.config.host = host_at(0);
  setup.host_least = host_at(-1);
  setup.host_most = host_at(1);
  setup.handshake = way.handshake;
}

}  // namespace

void check_simulated_engine(const std::string& engine) {
  if (find_engine(engine) != nullptr) return;
  const std::vector<std::string> names = engine_names();
  throw Unsupported(fmt::format("engine '{}' is not simulated, expected one of: {}{}", engine,
                                fmt::join(names, ", "), did_you_mean(engine, names)));
}

std::optional<DataType> kv_cache_type(const std::string& name) {
  if (name == "auto") return std::nullopt;
  if (name == "fp8" || name == "fp8_e4m3" || name == "fp8_e5m2") return DataType::Fp8;
  if (name == "bfloat16" || name == "bf16") return DataType::Bf16;
  if (name == "float16" || name == "fp16" || name == "half") return DataType::Fp16;
  throw InvalidInput(
      fmt::format("kv_cache_dtype: '{}' is unknown, expected auto, fp8, bfloat16 or float16", name));
}

ServingSetup resolve_serving(const ServingSetupRequest& asked, const ModelArchitecture& model,
                             const Sharding& sharding, std::shared_ptr<const LatencyModel> latency,
                             MemoryCheck memory) {
  const ServingSetupRequest request = with_plain_version(asked);
  check_config(request.config);
  GpuCatalog gpus;
  ServingSetup setup;
  setup.model = model;
  setup.gpu = std::make_shared<const GpuSpec>(gpu_of(request, gpus));
  setup.sharding = sharding;
  check_split(setup, request);
  setup.config = request.config;
  complete_speculation(setup.config, setup.model, request.files);
  const EngineSpec& engine = engine_named(setup.config.engine);
  const EngineSpec& priced = request.framework.empty() ? engine : engine_named(request.framework);
  check_day(request);
  const std::string version = dated_version(request.version, request.day);
  if (!setup.config.max_model_len && model.max_positions > 0)
    setup.config.max_model_len = model.max_positions;
  resolve_defaults(setup.config, *setup.gpu, &priced == &engine ? version : std::string());
  check_config(setup.config);
  check_expert_kernels(setup);
  check_delta_net_kernels(setup);
  setup.graph.kv_cache = kv_cache_type(setup.config.kv_cache_dtype);
  route_experts(setup, request.expert_routing);
  if (has_tensor_memory(*setup.gpu)) setup.graph.mxfp4_scheme = MatmulScheme::MxFp4A8;
  setup.graph.ranks_per_node = ranks_per_node(gpus, *setup.gpu, setup.sharding);
  setup.graph.balanced_nodes = balanced_nodes(gpus, setup);
  setup.graph.network = request.network;
  const EngineLaunch launch{setup.config, setup.model, setup.sharding, *setup.gpu};
  engine.fuse(setup.graph, launch, version);
  if (engine.graphed_prompt_tokens != nullptr)
    setup.config.graphed_prompt_tokens = engine.graphed_prompt_tokens(launch, version);
  const ExpertTransport transport = reach_experts(setup, links_nodes(gpus, *setup.gpu));
  setup.kernels = {.framework = std::string(priced.framework),
                   .version = request.version,
                   .moe_backend = request.config.moe_backend,
                   .fp8_gemm_backend = request.config.fp8_gemm_backend,
                   .gdn_prefill_backend = request.config.gdn_prefill_backend,
                   .expert_transport = transport,
                   .rule = priced.kernel};
  const Companions beside = companions_of(setup, request);
  if (beside.vision) setup.config.most_image_tokens = most_tokens_of_image(*beside.vision);
  if (memory == MemoryCheck::Required) check_memory(setup, beside, version, request.config.max_num_seqs);
  setup.defaults_version = defaults_used_instead(priced, request.version);
  setup.priced_version = version_used_instead(*latency, setup.kernels.framework, request.version);
  const std::optional<MachineProfile> machine = machine_of(request, setup);
  set_host(setup, request, priced, machine);
  setup.measured_at = request.host.measured_at;
  setup.latency = std::move(latency);
  if (machine && !machine->kernels.empty())
    setup.latency = std::make_shared<const MachineLatency>(std::move(setup.latency), *machine);
  setup.pricer = pricer_of(setup, beside);
  return setup;
}

LaunchedLayers launched_layers(const EngineSpec& engine, const ServingSetup& setup) {
  LaunchedLayers layers = engine.launched_layers(setup.model, *setup.gpu);
  constexpr std::int64_t kSomeTokens = 1024;  // of a prompt: they do not change how many collectives it has
  const OperatorGraph graph = build_operator_graph(setup.model, setup.sharding,
                                                   StepShape::whole_prompts(1, kSomeTokens), setup.graph);
  for (const OperatorNode& node : graph)
    if (std::holds_alternative<Collective>(node.op)) layers.collectives += node.count;
  return layers;
}

ServingSetup resolve_serving(const ServingSetupRequest& request, std::shared_ptr<const LatencyModel> latency,
                             MemoryCheck memory) {
  const ModelArchitecture model = model_of(request);
  ServingSetupRequest spread = request;
  spread.config = spread_attention(request.config, model);
  return resolve_serving(spread, model, sharding_of(spread.config, model), std::move(latency), memory);
}

}  // namespace warploom
