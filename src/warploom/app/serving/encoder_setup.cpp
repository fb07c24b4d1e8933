#include "warploom/app/serving/encoder_setup.h"

#include <fmt/format.h>

#include "warploom/app/serving/kv_transfer_setup.h"
#include "warploom/app/serving/vision_choice.h"
#include "warploom/base/error.h"
#include "warploom/hardware/node_catalog.h"
#include "warploom/serving/pricing/encoding_step_pricer.h"

namespace warploom {
namespace {

// The same engine on its own GPUs: nothing of the language model's parallelism holds there.
ServingSetupRequest encoder_setup_request(const SimulateRequest& request) {
  const EncoderPoolRequest& asked = request.encoder;
  const ServingSetupRequest& prompts =
      request.disaggregation ? request.disaggregation->prefill : request.setup;
  ServingSetupRequest setup = prompts;
  if (!asked.gpu.empty()) setup.gpu = asked.gpu;
  setup.config = ServingConfig{};
  setup.config.engine = prompts.config.engine;
  setup.config.instances = asked.instances;
  setup.config.tensor_parallel_size = asked.tensor_parallel_size;
  setup.config.mm_encoder_tp_mode = prompts.config.mm_encoder_tp_mode;
  setup.reads_images = true;
  setup.config.max_num_seqs = prompts.config.max_num_seqs;
  setup.config.max_num_batched_tokens =
      asked.max_num_batched_tokens ? asked.max_num_batched_tokens : prompts.config.max_num_batched_tokens;
  setup.config.enforce_eager = true;
  return setup;
}

// Launches are fitted to the language model's layers: an encoder has as many fewer as its layers are. An
// estimate.
void launch_fewer_layers(HostModel& host, double share) {
  for (Seconds* launch : {&host.launch_kernels, &host.prompt_launch, &host.decode_launch}) *launch *= share;
}

void check_encoder_weights(const VisionEncoder& encoder, const ServingSetup& setup,
                           const VisionSplit& split) {
  const Bytes weights = vision_weights(encoder, split), memory = setup.gpu->memory_capacity;
  if (weights.value() <= memory.value()) return;
  throw InvalidInput(
      fmt::format("encoder_instances: the encoder of {} takes {:.1f} GB, expected at most the "
                  "{:.1f} GB of {}",
                  setup.model.name, weights.value() / 1e9, memory.value() / 1e9, setup.gpu->name));
}

}  // namespace

EncoderSetup encoder_setup(const SimulateRequest& request,
                           const std::shared_ptr<const LatencyModel>& latency) {
  if (!request.source.images)
    throw InvalidInput("encoder_instances changes nothing by itself, expected `images_per_request` too");
  const ServingSetupRequest asked = encoder_setup_request(request);
  EncoderSetup result{.setup = resolve_serving(asked, latency, MemoryCheck::None), .plan = {}};
  ServingSetup& setup = result.setup;
  const VisionEncoder encoder = vision_of(asked.vision_encoder, asked.files, setup.model);
  const VisionSplit split{.tensor_parallel = setup.sharding.tensor_parallel,
                          .by_images = setup.config.mm_encoder_tp_mode == kWholeImages};
  check_encoder_weights(encoder, setup, split);
  setup.config.most_image_tokens = most_tokens_of_image(encoder);
  const double layers = double(encoder.depth) / double(setup.model.layer_count());
  for (HostModel* host : {&setup.config.host, &setup.host_least, &setup.host_most})
    launch_fewer_layers(*host, layers);
  setup.pricer = std::make_unique<EncodingStepPricer>(nullptr, setup.operators(), encoder, split);
  constexpr double kElementBytes = 2;  // bf16
  result.plan.pool = setup.pool("encode");
  result.plan.per_token = Bytes(double(encoder.embedding_width()) * kElementBytes);
  result.plan.bandwidth = request.encoder.bandwidth
                              ? *request.encoder.bandwidth * double(setup.sharding.tensor_parallel)
                              : cache_bandwidth_of(setup);
  GpuCatalog gpus;
  result.plan.latency =
      request.encoder.latency.value_or(NodeCatalog(gpus).node_of(*setup.gpu).network.latency);
  return result;
}

}  // namespace warploom
