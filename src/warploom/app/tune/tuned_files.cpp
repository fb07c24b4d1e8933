#include "warploom/app/tune/tuned_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "warploom/app/tune/python_profiler.h"
#include "warploom/app/tune/sample_limits.h"
#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/request_fields.h"
#include "warploom/fused_moe/device_name.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/models/model_catalog.h"
#include "warploom/models/model_split.h"
#include "warploom/tuned_files/file_contents.h"
#include "warploom/tuned_files/looked_up_files.h"
#include "warploom/tuned_files/timed_rows.h"

namespace warploom {

FieldTable TunedFilesRequest::describe() {
  using R = TunedFilesRequest;
  return RequestFields<R>("tuned_files")
      .add("model", &R::model,
           {.doc = "a name (see `warploom models`) or the path of a config.json", .required = true})
      .add("gpu", &R::gpu, {.doc = "a name (see `warploom gpus`) or the path of a record", .required = true})
      .add("engine", &R::engine, {.doc = "whose files"})
      .add("engine_version", &R::engine_version, {.doc = "its release; without: the newest known"})
      .add("tp", &R::tp, {.doc = "GPUs that share a layer", .min = 1, .max = 1024})
      .add("ep", &R::ep,
           {.doc = "of these, GPUs that share the experts by whole ones", .min = 1, .max = 1024})
      .add("quantization", &R::quantization,
           {.doc = "scheme of every linear layer; without: the checkpoint's"})
      .add("triton_version", &R::triton_version, {.doc = "whose folder SGLang looks into first"})
      .add("lora_rank", &R::lora_rank,
           {.doc = "rank of adapters that the engine makes room for; 0: it serves none",
            .min = 0,
            .max = 4096})
      .add("max_loras", &R::max_loras, {.doc = "adapters of one step", .min = 1, .max = 4096})
      .add("write", &R::write,
           {.doc = "folder for the missing files, timed where `samples` has times, else predicted"})
      .add("all", &R::all, {.doc = "predict the files too that ship with the engine"})
      .add("samples", &R::samples, {.doc = "times of the model's kernels that `profile` wrote on this GPU"})
      .add("profile", &R::profile,
           {.doc = "time the missing files' kernels on this GPU into `samples` first (needs the engine)"})
      .add("seconds", &R::seconds, {.unit = "s", .doc = "stop timing after", .min = 0})
      .add("python", &R::python, {.doc = "with the engine, torch and triton"})
      .add("package", &R::package, {.doc = "folder of the Python package warploom"})
      .table();
}

namespace {

// Files in an engine's own package stand there below this name.
constexpr std::string_view kPackage = "package";

std::string why_not(const TunedFile& file, const GpuSpec& gpu) {
  const bool voted =
      file.layer && file.operands == ExpertOperands::OfLayer && file.layer->dtype == MoeDtype::Bits16;
  const bool has_sizes = file.layer || file.product || file.state || file.adapters;
  if (gpu.vendor == Vendor::Amd && has_sizes && !voted) return "no model of this kernel on AMD's units";
  switch (file.kernel) {
    case TunedKernel::ExpertsDown:
      if (!file.layer) return "the first product's file ships, whose rows of tiles it must share";
      return voted ? "searches were of both products together: without it the second takes the first's row"
                   : "";
    case TunedKernel::ChannelProduct:
      return "the default is a kernel of CUTLASS, which nothing here can set beside Triton's: keep it, or "
             "tune with the engine's own script";
    case TunedKernel::Lora:
      return file.adapters ? "" : "say which rank of adapters is served (lora_rank)";
    default:
      return has_sizes ? "" : "no search and no model of weights of this type";
  }
}

// Rows for the file, by its times where there are some, or why there are none.
void predict(ListedFile& listed, const TunedFilesRequest& request, const GpuSpec& gpu,
             const ConfigModel& model, const LaunchTimes& times) {
  const TunedFile& file = listed.file;
  listed.not_predicted = why_not(file, gpu);
  if (!listed.not_predicted.empty()) return;
  try {
    if (may_time(file) && !request.samples.empty()) {
      TimedRows timed = timed_rows(file, request.engine, gpu, model, times);
      listed.rows = std::move(timed.rows);
      listed.not_timed = std::move(timed.why_none);
    }
    if (listed.rows.empty()) listed.rows = sure_rows(file, request.engine, gpu, model);
  } catch (const InvalidInput& error) {
    listed.not_predicted = error.what();
  }
}

// Times the files' kernels with the engine's own Python.
void measure_into_samples(const TunedFilesRequest& request, const std::vector<TunedFile>& files,
                          const GpuSpec& gpu, const ConfigModel& searches) {
  if (request.samples.empty())
    throw InvalidInput("profile: expected `samples` too, the file to measure into");
  if (files.empty()) return;
  require_profiler(request.package, "tuned_profile.py");
  const std::string plan = request.samples.string() + ".plan.csv";
  write_file_atomically(plan, timing_plan(files, request.engine, gpu, searches));
  const ProfilerRun run{.python = request.python,
                        .program = request.package / "warploom" / "tuned_profile.py",
                        .arguments = {{"engine", std::string(name_of(request.engine))},
                                      {"plan", plan},
                                      {"output", request.samples.string()},
                                      {"gpu", gpu.device_name},
                                      {"seconds", fmt::format("{:.0f}", request.seconds)}}};
  if (!run_profiler(run, "tuned-files"))
    throw InvalidInput(
        fmt::format("tuned-files, `profile`: out of time after {:.0f} s; run the same command again to go on",
                    request.seconds));
}

// What one launch multiplies; an empty shape of kernels that multiply nothing.
TileShape shape_of(const LaunchTime& time) {
  switch (time.kernel) {
    case TunedKernel::StateUpdate:
      return {.m = 0, .n = 0, .k = 0};
    case TunedKernel::Lora:
      return {.m = time.tokens,
              .n = time.variant == LaunchVariant::Shrink ? time.top_k * time.n : time.block_n,
              .k = time.k};
    case TunedKernel::BlockProduct:
      return {.m = time.tokens, .n = time.n, .k = time.k};
    default:  // Both products of experts have three widths of columns together.
      return {.m = time.tokens * time.top_k, .n = 3 * time.n, .k = time.k};
  }
}

// Throws InvalidInput on times that the GPU's matrix units cannot reach, or of another GPU.
std::vector<LaunchTime> checked_times(const TunedFilesRequest& request, const GpuSpec& gpu) {
  std::vector<LaunchTime> times = read_launch_times(request.samples, gpu.device_name);
  for (const LaunchTime& time : times) {
    const TileShape shape = shape_of(time);
    if (shape.m == 0) continue;
    const TileKernel kernel{.name = std::string(name_of(time.kernel)),
                            .operand_bytes = static_cast<std::int32_t>(time.bytes)};
    const TileSample sample{.config = time.config.tile, .shape = shape, .median_us = time.us};
    check_possible(kernel, gpu, {&sample, 1});
  }
  return times;
}

std::filesystem::path place_in_folder(const TunedFile& file, const std::filesystem::path& folder) {
  if (file.variable.empty()) return folder / kPackage / file.package_folder / file.name;
  return folder / file.user_folder / file.name;
}

}  // namespace

bool ListedFile::gains() const {
  return std::any_of(rows.begin(), rows.end(), [](const SureRow& sure) { return !sure.row.is_default; });
}

TunedFilesResult tuned_files(const TunedFilesRequest& request) {
  request.files.check_writes(request.write, "write");
  if (request.profile) request.files.check_programs("profile");
  if (request.max_loras != 1 && request.lora_rank == 0)
    throw InvalidInput("max_loras: expected lora_rank too, without which no adapters are served");
  const EngineRelease release = engine_release(request.engine, request.engine_version);
  GpuCatalog catalog;
  const GpuSpec& gpu = catalog.load_gpu(request.gpu, request.files);
  ModelArchitecture model = load_model(request.model, request.files);
  if (!request.quantization.empty())
    model = quantize_linears(model, parse_enum<MatmulScheme>(request.quantization, "quantization"));
  const Sharding sharding{.tensor_parallel = request.tp, .expert_parallel = request.ep};
  const ConfigModel searches;
  TunedFilesResult result{.model = model.name,
                          .gpu = gpu.name,
                          .engine_version = release.version,
                          .engine = request.engine,
                          .tp = request.tp,
                          .ep = request.ep};
  const std::vector<std::string> devices = release.devices();
  const auto has = [&](NamedFiles files) {
    return std::binary_search(devices.begin(), devices.end(), engine_device_name(gpu, request.engine, files));
  };
  result.known_device = has(NamedFiles::Experts) || has(NamedFiles::Others);
  const FileLookUp asked{release,          model, sharding, gpu, request.triton_version, request.lora_rank,
                         request.max_loras};
  std::vector<TunedFile> files = looked_up_files(asked);
  result.without_file = unfiled_kernels(asked);
  const auto is_wanted = [&](const TunedFile& file) { return !file.ships() || request.all; };
  if (request.profile) {
    std::vector<TunedFile> to_time;
    for (const TunedFile& file : files)
      if (is_wanted(file) && may_time(file) && why_not(file, gpu).empty()) to_time.push_back(file);
    measure_into_samples(request, to_time, gpu, searches);
  }
  LaunchTimes times;
  if (!request.samples.empty()) times = LaunchTimes(checked_times(request, gpu));
  for (TunedFile& file : files) {
    const bool wanted = is_wanted(file);
    ListedFile listed{.file = std::move(file)};
    if (wanted) predict(listed, request, gpu, searches, times);
    result.files.push_back(std::move(listed));
  }
  if (request.write.empty()) return result;
  for (ListedFile& listed : result.files) {
    if (!listed.gains()) continue;
    listed.written = place_in_folder(listed.file, request.write);
    write_json_file(listed.written, file_contents(listed.file, listed.rows));
  }
  return result;
}

}  // namespace warploom
