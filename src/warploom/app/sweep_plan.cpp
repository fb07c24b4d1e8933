#include "warploom/app/sweep_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "warploom/app/latency_models.h"
#include "warploom/app/sweep_candidates.h"
#include "warploom/base/csv.h"
#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/kernels/operator_json.h"
#include "warploom/models/model_catalog.h"

namespace warploom {
namespace {

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
  for (const std::string& name : request.like) models.push_back(catalog.load(name));
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
  for (const std::string& name : names) schemes.push_back(parse_enum<MatmulScheme>(name, "--scheme"));
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

// Candidates that the GPU runs soon enough, in order within each family.
std::map<Family, std::vector<Candidate>> ranked(std::vector<Operator> operators,
                                                const SweepPlanRequest& request) {
  GpuCatalog catalog;
  const GpuSpec& gpu = catalog.load_gpu(request.gpu);
  const auto model = open_latency_model(request.predictor);
  const auto without = shapes_of(request.apart_from);
  RandomStream random(request.seed, "sweep plan");
  std::unordered_set<Family> wanted;
  for (const std::string& name : request.families) wanted.insert(parse_enum<Family>(name, "--family"));
  std::map<Family, std::vector<Candidate>> families;
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
    families[family_of(op)].push_back({std::move(op), request.random > 0 ? chance : chance / doubt});
  }
  for (auto& [family, list] : families)
    std::sort(list.begin(), list.end(),
              [](const Candidate& a, const Candidate& b) { return a.order < b.order; });
  return families;
}

}  // namespace

SweepPlanResult sweep_plan(const SweepPlanRequest& request) {
  const std::vector<ModelArchitecture> models = models_of(request);
  const std::vector<MatmulScheme> schemes = schemes_of(request.schemes);
  RandomStream random(request.seed, "sweep sizes");
  const std::size_t wanted = request.random > 0 ? request.random : request.operators;
  std::vector<Operator> operators = sweep_candidates(models, schemes, kSteps, random);
  for (Operator& op : collective_candidates(request.gpus, kSteps * 8, random))
    operators.push_back(std::move(op));
  auto families = ranked(std::move(operators), request);
  SweepPlanResult result;
  for (const auto& [family, list] : families) result.candidates += list.size();
  if (result.candidates == 0)
    throw InvalidInput("sweep-plan: these models have no operator that the collector could time on this GPU");

  CsvWriter csv({"operator"});
  std::map<Family, std::size_t> taken;
  for (std::size_t i = 0; i < std::min(wanted, result.candidates); ++i) {
    const auto behind = std::min_element(families.begin(), families.end(), [&](const auto& a, const auto& b) {
      const auto progress = [&](const auto& family) {
        const std::size_t n = taken[family.first];
        return n < family.second.size() ? double(n + 1) / weight_of(family.first) : 1e300;
      };
      return progress(a) < progress(b);
    });
    csv.row({operator_to_json(behind->second[taken[behind->first]++].op).dump()});
    ++result.operators[std::string(name_of(behind->first))];
  }
  write_file_atomically(request.output, csv.text());
  return result;
}

}  // namespace warploom
