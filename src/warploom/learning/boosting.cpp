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

}  // namespace

std::vector<PlainTree> boost_trees(std::span<const float> rows, std::size_t columns,
                                   std::span<const float> targets, const BoostingOptions& options) {
  if (targets.empty() || columns == 0 || rows.size() != columns * targets.size())
    throw InvalidInput("boosting: expected rows x columns features and one target a row, got " +
                       std::to_string(rows.size()) + " features and " + std::to_string(targets.size()) +
                       " targets");
  if (options.bound > 0) return boost_bounded(rows, columns, targets, options);
  DMatrixHandle raw_matrix = nullptr;
  check(XGDMatrixCreateFromMat_omp(rows.data(), targets.size(), columns,
                                   std::numeric_limits<float>::quiet_NaN(), &raw_matrix, 1));
  const std::unique_ptr<void, FreeMatrix> matrix(raw_matrix);
  check(XGDMatrixSetFloatInfo(raw_matrix, "label", targets.data(), targets.size()));
  BoosterHandle booster_handle = nullptr;
  check(XGBoosterCreate(&raw_matrix, 1, &booster_handle));
  const std::unique_ptr<void, FreeBooster> booster(booster_handle);
  const auto set = [&](const char* name, const std::string& value) {
    check(XGBoosterSetParam(booster_handle, name, value.c_str()));
  };
  set("booster", "gbtree");
  set("tree_method", "hist");
  set("grow_policy", "lossguide");
  set("objective", "reg:squarederror");
  set("base_score", "0");
  set("max_bin", "255");
  set("nthread", "1");
  set("verbosity", "0");
  set("max_leaves", std::to_string(options.leaves));
  set("max_depth", std::to_string(options.depth));
  set("eta", std::to_string(options.eta));
  set("reg_lambda", std::to_string(options.lambda));
  set("min_child_weight", std::to_string(options.min_rows));
  set("subsample", std::to_string(options.row_share));
  set("colsample_bytree", std::to_string(options.column_share));
  set("seed", std::to_string(options.seed & 0x7FFFFFFF));
  for (int i = 0; i < options.trees; ++i) check(XGBoosterUpdateOneIter(booster_handle, i, raw_matrix));

  bst_ulong length = 0;
  const char* text = nullptr;
  check(XGBoosterSaveModelToBuffer(booster_handle, R"({"format":"json"})", &length, &text));
  const auto document = nlohmann::json::parse(text, text + length);
  std::vector<PlainTree> trees;
  for (const auto& tree : document.at("learner").at("gradient_booster").at("model").at("trees"))
    trees.push_back(to_plain(tree));
  return trees;
}

}  // namespace warploom
