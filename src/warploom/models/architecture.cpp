#include "warploom/models/architecture.h"

#include <fmt/format.h>

#include <algorithm>

namespace warploom {

bool LayerGroup::alike(const LayerGroup& other) const {
  return mixer == other.mixer && feed_forward == other.feed_forward && lookup == other.lookup &&
         schemes == other.schemes;
}

std::int64_t LayerGroup::parts() const {
  return (std::holds_alternative<NoMixer>(mixer) ? 0 : 1) +
         (std::holds_alternative<NoFeedForward>(feed_forward) ? 0 : 1);
}

std::int64_t ModelArchitecture::norms_of(const LayerGroup& group) const {
  constexpr std::int64_t kParts = 2;
  return norms_per_layer * group.parts() / kParts;
}

std::int64_t ModelArchitecture::layer_count() const {
  std::int64_t total = 0;
  for (const LayerGroup& group : layers) total += group.count;
  return total;
}

const MixtureOfExperts* ModelArchitecture::mixture() const {
  for (const LayerGroup& group : layers)
    if (const MixtureOfExperts* mixture = group.mixture()) return mixture;
  return nullptr;
}

void append_layer(std::vector<LayerGroup>& groups, const LayerGroup& layer) {
  if (!groups.empty() && groups.back().alike(layer)) {
    groups.back().count += layer.count;
  } else {
    groups.push_back(layer);
  }
}

std::vector<LayerGroup> merged_layers(const ModelArchitecture& model, std::int64_t first, std::int64_t last) {
  std::vector<LayerGroup> merged;
  std::int64_t begin = 0;
  for (const LayerGroup& group : model.layers) {
    const std::int64_t end = begin + group.count;
    const std::int64_t inside = std::min(end, last) - std::max(begin, first);
    begin = end;
    if (inside <= 0) continue;
    const auto known =
        std::find_if(merged.begin(), merged.end(), [&](const LayerGroup& g) { return g.alike(group); });
    if (known != merged.end()) {
      known->count += inside;
    } else {
      merged.push_back(group);
      merged.back().count = inside;
    }
  }
  return merged;
}

ModelArchitecture quantize_linears(const ModelArchitecture& model, MatmulScheme scheme) {
  if (!model.quantization.method.empty()) {
    throw InvalidInput(
        fmt::format("{}: the checkpoint is already quantised ({}), expected one in {} to quantise as {}",
                    model.name, model.quantization.method, name_of(model.dtype), name_of(scheme)));
  }
  ModelArchitecture result = model;
  if (scheme == MatmulScheme::Fp16) {
    // No quantisation: the engine casts weights, and with them everything else of 16 bits (`--dtype half`).
    result.dtype = DataType::Fp16;
    for (LayerGroup& group : result.layers) group.schemes = {scheme, scheme, scheme, scheme, scheme};
    return result;
  }
  result.quantization.method = name_of(scheme);
  for (LayerGroup& group : result.layers) group.schemes = {scheme, scheme, scheme, scheme, scheme};
  return result;
}

namespace {

// One pool of blocks is given back behind one window.
void check_windows(const ModelArchitecture& model, std::string_view where) {
  const Attention* first = nullptr;
  for (const LayerGroup& group : model.layers) {
    const auto* attention = std::get_if<Attention>(&group.mixer);
    if (attention == nullptr || !attention->windowed()) continue;
    if (first == nullptr) first = attention;
    if (attention->reach != first->reach)
      throw Unsupported(fmt::format("{}: sliding windows and chunks in one model are not supported", where));
    if (attention->window != first->window)
      throw Unsupported(fmt::format("{}: windows of {} and of {} tokens in one model are not supported",
                                    where, first->window, attention->window));
  }
}

}  // namespace

void check_architecture(const ModelArchitecture& model, std::string_view where) {
  check(model, where);
  if (model.layer_count() == 0) throw InvalidInput(fmt::format("{}: has no layers", where));
  for (const LayerGroup& group : model.layers) {
    std::visit([where](const auto& mixer) { mixer.check(where); }, group.mixer);
    std::visit([where](const auto& part) { part.check(where); }, group.feed_forward);
    std::visit([where](const auto& part) { part.check(where); }, group.lookup);
  }
  check_windows(model, where);
}

FieldTable LayerGroup::describe() {
  FieldTable table = FieldList<LayerGroup>("layer_group")
                         .add("count", &LayerGroup::count, {.doc = "consecutive layers", .min = 1})
                         .add("schemes", &LayerGroup::schemes, {.doc = "storage of each group of matrices"})
                         .table();
  add_kinds(table, &LayerGroup::mixer);
  add_kinds(table, &LayerGroup::feed_forward);
  add_kinds(table, &LayerGroup::lookup);
  return table;
}

double Residual::parameters(std::int64_t hidden) const {
  constexpr double kSites = 2;  // before the mixer and before the feed-forward
  const auto width = static_cast<double>(hidden), n = static_cast<double>(streams);
  if (block > 0) return kSites * 2 * width;  // the norm and the weights of the scores
  if (streams == 1) return 0;
  // Weights into the part, out of it, and between streams; a scale and a bias of each.
  const double mixed = (2 + n) * n;
  return kSites * (mixed * n * width + mixed + 3);
}

FieldTable Residual::describe() {
  return FieldList<Residual>("residual")
      .add("block", &Residual::block,
           {.doc = "layers of a block of attention residuals", .min = 0, .max = 1e4})
      .add("streams", &Residual::streams, {.doc = "streams of hyper-connections", .min = 1, .max = 64})
      .add("sinkhorn_iterations", &Residual::sinkhorn_iterations,
           {.doc = "of the mixing weights", .min = 0, .max = 1000})
      .table();
}

FieldTable BlockDrafter::describe() {
  return FieldList<BlockDrafter>("block_drafter")
      .add("states", &BlockDrafter::states, {.doc = "layers whose states it reads", .min = 0, .max = 1e4})
      .add("block", &BlockDrafter::block, {.doc = "tokens of a block", .min = 0, .max = 64})
      .add("markov_rank", &BlockDrafter::markov_rank, {.doc = "of its last head", .min = 0, .max = 1e6})
      .add("experts", &BlockDrafter::experts, {.doc = "of its layers", .min = 0, .max = 1e6})
      .add("experts_per_token", &BlockDrafter::experts_per_token, {.doc = "of those", .min = 0, .max = 1e6})
      .table();
}

FieldTable QuantizationFacts::describe() {
  return FieldList<QuantizationFacts>("quantization")
      .add("method", &QuantizationFacts::method, {.doc = "as the checkpoint names it"})
      .add("group_size", &QuantizationFacts::group_size, {.doc = "elements sharing a scale", .min = 0})
      .add("scale_bytes", &QuantizationFacts::scale_bytes,
           {.unit = "B", .doc = "scale of a group of 4-bit weights alone", .min = 0, .max = 4})
      .add("kv_cache", &QuantizationFacts::kv_cache,
           {.doc = "type of the KV cache that the checkpoint asks for"})
      .add("not_converted", &QuantizationFacts::not_converted,
           {.doc = "modules kept in the model's own type"})
      .table();
}

FieldTable ModelArchitecture::describe() {
  return FieldList<ModelArchitecture>("model")
      .add("name", &ModelArchitecture::name, {.required = true})
      .add("architecture", &ModelArchitecture::architecture)
      .add("dtype", &ModelArchitecture::dtype, {.doc = "of weights that are not quantised"})
      .add("hidden", &ModelArchitecture::hidden, {.min = 1, .max = 1e6})
      .add("vocabulary", &ModelArchitecture::vocabulary, {.min = 1, .max = 1e8})
      .add("max_positions", &ModelArchitecture::max_positions, {.min = 0})
      .add("layers", &ModelArchitecture::layers)
      .add("layer_norm", &ModelArchitecture::layer_norm)
      .add("norms_per_layer", &ModelArchitecture::norms_per_layer, {.min = 1, .max = 8})
      .add("tie_embeddings", &ModelArchitecture::tie_embeddings)
      .add("residual", &ModelArchitecture::residual)
      .add("mtp_layers", &ModelArchitecture::mtp_layers, {.min = 0})
      .add("block_drafter", &ModelArchitecture::block_drafter)
      .add("quantization", &ModelArchitecture::quantization)
      .add("notes", &ModelArchitecture::notes)
      .table();
}

}  // namespace warploom
