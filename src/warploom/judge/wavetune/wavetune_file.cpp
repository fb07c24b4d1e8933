// The JSON document of a WaveTune table; layout in docs/formats.md.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/judge/wavetune/wavetune_table.h"
#include "warploom/tuner/wavetune_schema.h"

namespace warploom {
namespace {

// Beyond every table that is fitted: a damaged file must not make the look-up's rows huge.
constexpr double kMostWavesInFile = 1 << 20;

struct LoopEntry {
  double loop = 1;
  std::int32_t warps = 4, stages = 3;

  static FieldTable describe() {
    return FieldList<LoopEntry>("wavetune_loop")
        .add("loop", &LoopEntry::loop,
             {.doc = "steps of the loop", .min = 1e-3, .max = 1e12, .required = true})
        .add("warps", &LoopEntry::warps, {.doc = "warps", .min = 1, .max = 64, .required = true})
        .add("stages", &LoopEntry::stages, {.doc = "stages", .min = 1, .max = 64, .required = true})
        .table();
  }
};

struct BucketEntry {
  std::int64_t waves = 1;
  double a_us = 0, b_us = 0, c_us = 0, d_us = 0;
  std::int64_t anchors = 0;
  double r_squared = 0;
  std::vector<LoopEntry> loops;

  static FieldTable describe() {
    using B = BucketEntry;
    constexpr FieldOptions kTime{.unit = "us", .doc = "coefficient", .min = 0, .max = 1e12, .required = true};
    return FieldList<B>("wavetune_bucket")
        .add("waves", &B::waves, {.doc = "of tiles", .min = 1, .max = kMostWavesInFile, .required = true})
        .add("a_us", &B::a_us, kTime)
        .add("b_us", &B::b_us, kTime)
        .add("c_us", &B::c_us, kTime)
        .add("d_us", &B::d_us, kTime)
        .add("anchors", &B::anchors, {.doc = "points fitted to", .min = 0})
        .add("r_squared", &B::r_squared, {.doc = "of time", .max = 1})
        .add("loops", &B::loops, {.doc = "best micro configuration by loop", .required = true})
        .table();
  }
};

struct MacroEntry {
  std::int32_t tile_m = 1, tile_n = 1, tile_k = 1, split_k = 1;
  std::vector<BucketEntry> buckets;

  static FieldTable describe() {
    using M = MacroEntry;
    constexpr FieldOptions kTile{.doc = "tile size", .min = 1, .max = 1 << 16, .required = true};
    return FieldList<M>("wavetune_macro")
        .add("tile_m", &M::tile_m, kTile)
        .add("tile_n", &M::tile_n, kTile)
        .add("tile_k", &M::tile_k, kTile)
        .add("split_k", &M::split_k, kTile)
        .add("buckets", &M::buckets, {.doc = "by waves", .required = true})
        .table();
  }
};

struct WaveTuneDocument {
  TileKernel kernel;
  TileGpu gpu;
  std::string default_config;
  std::int64_t samples = 0, anchors = 0;
  double median_r_squared = 0;
  std::vector<MacroEntry> macros;

  static FieldTable describe() {
    using D = WaveTuneDocument;
    return FieldList<D>("wavetune_table")
        .add("kernel", &D::kernel, {.doc = "the tile kernel", .required = true})
        .add("gpu", &D::gpu, {.doc = "the GPU measured on", .required = true})
        .add("default_config", &D::default_config, {.doc = "the kernel's own", .required = true})
        .add("samples", &D::samples, {.doc = "timings given", .min = 0})
        .add("anchors", &D::anchors, {.doc = "timings used", .min = 0})
        .add("median_r_squared", &D::median_r_squared, {.doc = "over buckets", .max = 1})
        .add("macros", &D::macros, {.doc = "both tables", .required = true})
        .table();
  }
};

BucketEntry entry_of(const WaveBucket& bucket) {
  BucketEntry entry{.waves = bucket.waves,
                    .a_us = bucket.time.a,
                    .b_us = bucket.time.b,
                    .c_us = bucket.time.c,
                    .d_us = bucket.time.d,
                    .anchors = static_cast<std::int64_t>(bucket.anchors),
                    .r_squared = bucket.r_squared};
  for (const LoopAnchor& anchor : bucket.loops)
    entry.loops.push_back({anchor.loop, anchor.warps, anchor.stages});
  return entry;
}

WaveBucket bucket_of(const BucketEntry& entry) {
  WaveBucket bucket{.waves = entry.waves,
                    .time = {entry.a_us, entry.b_us, entry.c_us, entry.d_us},
                    .anchors = static_cast<std::size_t>(entry.anchors),
                    .r_squared = entry.r_squared};
  for (const LoopEntry& anchor : entry.loops)
    bucket.loops.push_back({anchor.loop, anchor.warps, anchor.stages});
  return bucket;
}

// The look-up searches both by bisection or from the first on.
void check_ascending(const std::vector<MacroTimes>& macros, std::string_view where) {
  for (const MacroTimes& macro : macros) {
    for (std::size_t i = 0; i < macro.buckets.size(); ++i) {
      const auto& loops = macro.buckets[i].loops;
      const bool sorted =
          std::is_sorted(loops.begin(), loops.end(),
                         [](const LoopAnchor& a, const LoopAnchor& b) { return a.loop < b.loop; });
      if (!sorted || (i > 0 && macro.buckets[i - 1].waves >= macro.buckets[i].waves))
        throw InvalidInput(fmt::format("{}: 'macros': waves and loops of tiles {}x{}x{} do not ascend", where,
                                       macro.tiles.tile_m, macro.tiles.tile_n, macro.tiles.tile_k));
    }
  }
}

void check_head(const Json& document, std::string_view where) {
  if (!document.is_object() || !document.contains("schema") || document["schema"] != kWaveTuneSchema)
    throw InvalidInput(fmt::format(
        "{}: not a WaveTune table, expected a file that `warploom tune fit --method wavetune` wrote", where));
  const auto version = document.find("version");
  if (version == document.end() || !version->is_number_integer() || version->get<std::int64_t>() < 1)
    throw InvalidInput(fmt::format("{}: 'version' of the WaveTune table is not a number above 0", where));
  if (version->get<std::int64_t>() > kWaveTuneTableVersion)
    throw Unsupported(fmt::format("{}: WaveTune table of version {}, this program reads up to {}", where,
                                  version->get<std::int64_t>(), kWaveTuneTableVersion));
}

}  // namespace

WaveTuneTable WaveTuneTable::from_json(const Json& document, std::string_view where) {
  check_head(document, where);
  const auto read = object_from_json<WaveTuneDocument>(document, where);
  WaveTuneModel model{.kernel = read.kernel,
                      .gpu = read.gpu,
                      .default_config = parse_config(read.default_config, where),
                      .samples = static_cast<std::size_t>(read.samples),
                      .anchors = static_cast<std::size_t>(read.anchors),
                      .median_r_squared = read.median_r_squared};
  for (const MacroEntry& macro : read.macros) {
    MacroTimes times{.tiles = {macro.tile_m, macro.tile_n, macro.tile_k, 0, 0, macro.split_k}};
    for (const BucketEntry& entry : macro.buckets) times.buckets.push_back(bucket_of(entry));
    model.macros.push_back(std::move(times));
  }
  check_ascending(model.macros, where);
  return WaveTuneTable(std::move(model));
}

WaveTuneTable WaveTuneTable::open(const std::filesystem::path& path) {
  return from_json(read_json_file(path), path.string());
}

void WaveTuneTable::write(const std::filesystem::path& path) const {
  WaveTuneDocument written{.kernel = model_.kernel,
                           .gpu = model_.gpu,
                           .default_config = config_text(model_.default_config),
                           .samples = static_cast<std::int64_t>(model_.samples),
                           .anchors = static_cast<std::int64_t>(model_.anchors),
                           .median_r_squared = model_.median_r_squared};
  for (const MacroTimes& macro : model_.macros) {
    MacroEntry entry{macro.tiles.tile_m, macro.tiles.tile_n, macro.tiles.tile_k, macro.tiles.split_k, {}};
    for (const WaveBucket& bucket : macro.buckets) entry.buckets.push_back(entry_of(bucket));
    written.macros.push_back(std::move(entry));
  }
  Json document = {
      {"schema", kWaveTuneSchema}, {"version", kWaveTuneTableVersion}, {"created_by", "warploom"}};
  document.update(to_json(written));
  write_json_file(path, document);
}

}  // namespace warploom
