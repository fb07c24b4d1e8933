#include "warploom/app/tune/moe_config.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/app/tune/python_profiler.h"
#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/request_fields.h"
#include "warploom/base/sealed_json.h"
#include "warploom/fused_moe/device_name.h"
#include "warploom/fused_moe/profiled_configs.h"
#include "warploom/models/model_catalog.h"

namespace warploom {

FieldTable MoeConfigRequest::describe() {
  using R = MoeConfigRequest;
  return RequestFields<R>("moe_config")
      .add("model", &R::model, {.doc = "whose experts; or the sizes of `layer`"})
      .add("layer", &R::layer, {.doc = "sizes and types of the experts"})
      .add("gpu", &R::gpu, {.doc = "a name (see `warploom gpus`) or the path of a record", .required = true})
      .add("engine", &R::engine, {.doc = "whose files"})
      .add("table", &R::table,
           {.doc = "a table of grouped_gemm that `tune fit` wrote on this GPU; without: predicted"})
      .add("samples", &R::samples, {.doc = "times of this layer that `profile` wrote on this GPU"})
      .add("profile", &R::profile,
           {.doc = "measure the layer on this machine's GPU into `samples` first (needs torch, triton)"})
      .add("seconds", &R::seconds, {.unit = "s", .doc = "stop measuring after", .min = 0})
      .add("python", &R::python, {.doc = "with torch and triton"})
      .add("package", &R::package, {.doc = "folder of the Python package warploom"})
      .add("output", &R::output, {.doc = "folder for the engine's file, its sidecar and `table`"})
      .table();
}

FieldTable TrainMoeConfigsRequest::describe() {
  using R = TrainMoeConfigsRequest;
  return RequestFields<R>("train_moe_configs")
      .add("gains", &R::gains, {.doc = "best and default times by shape", .required = true})
      .add("near_best", &R::near_best, {.doc = "configurations near the best", .required = true})
      .add("output", &R::output, {.doc = "folder; without: errors on what is left out alone"})
      .table();
}

namespace {

// Sizes of the model's routed experts; the rest stays as asked for.
MoeLayer layer_of(const MoeConfigRequest& request) {
  if (request.model.empty()) return request.layer;
  const ModelArchitecture model = load_model(request.model, request.files);
  const MixtureOfExperts* mixture = model.mixture();
  if (mixture == nullptr)
    throw InvalidInput(fmt::format("moe-config: {} has no mixture of experts", model.name));
  MoeLayer layer = request.layer;
  layer.hidden = model.hidden;
  layer.experts = mixture->experts;
  layer.top_k = mixture->top_k;
  layer.intermediate = mixture->intermediate;
  return layer;
}

void profile(const MoeConfigRequest& request, const MoeLayer& layer, const GpuSpec& gpu) {
  require_profiler(request.package, "moe_profile.py");
  const std::string plan = request.samples.string() + ".plan.csv";
  write_file_atomically(plan, moe_profile_plan(layer, gpu, ConfigModel()));
  const ProfilerRun run{.python = request.python,
                        .program = request.package / "warploom" / "moe_profile.py",
                        .arguments = {{"plan", plan},
                                      {"output", request.samples.string()},
                                      {"experts", std::to_string(layer.experts)},
                                      {"top-k", std::to_string(layer.top_k)},
                                      {"hidden", std::to_string(layer.hidden)},
                                      {"width", std::to_string(layer.width())},
                                      {"seconds", fmt::format("{:.0f}", request.seconds)}}};
  if (!run_profiler(run, "moe-config"))
    throw InvalidInput(
        fmt::format("moe-config, `profile`: out of time after {:.0f} s; run the same command again to go on",
                    request.seconds));
}

MoeConfigTable table_of(const MoeConfigRequest& request, const MoeLayer& layer, const GpuSpec& gpu) {
  if (!request.table.empty())
    return measured_configs(layer, request.engine, gpu, RuntimeTable::open(request.table));
  if (request.profile && request.samples.empty())
    throw InvalidInput("profile: expected `samples` too, the file to measure into");
  if (request.profile) profile(request, layer, gpu);
  if (!request.samples.empty())
    return profiled_configs(layer, request.engine, gpu, read_moe_samples(request.samples));
  return predicted_configs(layer, request.engine, gpu, ConfigModel());
}

}  // namespace

MoeConfigResult moe_config(const MoeConfigRequest& request) {
  request.files.check_writes(request.output, "output");
  if (request.profile) request.files.check_programs("profile");
  GpuCatalog catalog;
  const GpuSpec& gpu = catalog.load_gpu(request.gpu, request.files);
  const MoeLayer layer = layer_of(request);
  MoeConfigResult result;
  result.table = table_of(request, layer, gpu);
  if (request.output.empty()) return result;
  const std::filesystem::path name =
      moe_config_file_name(layer, engine_device_name(gpu, request.engine), request.engine);
  std::filesystem::path sidecar = name;
  sidecar.replace_extension(".warploom.json");
  result.files = {request.output / name, request.output / sidecar};
  write_json_file(result.files[0], engine_json(result.table.rows));
  write_sealed_json(result.files[1], sidecar_json(result.table));
  if (!request.table.empty()) {
    std::filesystem::path looked_up = name;
    looked_up.replace_extension(".wlt");
    result.files.push_back(request.output / looked_up);
    RuntimeTable::open(request.table).write(result.files.back());
  }
  return result;
}

ConfigTraining train_moe_configs(const TrainMoeConfigsRequest& request) {
  const GpuCatalog catalog;
  ConfigTraining training = train_configs(read_config_rows(request.gains, request.near_best, catalog));
  if (!request.output.empty())
    write_file_atomically(request.output / "fused_moe.wlm", config_model_to_bytes(training.record));
  return training;
}

}  // namespace warploom
