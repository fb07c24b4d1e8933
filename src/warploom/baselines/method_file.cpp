#include "warploom/baselines/method_file.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "warploom/base/byte_stream.h"
#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/framed_file.h"

namespace warploom {
namespace {

using baselines::CollectiveForest;
using baselines::DenseNetwork;
using baselines::EfficiencyNetwork;
using baselines::KernelSightModel;
using baselines::PipeWeaveKernel;
using baselines::PipeWeaveKernels;
using baselines::PipeWeaveModel;
using published::PublishedKernel;

constexpr FileFormat kMethodFormat{.magic = "WLMETHOD",
                                   .schema = "warploom_method",
                                   .name = "file of a published method",
                                   .written_by = "warploom train --method",
                                   .major = kMethodFileMajor,
                                   .minor = kMethodFileMinor};
// Methods with a file.
constexpr std::array kFiledKinds{BaselineKind::PipeWeave, BaselineKind::KernelSight};
constexpr std::size_t kLeastKernelBytes = 16, kLeastForestBytes = 12;
constexpr std::size_t kOnePipe = 11, kTwoPipes = 15;  // features of a kernel

std::size_t feature_count(PublishedKernel kernel) {
  switch (kernel) {
    case PublishedKernel::Gemm:
    case PublishedKernel::GemmFp8:
    case PublishedKernel::FusedMoe:
      return kOnePipe;
    default:
      return kTwoPipes;
  }
}

PipeWeaveModel read_pipeweave(FramedFile& file, std::string_view where) {
  ByteReader& records = file.records;
  PipeWeaveKernels kernels;
  for (std::size_t left = records.take_count(kLeastKernelBytes); left > 0; --left) {
    const auto kernel = parse_enum<PublishedKernel>(records.take_text(), fmt::format("{}: a kernel", where));
    const auto rows = records.take<std::uint64_t>();
    std::vector<std::string> gpus(records.take_count(sizeof(std::uint32_t)));
    for (std::string& gpu : gpus) gpu = records.take_text();
    const EfficiencyNetwork::Range range{records.take<double>(), records.take<double>()};
    if (!(range.low > 0) || !(range.high >= range.low) || !std::isfinite(range.high))
      throw InvalidInput(
          fmt::format("{}: the efficiencies of {} have no valid range", where, name_of(kernel)));
    EfficiencyNetwork network(DenseNetwork::read(records, where), range);
    if (network.inputs() != feature_count(kernel) || network.network().outputs() != 1)
      throw InvalidInput(fmt::format("{}: the network of {} has {} inputs, expected {}", where,
                                     name_of(kernel), network.inputs(), feature_count(kernel)));
    kernels.emplace(kernel, PipeWeaveKernel{std::move(network), std::move(gpus), rows});
  }
  std::vector<CollectiveForest> forests;
  for (std::size_t left = records.take_count(kLeastForestBytes); left > 0; --left) {
    const auto kind = parse_enum<CollectiveKind>(records.take_text(), fmt::format("{}: a collective", where));
    std::string gpu(records.take_text());
    forests.emplace_back(kind, std::move(gpu), std::string(records.take_text()), where);
  }
  return {std::move(kernels), std::move(forests)};
}

Json method_head(BaselineKind kind, const MethodProvenance& provenance) {
  Json head = file_head(kMethodFormat, kMethodFormat.written_by);
  head["method"] = name_of(kind);
  head["data_hash"] = hash_text(provenance.data_hash);
  head["seed"] = provenance.seed;
  head["rows"] = provenance.rows;
  if (provenance.quantile > 0) head["quantile"] = provenance.quantile;
  return head;
}

BaselineKind kind_in(const FramedFile& file, std::string_view where) {
  const std::string method = file.head.text("method");
  for (const BaselineKind kind : kFiledKinds)
    if (name_of(kind) == method) return kind;
  throw Unsupported(
      fmt::format("{}: holds the method '{}', expected pipeweave or kernelsight", where, method));
}

}  // namespace

std::string method_to_bytes(const PipeWeaveModel& model, const MethodProvenance& provenance) {
  ByteWriter records;
  records.put(std::uint32_t(model.kernels().size()));
  for (const auto& [kernel, learned] : model.kernels()) {
    records.put_text(name_of(kernel));
    records.put(std::uint64_t(learned.rows));
    records.put(std::uint32_t(learned.gpus.size()));
    for (const std::string& gpu : learned.gpus) records.put_text(gpu);
    records.put(learned.network.range().low);
    records.put(learned.network.range().high);
    learned.network.network().write(records);
  }
  records.put(std::uint32_t(model.forests().size()));
  for (const CollectiveForest& forest : model.forests()) {
    records.put_text(name_of(forest.kind()));
    records.put_text(forest.gpu());
    records.put_text(forest.trees());
  }
  return framed_file(kMethodFormat, method_head(BaselineKind::PipeWeave, provenance), records.bytes());
}

std::string method_to_bytes(const KernelSightModel& model, const MethodProvenance& provenance) {
  Json head = method_head(BaselineKind::KernelSight, provenance);
  head["feature_version"] = baselines::kEfficiencyViewVersion;
  ByteWriter records;
  model.write(records);
  return framed_file(kMethodFormat, head, records.bytes());
}

std::string method_to_bytes(const MethodFile& file) {
  if (file.kind == BaselineKind::KernelSight)
    return method_to_bytes(dynamic_cast<const KernelSightModel&>(*file.model), file.provenance);
  return method_to_bytes(dynamic_cast<const PipeWeaveModel&>(*file.model), file.provenance);
}

MethodFile method_from_bytes(std::string_view bytes, std::string_view where) {
  FramedFile file = open_framed_file(kMethodFormat, bytes, where);
  MethodFile result{.kind = kind_in(file, where),
                    .model = nullptr,
                    .provenance = {.data_hash = file.head.hash("data_hash"),
                                   .seed = file.head.count("seed"),
                                   .rows = file.head.count("rows")}};
  if (file.head.document().contains("quantile")) result.provenance.quantile = file.head.number("quantile");
  if (result.kind == BaselineKind::KernelSight) {
    file.head.check_features(baselines::kEfficiencyViewVersion);
    result.model = std::make_unique<KernelSightModel>(KernelSightModel::read(file.records, where));
  } else {
    result.model = std::make_unique<PipeWeaveModel>(read_pipeweave(file, where));
  }
  file.finish(kMethodFormat, where);
  return result;
}

MethodFile read_method_file(const std::filesystem::path& path) {
  return method_from_bytes(read_file(path), path.string());
}

}  // namespace warploom
