#include "warploom/app/data/sweep_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "warploom/app/data/sweep_candidates.h"
#include "warploom/app/predict/latency_models.h"
#include "warploom/base/csv.h"
#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/request_fields.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/kernels/operator_json.h"
#include "warploom/models/model_catalog.h"

namespace warploom {

FieldTable SweepPlanRequest::describe() {
  using R = SweepPlanRequest;
  return RequestFields<R>("sweep_plan")
      .add("gpu", &R::gpu, {.doc = "the GPU to be swept", .required = true})
      .add("like", &R::like, {.doc = "only shapes of these models"})
      .add("except", &R::except, {.doc = "no shapes of these models"})
      .add("schemes", &R::schemes, {.doc = "of products (bf16, fp8_static)"})
      .add("families", &R::families, {.doc = "only these"})
      .add("node_gpus", &R::gpus,
           {.doc = "of the node: with more than one also collectives over them", .min = 1, .max = 1024})
      .add("operators", &R::operators, {.doc = "at most", .min = 1})
      .add("random", &R::random, {.doc = "draw this many without regard to doubt, to check with"})
      .add("apart_from", &R::apart_from, {.doc = "a plan whose operators are left out"})
      .add("longest_ms", &R::longest_ms,
           {.unit = "ms", .doc = "leave out operators predicted to take longer", .min = 0})
      .add("predictor", &R::predictor, {.doc = "folder of a predictor, or roofline"})
      .add("seed", &R::seed, {.doc = "of every random choice"})
      .add("output", &R::output, {.doc = "the plan's file", .required = true})
      .table();
}

namespace {

// Operators that take turns: a family, products by scheme. The predictor doubts fp8 products more than bf16
// ones, but both are drawn alike where they are used: left to doubt alone, one scheme got six rows for one of
// the other, and that one's error stayed at 3.8 % against 2.5 % (H200).
using Turn = std::pair<Family, MatmulScheme>;

Turn turn_of(const Operator& op) {
  const auto* gemm = std::get_if<Gemm>(&op);
  return {family_of(op), gemm == nullptr ? MatmulScheme::Bf16 : gemm->scheme};
}

// Share of a plan: products have most kinds of kernels, the row-wise families are nearly a line.
double weight_of(Family family) {
  switch (family) {
    case Family::Gemm:
      return 22;
    case Family::AttentionPrefill:
    case Family::AttentionDecode:
      return 4;
    case Family::Moe:
      return 5;
    case Family::RmsNorm:
    case Family::Activation:
      return 1.5;
    default:
      return 0.5;
  }
}

constexpr std::size_t kSteps = 60;  // of each kind, for each sharding of each model

struct Candidate {
  Operator op;
  double order = 0;  // smaller comes earlier
};

std::vector<ModelArchitecture> models_of(const SweepPlanRequest& request) {
  const ModelCatalog catalog;
  std::vector<ModelArchitecture> models;
  for (const std::string& name : request.like) models.push_back(catalog.load(name, FileScope::machine()));
  std::unordered_set<std::string> left_out;
  for (const std::string& name : request.except) left_out.insert(catalog.get(name).name);
  if (request.like.empty())
    for (const ModelCatalog::Entry& entry : catalog.entries())
      if (!left_out.contains(entry.model.name)) models.push_back(entry.model);
  return models;
}

std::vector<MatmulScheme> schemes_of(const std::vector<std::string>& names) {
  if (names.empty()) return {MatmulScheme::Bf16, MatmulScheme::Fp8Static};
  std::vector<MatmulScheme> schemes;
  for (const std::string& name : names) schemes.push_back(parse_enum<MatmulScheme>(name, "schemes"));
  return schemes;
}

std::unordered_set<std::uint64_t> shapes_of(const std::filesystem::path& plan) {
  std::unordered_set<std::uint64_t> shapes;
  if (plan.empty()) return shapes;
  CsvReader reader(plan);
  const std::size_t column = reader.column("operator");
  while (reader.next()) {
    const std::string where = reader.where(column);
    shapes.insert(shape_hash(operator_from_json(parse_json(reader.cell(column), where), where)));
  }
  return shapes;
}

// Candidates that the GPU runs soon enough, in order within each turn.
std::map<Turn, std::vector<Candidate>> ranked(std::vector<Operator> operators,
                                              const SweepPlanRequest& request) {
  GpuCatalog catalog;
  const GpuSpec& gpu = catalog.load_gpu(request.gpu, FileScope::machine());
  const auto model = open_latency_model(request.predictor, FileScope::machine());
  const auto without = shapes_of(request.apart_from);
  RandomStream random(request.seed, "sweep plan");
  std::unordered_set<Family> wanted;
  for (const std::string& name : request.families) wanted.insert(parse_enum<Family>(name, "families"));
  std::map<Turn, std::vector<Candidate>> turns;
  for (Operator& op : operators) {
    const double chance = -std::log(1 - random.uniform());
    if (!wanted.empty() && !wanted.contains(family_of(op))) continue;
    if (without.contains(shape_hash(op))) continue;
    double doubt = 1;
    try {
      const LatencyEstimate estimate = model->estimate(op, gpu);
      if (estimate.p50.value() * 1e3 > request.longest_ms) continue;
      doubt = std::clamp(std::log(estimate.p90.value() / estimate.p10.value()), 0.02, 1.0);
    } catch (const Unsupported&) {
      continue;
    }
    // Drawing without replacement, with these weights (Efraimidis and Spirakis 2006).
    const Turn turn = turn_of(op);
    turns[turn].push_back({std::move(op), request.random > 0 ? chance : chance / doubt});
  }
  for (auto& [turn, list] : turns)
    std::sort(list.begin(), list.end(),
              [](const Candidate& a, const Candidate& b) { return a.order < b.order; });
  return turns;
}

}  // namespace

SweepPlanResult sweep_plan(const SweepPlanRequest& request) {
  check(request, "sweep-plan");
  const std::vector<ModelArchitecture> models = models_of(request);
  const std::vector<MatmulScheme> schemes = schemes_of(request.schemes);
  RandomStream random(request.seed, "sweep sizes");
  const std::size_t wanted = request.random > 0 ? request.random : request.operators;
  std::vector<Operator> operators = sweep_candidates(models, schemes, kSteps, random);
  for (Operator& op : collective_candidates(request.gpus, kSteps * 8, random))
    operators.push_back(std::move(op));
  auto turns = ranked(std::move(operators), request);
  SweepPlanResult result;
  std::map<Family, double> sharers;
  for (const auto& [turn, list] : turns) {
    result.candidates += list.size();
    sharers[turn.first] += 1;
  }
  if (result.candidates == 0)
    throw InvalidInput("sweep-plan: these models have no operator that the collector could time on this GPU");

  CsvWriter csv({"operator"});
  std::map<Turn, std::size_t> taken;
  for (std::size_t i = 0; i < std::min(wanted, result.candidates); ++i) {
    const auto behind = std::min_element(turns.begin(), turns.end(), [&](const auto& a, const auto& b) {
      const auto progress = [&](const auto& turn) {
        const Family family = turn.first.first;
        const std::size_t n = taken[turn.first];
        return n < turn.second.size() ? double(n + 1) * sharers[family] / weight_of(family) : 1e300;
      };
      return progress(a) < progress(b);
    });
    csv.row({operator_to_json(behind->second[taken[behind->first]++].op).dump()});
    ++result.operators[std::string(name_of(behind->first.first))];
  }
  write_file_atomically(request.output, csv.text());
  return result;
}

}  // namespace warploom
