#include "warploom/app/tune/kernel_scope.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "warploom/base/error.h"
#include "warploom/base/fields.h"

namespace warploom {
namespace {

struct KindField {
  std::string_view field;
  TileKernelKind kind;
};
// Fields that not every kind of kernel has, by kind; the others bear on all.
constexpr std::array<KindField, 13> kOfSomeKinds{{{"batch", TileKernelKind::Gemm},
                                                  {"b_along_n", TileKernelKind::Gemm},
                                                  {"experts", TileKernelKind::GroupedGemm},
                                                  {"top_k", TileKernelKind::GroupedGemm},
                                                  {"expert_skew", TileKernelKind::GroupedGemm},
                                                  {"head_dim", TileKernelKind::Attention},
                                                  {"head_dim", TileKernelKind::PagedDecode},
                                                  {"head_group", TileKernelKind::Attention},
                                                  {"head_group", TileKernelKind::PagedDecode},
                                                  {"causal", TileKernelKind::Attention},
                                                  {"window", TileKernelKind::Attention},
                                                  {"window", TileKernelKind::PagedDecode},
                                                  {"page_keys", TileKernelKind::PagedDecode}}};

// What only a fit to measured times reads.
bool is_fitted(std::string_view field) {
  constexpr std::array<std::string_view, 7> kFitted{"output_bytes", "group_rows", "top_k",      "causal",
                                                    "rotation",     "window",     "expert_skew"};
  return std::find(kFitted.begin(), kFitted.end(), field) != kFitted.end();
}

// What neither the grid nor the loop of a launch follows from, beyond a table's own name.
bool is_no_tile_count(std::string_view field) {
  constexpr std::array<std::string_view, 7> kFields{
      "operand_bytes", "output_bytes", "group_rows", "b_along_n", "top_k", "head_dim", "rotation"};
  return std::find(kFields.begin(), kFields.end(), field) != kFields.end();
}

// The kind that a field is for, when it is not `kernel`'s.
std::optional<TileKernelKind> other_kind(std::string_view field, const TileKernel& kernel,
                                         TileKernelUse use) {
  std::optional<TileKernelKind> first;
  for (const KindField& each : kOfSomeKinds) {
    if (each.field != field) continue;
    if (each.kind == kernel.kind) return std::nullopt;
    if (!first) first = each.kind;
  }
  if (first) return first;
  // A table of grouped products keeps the rows as the group of its launches.
  const bool grouped = kernel.kind == TileKernelKind::GroupedGemm && use == TileKernelUse::Table;
  if (field == "group_rows" && kernel.kind != TileKernelKind::Gemm && !grouped) return TileKernelKind::Gemm;
  // Among the reference kernels gemm alone has another type than bf16.
  if (field == "operand_bytes" && use == TileKernelUse::Profile && kernel.kind != TileKernelKind::Gemm)
    return TileKernelKind::Gemm;
  return std::nullopt;
}

// The fields that were given: those that say another thing than the defaults.
std::vector<std::string> changed_fields(const TileKernel& kernel) {
  static const TileKernel usual;
  std::vector<std::string> names;
  for (const Field& field : fields_of<TileKernel>().fields)
    if (field.name != "kind" && field.get(&kernel) != field.get(&usual)) names.push_back(field.name);
  return names;
}

void check_field(const TileKernel& kernel, TileKernelUse use, const std::string& field,
                 std::string_view request) {
  if (const auto kind = other_kind(field, kernel, use))
    throw InvalidInput(
        fmt::format("{}: `{}` bears on `kind` {}, but the kind is {}; expected that kind or no `{}`", request,
                    field, name_of(*kind), name_of(kernel.kind), field));
  if (use == TileKernelUse::WaveTuneTable && is_no_tile_count(field))
    throw InvalidInput(fmt::format(
        "{}: `{}` changes neither grid nor loop, which are all that `method` wavetune sees; expected "
        "no `{}` with it",
        request, field, field));
  const bool boundary = use == TileKernelUse::BoundaryAnchors;
  if (boundary && is_fitted(field) && field != "expert_skew")
    throw InvalidInput(fmt::format("{}: `{}` moves no end of a wave; expected no `{}` with `method` wavetune",
                                   request, field, field));
  if (use == TileKernelUse::Anchors && is_fitted(field))
    throw InvalidInput(
        fmt::format("{}: `{}` bears on the second round alone, which fits times; expected `samples` with it",
                    request, field));
}

}  // namespace

// The reference kernels have the defaults of these fields.
std::vector<std::string> fields_without_bearing(TileKernelUse use) {
  switch (use) {
    case TileKernelUse::Profile:
      return {"name", "output_bytes", "group_rows", "batch", "b_along_n", "rotation", "window", "page_keys"};
    case TileKernelUse::Anchors:
    case TileKernelUse::BoundaryAnchors:
    case TileKernelUse::SecondRound:
      return {"name", "b_along_n"};
    case TileKernelUse::Learning:
      // Corrections are learned where rows are even and all keys are seen.
      return {"name", "expert_skew", "window", "page_keys"};
    case TileKernelUse::Table:
    case TileKernelUse::WaveTuneTable:
      break;
  }
  return {};
}

void check_kernel_scope(const TileKernel& kernel, TileKernelUse use, std::string_view request) {
  for (const std::string& field : changed_fields(kernel)) check_field(kernel, use, field, request);
  if (use == TileKernelUse::Profile && kernel.operand_bytes > 2)
    throw InvalidInput(
        fmt::format("{}: `operand_bytes` is {}, expected 1 or 2: the reference kernels are fp8 or bf16",
                    request, kernel.operand_bytes));
}

}  // namespace warploom
