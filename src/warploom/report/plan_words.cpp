#include "warploom/report/plan_words.h"

#include <fmt/format.h>

namespace warploom {

std::string deployment_words(const PlanLabel& label, const Configuration& configuration, const Fleet& fleet) {
  std::string text =
      label.decode_gpu.empty()
          ? fmt::format("{} x ({}, {})", fleet.instances, label.gpu, label.shape)
          : fmt::format("prefill {} x ({}, {}), decode {} x ({}, {})", fleet.instances, label.gpu,
                        label.shape, fleet.decode, label.decode_gpu, label.decode_shape);
  text += fmt::format(" {}{}", label.engine, label.version.empty() ? "" : " " + label.version);
  if (label.quantization != "stored") text += ", " + label.quantization;
  if (configuration.max_num_seqs > 0) text += fmt::format(", max_num_seqs {}", configuration.max_num_seqs);
  if (configuration.max_num_batched_tokens > 0)
    text += fmt::format(", max_num_batched_tokens {}", configuration.max_num_batched_tokens);
  if (!configuration.prefix_caching) text += ", no prefix cache";
  if (!label.speculation.empty() && label.speculation != "none") text += ", drafts " + label.speculation;
  if (configuration.kv_offloading_gib > 0)
    text += fmt::format(", offloads {:g} GiB", configuration.kv_offloading_gib);
  if (configuration.encoders > 0)
    text +=
        fmt::format(", {} encoder{} apart", configuration.encoders, configuration.encoders > 1 ? "s" : "");
  if (!label.shared_caches.empty()) text += ", shares " + label.shared_caches;
  if (!label.router.empty()) text += ", router " + label.router;
  return text;
}

std::string rests_words(const PlanLabel& label) {
  return fmt::format("kernels {:.0f} % measured{}{}", 100 * label.measured_share,
                     label.by_structure ? ", overlap of both sides by structure" : "",
                     label.encodes ? ", the encoder by its kernels alone" : "");
}

}  // namespace warploom
