#include "warploom/app/data/calibrate.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "warploom/app/data/predictor_folder.h"
#include "warploom/app/predict/excluded_gpus.h"
#include "warploom/app/predict/latency_models.h"
#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/hash.h"
#include "warploom/base/json.h"
#include "warploom/base/learning.h"
#include "warploom/base/request_fields.h"
#include "warploom/base/sealed_json.h"
#include "warploom/kernels/roofline.h"
#include "warploom/predictor/predictor.h"
#include "warploom/predictor/training/calibrate.h"
#include "warploom/predictor/training/family_job.h"
#include "warploom/steps/step_kernels.h"

namespace warploom {
namespace fs = std::filesystem;

FieldTable CalibrateRequest::describe() {
  using R = CalibrateRequest;
  return RequestFields<R>("calibrate")
      .add("gpu", &R::gpu, {.doc = "the GPU that was swept", .required = true})
      .add("data", &R::data,
           {.doc = "folder that warploom-collect wrote, or its sweep.csv", .required = true})
      .add("output", &R::output,
           {.doc = "folder of the calibrated predictor, for `predictor`", .required = true})
      .add("predictor", &R::predictor, {.doc = "folder of the predictor to build on"})
      .add("record", &R::record, {.doc = "also write a GPU record with the measured rates"})
      .add("seed", &R::seed, {.doc = "of every random choice"})
      .add("threads", &R::threads,
           {.doc = "0: as many as cores; no effect on results", .min = 0, .max = 4096})
      .table();
}

namespace {

fs::path sweep_file_of(const fs::path& data) {
  if (!fs::is_directory(data)) return data;
  for (const char* name : {"sweep.csv", "sweep.csv.gz"})
    if (fs::exists(data / name)) return data / name;
  throw NotFound(
      fmt::format("{}: holds no sweep.csv, expected a folder that warploom-collect wrote", data.string()));
}

// Why a sweep may hold more rows than are learned from.
std::string left_out(const ImportReport& report) {
  const std::vector<SkippedRows> skipped = report.skipped();
  if (skipped.empty()) return {};
  return fmt::format("; left out, most of all, were {} rows: {}", skipped.front().rows,
                     skipped.front().reason);
}

ImportResult read_sweep(const fs::path& file, const GpuSpec& gpu, const GpuCatalog& catalog) {
  ImportResult sweep;
  try {
    sweep = import_measurements(Layout::Warploom, std::vector<fs::path>{file}, catalog);
  } catch (const InvalidInput& error) {
    throw InvalidInput(
        fmt::format("{}; a sweep that was cut off is mended when warploom-collect resumes it: that drops the "
                    "partial row and goes on",
                    error.what()));
  }
  for (const std::string& name : sweep.dataset.gpus())
    if (name != gpu.name)
      throw InvalidInput(
          fmt::format("{}: a sweep of {}, but `gpu` is {}: a GPU is calibrated by its own sweep",
                      file.string(), name, gpu.name));
  if (sweep.dataset.empty())
    throw InvalidInput(fmt::format("{}: holds no usable row, expected a sweep of warploom-collect{}",
                                   file.string(), left_out(sweep.report)));
  return sweep;
}

// An engine's own sweep times a product alone; the tables that the predictor knows hold what quantises its
// rows too, and prices of steps take that off again.
void add_passes_of_tables(Dataset& sweep, const GpuSpec& gpu, const StepKernels& prices) {
  for (std::size_t row = 0; row < sweep.size(); ++row) {
    const auto* product = std::get_if<Gemm>(&sweep.op(row));
    if (product == nullptr) continue;
    KernelContext context = sweep.context(row);
    context.as_collected = false;
    if (const auto passes = prices.passes_over_rows(*product, gpu, context))
      sweep.set_latency(row, sweep.latency(row) + passes->in_tables, std::int64_t(sweep.n_samples(row)));
  }
}

// The sweep's shapes that no fit saw, by the predictor, into one summary for each family and one for all.
std::map<Family, ErrorAccumulator> judge(const Predictor& predictor, const Dataset& sweep, const GpuSpec& gpu,
                                         const ShapeSplit& split, const std::set<Family>& families) {
  const RooflineModel roofline;
  std::map<Family, ErrorAccumulator> errors;
  for (std::size_t row = 0; row < sweep.size(); ++row) {
    if (!families.contains(sweep.family(row)) || !split.is_test(sweep.shape(row))) continue;
    const LatencyEstimate estimate = predictor.estimate(sweep.op(row), gpu, sweep.context(row));
    errors[sweep.family(row)].add(estimate.p50, estimate.p10, estimate.p90,
                                  roofline.estimate(sweep.op(row), gpu).p50, sweep.latency(row));
  }
  return errors;
}

ErrorSummary of_all(const std::map<Family, ErrorAccumulator>& families) {
  ErrorAccumulator all;
  for (const auto& [family, errors] : families) all.merge(errors);
  return all.summary();
}

Json provenance(const CalibrateRequest& request, const CalibrateResult& result, const fs::path& sweep) {
  Json families = Json::object(), constants = Json::object();
  for (const CalibratedFamily& family : result.families)
    families[family.family] = {
        {"rows", family.rows}, {"before", to_json(family.before)}, {"after", to_json(family.after)}};
  for (const auto& [name, value] : result.constants) constants[name] = value;
  return {{"schema", "warploom_calibration"},
          {"version", 1},
          {"created_by", "warploom calibrate"},
          {"gpu", result.gpu},
          {"data_hash", fmt::format("{:016x}", hash_bytes(read_file(sweep)))},
          {"seed", request.seed},
          {"before", to_json(result.before)},
          {"after", to_json(result.after)},
          {"families", families},
          {"constants", constants}};
}

void take_constants(const CalibrateRequest& request, const fs::path& sweep, const GpuSpec& gpu,
                    GpuCatalog& catalog, CalibrateResult& result) {
  const fs::path file = sweep.parent_path() / "device.json";
  if (!fs::exists(file)) {
    if (!request.record.empty())
      throw NotFound(fmt::format("{}: not here, but `record` is made from it", file.string()));
    return;
  }
  const DeviceConstants constants = read_device_constants(file);
  const GpuSpec* device = catalog.find(constants.gpu);
  if (device == nullptr || device->name != gpu.name)
    throw InvalidInput(fmt::format("{}: of {}, but `gpu` is {}", file.string(), constants.gpu, gpu.name));
  result.constants = constants.values;
  if (!request.record.empty()) write_sealed_json(request.record, gpu_to_json(fitted_record(gpu, constants)));
}

struct Learned {
  std::vector<FamilyModel> models, judged;  // from every row; from all but the shapes to judge on
  std::set<Family> families;
};

Learned learn(const CalibrateRequest& request, const Predictor& base, const Dataset& sweep,
              const GpuCatalog& catalog, const TrainingOptions& options, CalibrateResult& result) {
  // A family without a predictor to build on is trained from nothing.
  for (const auto& [family, name] : EnumNames<Family>::kNames)
    if (base.model(family) == nullptr && sweep.rows_of(family).size() >= kFewestRowsForTrees)
      require_learning(fmt::format("calibrate {}", name));
  Learned learned;
  for (const auto& [family, name] : EnumNames<Family>::kNames) {
    const FamilyModel* shipped = base.model(family);
    auto calibrated = calibrate_family(sweep, catalog, options, family, shipped);
    if (!calibrated) {
      if (!sweep.rows_of(family).empty()) result.too_few.emplace_back(name);
      if (shipped != nullptr) learned.models.push_back(*shipped);
      if (shipped != nullptr) learned.judged.push_back(*shipped);
      continue;
    }
    if (request.progress)
      request.progress(fmt::format("{}: {} rows, held-out shapes: mean {:.2f} %, median {:.2f} %", name,
                                   calibrated->report.rows_learned, 100 * calibrated->report.held_out.mean,
                                   100 * calibrated->report.held_out.median));
    result.families.push_back({std::string(name), calibrated->report.rows_learned, {}, {}});
    learned.families.insert(family);
    learned.models.push_back(std::move(calibrated->model));
    learned.judged.push_back(std::move(calibrated->judged));
  }
  return learned;
}

}  // namespace

CalibrateResult calibrate(const CalibrateRequest& request) {
  check(request, "calibrate");
  GpuCatalog catalog;
  const GpuSpec& gpu = catalog.load_gpu(request.gpu, FileScope::machine());
  check_output_folder(request.output);
  std::error_code missing;
  if (!request.predictor.empty() && fs::equivalent(request.predictor, request.output, missing))
    throw InvalidInput(
        fmt::format("output: {} is the predictor to build on, which stays as it is; expected another folder",
                    request.output.string()));
  const fs::path file = sweep_file_of(request.data);
  ImportResult sweep = read_sweep(file, gpu, catalog);
  CalibrateResult result;
  result.gpu = gpu.name;
  result.report = std::move(sweep.report);
  take_constants(request, file, gpu, catalog, result);

  const std::unique_ptr<const LatencyModel> prices =
      open_latency_model(request.predictor, FileScope::machine());
  const auto* steps = dynamic_cast<const StepKernels*>(prices.get());
  const Predictor* known = predictor_of(*prices);
  if (steps == nullptr || known == nullptr)
    throw InvalidInput(
        fmt::format("predictor: '{}' has no trees to build on, expected a folder that `train` "
                    "or `calibrate` wrote",
                    request.predictor));
  const Predictor& base = *known;
  add_passes_of_tables(sweep.dataset, gpu, *steps);
  TrainingOptions options;
  options.seed = request.seed;
  options.threads = request.threads;
  const Learned learned = learn(request, base, sweep.dataset, catalog, options, result);
  if (learned.families.empty())
    throw InvalidInput(fmt::format("{}: {} rows are too few to learn any family{}", file.string(),
                                   sweep.dataset.size(), left_out(result.report)));
  const auto before = judge(base, sweep.dataset, gpu, options.split, learned.families);
  const Predictor calibrated(learned.judged);
  const auto after = judge(calibrated, sweep.dataset, gpu, options.split, learned.families);
  for (CalibratedFamily& family : result.families) {
    const auto key = parse_enum<Family>(family.family, "family");
    if (const auto at = before.find(key); at != before.end()) family.before = at->second.summary();
    if (const auto at = after.find(key); at != after.end()) family.after = at->second.summary();
  }
  result.before = of_all(before);
  result.after = of_all(after);
  result.bytes = write_predictor_files(
      {.created_by = "warploom calibrate",
       .models = learned.models,
       .tables = {},
       .notes = {{"calibration.json", json_text(provenance(request, result, file))}},
       .keeps_others = false,
       .excluded_gpus =
           request.predictor.empty() ? std::vector<std::string>() : excluded_gpus_of(request.predictor)},
      request.output);
  return result;
}

}  // namespace warploom
