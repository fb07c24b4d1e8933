#include "warploom/app/data/train.h"

#include <fmt/format.h>

#include <charconv>

#include "warploom/app/data/predictor_folder.h"
#include "warploom/base/error.h"
#include "warploom/base/learning.h"
#include "warploom/base/request_fields.h"

namespace warploom {

FieldTable TrainRequest::describe() {
  using R = TrainRequest;
  return RequestFields<R>("train")
      .add("source", &R::source, {.doc = "measured rows"})
      .add("output", &R::output, {.doc = "folder of the predictor, or file of the method", .required = true})
      .add("exclude_gpus", &R::exclude_gpus,
           {.doc = "GPUs that the predictor is not to know: neither their rows nor step rules"})
      .add("few_shot", &R::few_shot, {.doc = "GPU:N, learn N shapes of that GPU"})
      .add("few_shot_per", &R::few_shot_per,
           {.doc = "what `few_shot` counts: family, or kind (each combination of data types by itself)"})
      .add("tables", &R::tables,
           {.doc = "also keep the measured rows beside the predictor, to interpolate between them"})
      .add("method", &R::method, {.doc = "pipeweave or kernelsight: trains that published method instead"})
      .add("rows_per_gpu", &R::rows_per_gpu,
           {.doc = "with `method`: of each kernel, an even draw; 0: all", .min = 0})
      .add("quantile", &R::quantile,
           {.doc = "with `method` pipeweave: a ceiling of efficiency at this quantile; 0: none",
            .min = 0,
            .max = 0.99})
      .add("seed", &R::seed, {.doc = "of every random choice"})
      .add("threads", &R::threads,
           {.doc = "0: as many as cores; no effect on results", .min = 0, .max = 4096})
      .table();
}

namespace {

std::map<std::string, std::int64_t> few_shot_of(const std::vector<std::string>& texts,
                                                const GpuCatalog& catalog) {
  std::map<std::string, std::int64_t> shapes;
  for (const std::string& text : texts) {
    const std::size_t colon = text.rfind(':');
    std::int64_t count = 0;
    const char* end = text.data() + text.size();
    const bool valid = colon != std::string::npos && std::from_chars(text.data() + colon + 1, end, count) ==
                                                         std::from_chars_result{end, std::errc()};
    if (!valid || count < 1) {
      throw InvalidInput(fmt::format("few_shot: '{}' is not GPU:N, for example b200_sxm:60", text));
    }
    shapes[catalog.get(text.substr(0, colon)).name] = count;
  }
  return shapes;
}

std::string tables_line(const TablesTraining& t) {
  return fmt::format(
      "{} with tables of {} rows, {:.0f} s: mean {:.2f} %, median {:.2f} %, p90 {:.1f} %, coverage {:.1f} % "
      "of {} "
      "held-out rows ({:.1f} % answered)",
      name_of(t.family), t.rows, t.seconds, 100 * t.held_out.mean, 100 * t.held_out.median,
      100 * t.held_out.p90, 100 * t.held_out.coverage, t.held_out.rows, 100 * t.answered);
}

TrainSummary train_published(const TrainRequest& request, const GpuCatalog& catalog) {
  if (!request.few_shot.empty() || request.tables)
    throw InvalidInput("few_shot and tables: are of our own predictor, expected none of them with `method`");
  MethodRequest method{.method = request.method,
                       .output = request.output,
                       .rows_per_gpu = std::size_t(request.rows_per_gpu),
                       .quantile = request.quantile,
                       .seed = request.seed,
                       .threads = std::size_t(request.threads),
                       .progress = request.progress};
  for (const std::string& gpu : request.exclude_gpus) method.exclude_gpus.insert(catalog.get(gpu).name);
  check_method(method);
  require_learning("train");
  ImportResult imported = read_measurements(request.source, catalog);
  if (request.progress) request.progress(fmt::format("{} rows read", imported.dataset.size()));
  TrainSummary summary;
  summary.rows = imported.dataset.size();
  summary.report = std::move(imported.report);
  const WorkClock clock;
  summary.method = train_method(method, imported.dataset, catalog);
  summary.cost = clock.cost();
  summary.bytes = std::filesystem::file_size(request.output);
  return summary;
}

}  // namespace

TrainSummary train(const TrainRequest& request) {
  check(request, "train");
  const GpuCatalog catalog;
  if (!request.method.empty()) return train_published(request, catalog);
  for (const auto& [given, field] :
       {std::pair{request.rows_per_gpu > 0, "rows_per_gpu"}, std::pair{request.quantile > 0, "quantile"}})
    if (given) throw InvalidInput(std::string(field) + ": is of a published method, expected `method` too");
  TrainingOptions options;
  for (const std::string& family : request.source.families) {
    options.families.push_back(parse_enum<Family>(family, "families"));
  }
  for (const std::string& gpu : request.exclude_gpus) options.exclude_gpus.push_back(catalog.get(gpu).name);
  options.few_shot = few_shot_of(request.few_shot, catalog);
  options.few_shot_per = parse_enum<FewShotPer>(request.few_shot_per, "few_shot_per");
  options.seed = request.seed;
  options.threads = request.threads;
  options.progress = request.progress;

  check_output_folder(request.output);
  require_learning("train");
  ImportResult imported = read_measurements(request.source, catalog);
  if (imported.dataset.empty())
    throw InvalidInput("train: the source holds no usable rows, so nothing can be learned");
  if (request.progress) request.progress(fmt::format("{} rows read", imported.dataset.size()));
  TrainSummary summary;
  summary.rows = imported.dataset.size();
  summary.report = std::move(imported.report);
  const WorkClock clock;
  TrainingResult result = train_predictor(imported.dataset, catalog, options);
  if (result.models.empty()) {
    throw InvalidInput(fmt::format("train: {} rows are too few to learn any family", summary.rows));
  }
  summary.families = std::move(result.report);
  std::vector<FamilyTables> tables;
  if (request.tables)
    for (const FamilyModel& model : result.models) {
      TablesResult learned = train_tables(imported.dataset, catalog, options, model);
      if (request.progress) request.progress(tables_line(learned.report));
      summary.tables.push_back(learned.report);
      tables.push_back(std::move(learned.tables));
    }
  summary.cost = clock.cost();
  summary.bytes = write_predictor_files({.created_by = "warploom train",
                                         .models = result.models,
                                         .tables = tables,
                                         .excluded_gpus = options.exclude_gpus},
                                        request.output);
  return summary;
}

}  // namespace warploom
