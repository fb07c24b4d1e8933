#include "warploom/predictor/model/model_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/base/byte_stream.h"
#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/framed_file.h"
#include "warploom/predictor/features/features.h"

namespace warploom {
namespace {

constexpr std::uint32_t kOldestMajor = 2;
constexpr FileFormat kFormat{.magic = "WLPREDIC",
                             .schema = "warploom_predictor",
                             .name = "predictor file",
                             .written_by = "warploom train",
                             .major = kPredictorFileMajor,
                             .minor = kPredictorFileMinor,
                             .oldest_major = kOldestMajor};

void put_interval(ByteWriter& out, const LogInterval& interval) {
  for (const float value : interval.low) out.put(value);
  for (const float value : interval.high) out.put(value);
}

LogInterval take_interval(ByteReader& in) {
  LogInterval interval;
  for (float& value : interval.low) value = in.take<float>();
  for (float& value : interval.high) value = in.take<float>();
  return interval;
}

void put_layers(ByteWriter& out, const FamilyModel& model) {
  for (const CellRecord& cell : model.cells) {
    out.put_all(cell.layers);
    if (!cell.layers.empty()) put_interval(out, cell.interval_new_layer);
  }
  for (const EnsembleRecord& ensemble : model.ensembles) out.put_text(ensemble.layer_trees);
}

void put_records(ByteWriter& out, const FamilyModel& model) {
  out.put(std::uint32_t(model.gpus.size()));
  for (const GpuRecord& gpu : model.gpus) {
    out.put_text(gpu.name);
    out.put(gpu.architecture);
    out.put(gpu.rows);
  }
  out.put(std::uint32_t(model.contexts.size()));
  for (const ContextRecord& context : model.contexts) {
    out.put_text(context.framework);
    out.put_text(context.version);
    out.put_text(context.kernel);
  }
  out.put(std::uint32_t(model.cells.size()));
  for (const CellRecord& cell : model.cells) {
    out.put(cell.gpu);
    out.put(cell.context);
    out.put(cell.kind);
    out.put(std::uint8_t(cell.launch_bound));
    out.put(cell.rows);
    out.put(cell.offset);
    out.put(cell.overhead.fixed_seconds);
    out.put(cell.overhead.row_seconds);
    put_interval(out, cell.interval);
  }
  out.put(model.shrink_known);
  out.put(model.shrink_unknown);
  put_interval(out, model.interval_known);
  put_interval(out, model.interval_unknown);
  out.put(std::uint32_t(model.ensembles.size()));
  for (const EnsembleRecord& ensemble : model.ensembles) {
    out.put(ensemble.gpu);
    out.put_all(ensemble.low);
    out.put_all(ensemble.high);
    out.put_text(ensemble.trees);
  }
  put_interval(out, model.interval_sibling);
  for (const GpuRecord& gpu : model.gpus) {
    out.put(std::uint8_t(gpu.adapted));
    out.put(gpu.level);
    out.put(gpu.share);
  }
  const std::size_t constants = base_constants(model.family).size();
  out.put(std::uint32_t(model.constants.size()));
  for (const ConstantsRecord& record : model.constants) {
    out.put(record.gpu);
    out.put(std::uint32_t(constants));
    for (std::size_t i = 0; i < constants; ++i) out.put(record.values.values[i]);
  }
  put_layers(out, model);
}

void take_adaptations(ByteReader& in, FamilyModel& model) {
  for (GpuRecord& gpu : model.gpus) {
    gpu.adapted = in.take<std::uint8_t>() != 0;
    gpu.level = in.take<float>();
    gpu.share = in.take<float>();
  }
}

void take_constants(ByteReader& in, FamilyModel& model, std::string_view where) {
  const std::size_t expected = base_constants(model.family).size();
  model.constants.resize(in.take_count(8));
  for (ConstantsRecord& record : model.constants) {
    record.gpu = in.take<std::int32_t>();
    const auto count = in.take<std::uint32_t>();
    if (count != expected)
      throw Unsupported(
          fmt::format("{}: holds {} fitted constants of {}, but this program uses {}: train again", where,
                      count, name_of(model.family), expected));
    for (std::size_t i = 0; i < count; ++i) record.values.values[i] = in.take<double>();
  }
}

void take_records(ByteReader& in, FamilyModel& model) {
  model.gpus.resize(in.take_count(12));
  for (GpuRecord& gpu : model.gpus) {
    gpu.name = in.take_text();
    gpu.architecture = in.take<std::int32_t>();
    gpu.rows = in.take<std::uint32_t>();
  }
  model.contexts.resize(in.take_count(12));
  for (ContextRecord& context : model.contexts) {
    context.framework = in.take_text();
    context.version = in.take_text();
    context.kernel = in.take_text();
  }
  model.cells.resize(in.take_count(20));
  for (CellRecord& cell : model.cells) {
    cell.gpu = in.take<std::uint16_t>();
    cell.context = in.take<std::uint16_t>();
    cell.kind = in.take<std::uint16_t>();
    cell.launch_bound = in.take<std::uint8_t>() != 0;
    cell.rows = in.take<std::uint32_t>();
    cell.offset = in.take<float>();
    cell.overhead.fixed_seconds = in.take<float>();
    cell.overhead.row_seconds = in.take<float>();
    cell.interval = take_interval(in);
  }
  model.shrink_known = in.take<float>();
  model.shrink_unknown = in.take<float>();
  model.interval_known = take_interval(in);
  model.interval_unknown = take_interval(in);
  model.ensembles.resize(in.take_count(14));
  for (EnsembleRecord& ensemble : model.ensembles) {
    ensemble.gpu = in.take<std::uint16_t>();
    ensemble.low = in.take_all<float>();
    ensemble.high = in.take_all<float>();
    ensemble.trees = in.take_text();
  }
}

// Since version 2.1.
void take_layers(ByteReader& in, FamilyModel& model) {
  for (CellRecord& cell : model.cells) {
    cell.layers = in.take_all<std::uint32_t>();
    if (!cell.layers.empty()) cell.interval_new_layer = take_interval(in);
  }
  for (EnsembleRecord& ensemble : model.ensembles) ensemble.layer_trees = in.take_text();
}

void check_references(const FamilyModel& model, std::string_view where) {
  bool sound = model.trained_contexts <= model.contexts.size();
  for (const CellRecord& cell : model.cells)
    sound = sound && cell.context < model.contexts.size() &&
            (cell.gpu == CellRecord::kAnyGpu || cell.gpu < model.gpus.size());
  for (const EnsembleRecord& ensemble : model.ensembles)
    sound = sound && ensemble.low.size() == ensemble.high.size() &&
            ensemble.low.size() <= std::size_t(kMaxFeatures) &&
            (ensemble.gpu == CellRecord::kAnyGpu || ensemble.gpu < model.gpus.size());
  if (!sound)
    throw InvalidInput(fmt::format("{}: the predictor file's records contradict each other", where));
}

void read_head(const FileHead& head, FamilyModel& model, std::string_view where) {
  head.check_features(kFeatureVersion);
  model.family = parse_enum<Family>(head.text("family"), fmt::format("{}: 'family' in the head", where));
  model.created_by = head.text("created_by");
  model.data_hash = head.hash("data_hash");
  model.seed = head.count("seed");
  model.test_fraction = head.number("test_fraction");
  model.split_seed = head.count("split_seed");
  if (head.document().contains("trained_contexts"))
    model.trained_contexts = std::uint32_t(head.count("trained_contexts"));
}

}  // namespace

std::string model_to_bytes(const FamilyModel& model) {
  Json head = file_head(kFormat, model.created_by);
  head["family"] = name_of(model.family);
  head["feature_version"] = kFeatureVersion;
  head["data_hash"] = hash_text(model.data_hash);
  head["seed"] = model.seed;
  head["test_fraction"] = model.test_fraction;
  head["split_seed"] = model.split_seed;
  if (model.trained_contexts > 0) head["trained_contexts"] = model.trained_contexts;
  ByteWriter records;
  put_records(records, model);
  return framed_file(kFormat, head, records.bytes());
}

FamilyModel model_from_bytes(std::string_view bytes, std::string_view where) {
  FramedFile file = open_framed_file(kFormat, bytes, where);
  FamilyModel model;
  read_head(file.head, model, where);
  take_records(file.records, model);
  model.interval_sibling = take_interval(file.records);
  take_adaptations(file.records, model);
  take_constants(file.records, model, where);
  if (file.major > kOldestMajor || file.minor > 0) take_layers(file.records, model);
  file.finish(kFormat, where);
  check_references(model, where);
  return model;
}

void write_model(const FamilyModel& model, const std::filesystem::path& folder) {
  write_file_atomically(folder / (std::string(name_of(model.family)) + std::string(kPredictorFileSuffix)),
                        model_to_bytes(model));
}

}  // namespace warploom
