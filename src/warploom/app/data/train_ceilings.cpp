#include "warploom/app/data/train_ceilings.h"

#include <fmt/format.h>

#include <algorithm>

#include "warploom/base/error.h"
#include "warploom/base/request_fields.h"
#include "warploom/base/whole_folder.h"
#include "warploom/ceiling/ceiling_file.h"

namespace warploom {

FieldTable TrainCeilingsRequest::describe() {
  using R = TrainCeilingsRequest;
  return RequestFields<R>("train_ceilings")
      .add("source", &R::source, {.doc = "measured rows"})
      .add("output", &R::output, {.doc = "folder", .required = true})
      .add("exclude_gpus", &R::exclude_gpus, {.doc = "learn nothing from these GPUs"})
      .add("test_fraction", &R::test_fraction, {.doc = "of shapes kept out", .min = 0, .max = 1})
      .add("rows", &R::most_rows, {.doc = "of a family, at most", .min = 1})
      .add("seed", &R::seed, {.doc = "of what is drawn"})
      .table();
}

TrainCeilingsResult train_ceilings(const TrainCeilingsRequest& request) {
  check(request, "train-ceilings");
  if (request.output.empty()) throw InvalidInput("output: no folder is given, expected one");
  if (!(request.test_fraction >= 0 && request.test_fraction < 1))
    throw InvalidInput(fmt::format("test_fraction is {}, expected from 0 to below 1", request.test_fraction));
  const GpuCatalog catalog;
  CeilingTrainingOptions options{.split = {.test_fraction = request.test_fraction},
                                 .most_rows = request.most_rows,
                                 .seed = request.seed};
  for (const std::string& gpu : request.exclude_gpus) options.exclude_gpus.push_back(catalog.get(gpu).name);
  TrainCeilingsResult result;
  const auto say = [&](const std::string& line) {
    if (request.progress) request.progress(line);
  };
  std::vector<FolderFile> files;
  // One family's rows in memory at a time.
  for (const auto& [family, name] : EnumNames<Family>::kNames) {
    MeasurementSource source = request.source;
    if (!source.families.empty() &&
        std::find(source.families.begin(), source.families.end(), name) == source.families.end())
      continue;
    source.families = {std::string(name)};
    const Dataset dataset = read_measurements(source, catalog).dataset;
    if (dataset.empty()) continue;
    const auto ceiling = train_ceiling(dataset, dataset.rows_of(family), catalog, family, options);
    if (!ceiling) {
      result.too_few.emplace_back(name, dataset.size());
      continue;
    }
    files.push_back({ceiling_file_name(family), ceiling_to_bytes(*ceiling)});
    result.families.push_back({.family = family,
                               .rows = ceiling->rows,
                               .gpus = ceiling->gpus.size(),
                               .bytes = files.back().contents.size()});
    say(fmt::format("{}: {} rows of {} GPUs, {} bytes", name, ceiling->rows, ceiling->gpus.size(),
                    result.families.back().bytes));
  }
  if (result.families.empty())
    throw InvalidInput(
        fmt::format("train-ceilings: no family has {} rows to learn from", kFewestCeilingRows));
  const FolderWriting writing{
      .created_by = "warploom train-ceilings", .suffixes = {kCeilingFileSuffix}, .removed = {}};
  write_whole_folder(request.output, writing, files);
  return result;
}

}  // namespace warploom
