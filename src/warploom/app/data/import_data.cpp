#include "warploom/app/data/import_data.h"

#include "warploom/app/data/kernel_exclusions.h"
#include "warploom/app/data/row_corrections.h"
#include "warploom/base/error.h"
#include "warploom/base/request_fields.h"
#include "warploom/measurements/store.h"

namespace warploom {

FieldTable ImportRequest::describe() {
  using R = ImportRequest;
  return RequestFields<R>("import")
      .add(
          "layout", &R::layout,
          {.doc = "warploom, aiconfigurator, pipeweave, vidur, neusight, kineto (PyTorch profiler) or nsight",
           .required = true})
      .add("paths", &R::paths, {.doc = "files or folders", .required = true})
      .add("store", &R::store, {.doc = "the store's file, made when missing", .required = true})
      .add("families", &R::families, {.doc = "only these families"})
      .add("gpus", &R::gpus, {.doc = "only these GPUs; the GPU of a profile that names none"})
      .table();
}

FieldTable MeasurementSource::describe() {
  using R = MeasurementSource;
  return RequestFields<R>("measurement_source")
      .add("store", &R::store, {.doc = "a store that `import` wrote; or"})
      .add("layout", &R::layout, {.doc = "layout of the files of `data`"})
      .add("data", &R::paths, {.doc = "files or folders"})
      .add("families", &R::families, {.doc = "only these families"})
      .add("gpus", &R::gpus, {.doc = "only these GPUs"})
      .add("keep_impossible", &R::keep_impossible,
           {.doc = "keep rows that the rules of data/benchmarks take out: impossible, withdrawn, glitched"})
      .table();
}

namespace {

ImportFilter filter_of(const MeasurementSource& source, const GpuCatalog& catalog) {
  ImportFilter filter;
  for (const std::string& family : source.families)
    filter.families.push_back(parse_enum<Family>(family, "families"));
  for (const std::string& gpu : source.gpus) filter.gpus.push_back(catalog.get(gpu).name);
  return filter;
}

ImportOptions options_of(const MeasurementSource& source) {
  ImportOptions options;
  if (source.keep_impossible) {
    options.physical_tolerance = 0;
  } else {
    options.physical_tolerance = kernel_exclusion("faster_than_bound").value.value_or(0);
    options.slow_rows.times_neighbours = kernel_exclusion("far_slower_than_neighbours").value.value_or(0);
    options.corrections = &row_corrections();
  }
  options.group_tolerance = kernel_exclusion("group_often_faster_than_bound").value.value_or(1);
  return options;
}

}  // namespace

ImportResult read_measurements(const MeasurementSource& source, const GpuCatalog& catalog) {
  if (source.store.empty() == source.layout.empty()) {
    throw InvalidInput(
        "measurements: expected either a store (`store`) or a layout with its data (`layout`, `data`)");
  }
  const ImportFilter filter = filter_of(source, catalog);
  if (!source.store.empty()) {
    if (!source.paths.empty())
      throw InvalidInput(
          "data: rows come from `store` alone, expected one of them (`import` adds files to a store)");
    if (source.keep_impossible)
      throw InvalidInput(
          "keep_impossible: the import of a store took those rows out, expected `layout` and `data`");
    const MeasurementStore store(source.store, MeasurementStore::Mode::ReadOnly);
    return {store.load(filter), {}};
  }
  if (source.paths.empty())
    throw InvalidInput("measurements: no data given (`data`), expected files or folders");
  return import_measurements(parse_enum<Layout>(source.layout, "layout"), source.paths, catalog, filter,
                             options_of(source));
}

ImportSummary import_into_store(const ImportRequest& request) {
  const GpuCatalog catalog;
  const MeasurementSource source{.store = {},
                                 .layout = request.layout,
                                 .paths = request.paths,
                                 .families = request.families,
                                 .gpus = request.gpus};
  ImportResult imported = read_measurements(source, catalog);
  MeasurementStore store(request.store);
  const MeasurementStore::AppendReport appended = store.append(imported.dataset);
  return {std::move(imported.report), appended.added, appended.replaced, store.size()};
}

}  // namespace warploom
