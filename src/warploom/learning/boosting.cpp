#include "warploom/learning/boosting.h"

#include <xgboost/c_api.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "warploom/base/error.h"

namespace warploom {
namespace {

void check(int status) {
  if (status != 0) throw Error(std::string("the boosting library failed: ") + XGBGetLastError());
}

struct FreeMatrix {
  void operator()(void* handle) const { XGDMatrixFree(handle); }
};
struct FreeBooster {
  void operator()(void* handle) const { XGBoosterFree(handle); }
};

PlainTree to_plain(const nlohmann::json& tree) {
  const auto& left = tree.at("left_children");
  const auto& right = tree.at("right_children");
  const auto& feature = tree.at("split_indices");
  const auto& value = tree.at("split_conditions");  // of a leaf: its value, learning rate included
  PlainTree plain;
  plain.nodes.resize(left.size());
  for (std::size_t i = 0; i < left.size(); ++i) {
    const int l = left[i].get<int>();
    plain.nodes[i] = {l < 0 ? -1 : feature[i].get<int>(), value[i].get<float>(), l, right[i].get<int>()};
  }
  return plain;
}

// The trees' prediction for every row.
std::vector<float> answers(const std::vector<PlainTree>& trees, std::span<const float> rows,
                           std::size_t columns) {
  const TreeEnsemble ensemble(encode_trees(trees), "training");
  std::vector<float> predictions;
  FeatureRow row;
  for (std::size_t r = 0; r * columns < rows.size(); ++r) {
    row.clear();
    for (std::size_t c = 0; c < columns; ++c) row.add(double(rows[r * columns + c]));
    TreeEnsemble::set_guard(row);
    predictions.push_back(ensemble.predict(row));
  }
  return predictions;
}

// Twice from the bounded targets, the second time bounded around the first prediction.
std::vector<PlainTree> boost_bounded(std::span<const float> rows, std::size_t columns,
                                     std::span<const float> targets, BoostingOptions options) {
  const double bound = std::exchange(options.bound, 0.0);
  std::vector<float> near = bounded(targets, bound);
  const std::vector<float> predictions = answers(boost_trees(rows, columns, near, options), rows, columns);
  for (std::size_t r = 0; r < near.size(); ++r) near[r] = targets[r] - predictions[r];
  near = bounded(near, bound);
  for (std::size_t r = 0; r < near.size(); ++r) near[r] += predictions[r];
  return boost_trees(rows, columns, near, options);
}

// A booster on dense data, with the settings that all our trees share.
class Booster {
 public:
  Booster(std::span<const float> rows, std::size_t columns, std::span<const float> targets) {
    if (targets.empty() || columns == 0 || rows.size() != columns * targets.size())
      throw InvalidInput("boosting: expected rows x columns features and one target a row, got " +
                         std::to_string(rows.size()) + " features and " + std::to_string(targets.size()) +
                         " targets");
    DMatrixHandle raw_matrix = nullptr;
    check(XGDMatrixCreateFromMat_omp(rows.data(), targets.size(), columns,
                                     std::numeric_limits<float>::quiet_NaN(), &raw_matrix, 1));
    matrix_.reset(raw_matrix);
    check(XGDMatrixSetFloatInfo(raw_matrix, "label", targets.data(), targets.size()));
    BoosterHandle raw_booster = nullptr;
    check(XGBoosterCreate(&raw_matrix, 1, &raw_booster));
    booster_.reset(raw_booster);
    set("booster", "gbtree");
    set("tree_method", "hist");
    set("objective", "reg:squarederror");
    set("base_score", "0");
    set("max_bin", "255");
    set("nthread", "1");
    set("verbosity", "0");
  }

  void set(const char* name, const std::string& value) {
    check(XGBoosterSetParam(booster_.get(), name, value.c_str()));
  }
  void step(int number) { check(XGBoosterUpdateOneIter(booster_.get(), number, matrix_.get())); }

  std::vector<PlainTree> trees() const {
    bst_ulong length = 0;
    const char* text = nullptr;
    check(XGBoosterSaveModelToBuffer(booster_.get(), R"({"format":"json"})", &length, &text));
    const auto document = nlohmann::json::parse(text, text + length);
    std::vector<PlainTree> result;
    for (const auto& tree : document.at("learner").at("gradient_booster").at("model").at("trees"))
      result.push_back(to_plain(tree));
    return result;
  }

 private:
  std::unique_ptr<void, FreeMatrix> matrix_;
  std::unique_ptr<void, FreeBooster> booster_;
};

std::string seed_text(std::uint64_t seed) { return std::to_string(seed & 0x7FFFFFFF); }

}  // namespace

std::vector<PlainTree> boost_trees(std::span<const float> rows, std::size_t columns,
                                   std::span<const float> targets, const BoostingOptions& options) {
  Booster booster(rows, columns, targets);
  if (options.bound > 0) return boost_bounded(rows, columns, targets, options);
  booster.set("grow_policy", "lossguide");
  booster.set("max_leaves", std::to_string(options.leaves));
  booster.set("max_depth", std::to_string(options.depth));
  booster.set("eta", std::to_string(options.eta));
  booster.set("reg_lambda", std::to_string(options.lambda));
  booster.set("min_child_weight", std::to_string(options.min_rows));
  booster.set("subsample", std::to_string(options.row_share));
  booster.set("colsample_bytree", std::to_string(options.column_share));
  booster.set("seed", seed_text(options.seed));
  for (int i = 0; i < options.trees; ++i) booster.step(i);
  return booster.trees();
}

std::vector<PlainTree> grow_forest(std::span<const float> rows, std::size_t columns,
                                   std::span<const float> targets, const ForestOptions& options) {
  Booster booster(rows, columns, targets);
  booster.set("max_depth", std::to_string(options.depth));
  booster.set("min_child_weight", std::to_string(options.min_rows));
  booster.set("subsample", std::to_string(options.row_share));
  booster.set("num_parallel_tree", std::to_string(options.trees));
  booster.set("eta", "1");
  booster.set("reg_lambda", "0");
  booster.set("seed", seed_text(options.seed));
  booster.step(0);
  return booster.trees();
}

}  // namespace warploom
