// Makes the value of a family of plain functions on its struct.
//
//   struct RopeFamily : RowFamily<RopeFamily, Rope> {       // what kernels of rows have in common
//     template <class List> static List& list_fields(List& list);   // list.add("tokens", &Rope::tokens, ...)
//     static void check(OperatorChecker& checker, const Rope& op);
//     static void hash(ShapeHasher& hasher, const Rope& op);
//     ...
//   };
//   FieldTable Rope::describe() { return described<RopeFamily>(); }
//   constinit const OperatorFamily Rope::kFamily = define<RopeFamily>();
//
// FamilyOf has what most families share; a function of the family's own hides it. A function that is
// neither is an error where define<> stands.
#pragma once

#include <algorithm>
#include <utility>

#include "warploom/kernels/bound_limit.h"
#include "warploom/kernels/family_fields.h"
#include "warploom/kernels/nearest_kind.h"
#include "warploom/kernels/operator_checker.h"
#include "warploom/kernels/operator_coordinates.h"
#include "warploom/kernels/operator_family.h"
#include "warploom/kernels/operator_grid.h"
#include "warploom/kernels/profile_builder.h"
#include "warploom/kernels/rows/row_base.h"
#include "warploom/kernels/shape_hasher.h"
#include "warploom/kernels/structural_price.h"
#include "warploom/kernels/structural_terms.h"
#include "warploom/kernels/work.h"

namespace warploom {

// `Self`: the family's own struct of functions.
template <class Self, class Held>
struct FamilyOf {
  using Op = Held;
  static constexpr std::string_view kTitle = Held::kNames[0].name;  // of its table of fields
  static constexpr FamilyKind kKind = FamilyKind::Rows;
  static constexpr bool kCallsLibraryProducts = false;
  static constexpr std::span<const GridMove> kMoves = kPlaneMoves;

  static Operator standard(Family) { return Op{}; }
  static bool decodes(const Op&) { return false; }
  static std::int64_t* stepped_size(Op&, std::size_t) { return nullptr; }
  static double forced_dram(const Op&, const GpuSpec& gpu, const Work& work, Residency) {
    return forced_bytes(work.unique_bytes().value(), 0, gpu);
  }
  static void bound(BoundLimit& limit, const Op& op, const GpuSpec& gpu, const Work& work,
                    Residency operands) {
    Self::raise_compute(limit, op, gpu, work);
    const Bytes forced(Self::forced_dram(op, gpu, work, operands));
    limit.raise((forced / gpu.memory_bandwidth).value(), Bound::Dram);
  }
  static void raise_compute(BoundLimit&, const Op&, const GpuSpec&, const Work&) {}
  static NearKinds near(const Op& op, const GpuSpec&) { return own_kind(Self::kind_code(op)); }
};

// Sizes of which `sizes` are the fields, by number.
template <class... Sizes>
std::int64_t* numbered_size(std::size_t number, Sizes*... sizes) {
  const std::array<std::int64_t*, sizeof...(Sizes)> all{sizes...};
  return number < all.size() ? all[number] : nullptr;
}

template <class F>
FieldTable described() {
  FieldList<typename F::Op> list(F::kTitle);
  return F::list_fields(list).table();
}

// What examples have: tokens of a step, and requests of one.
inline constexpr std::int64_t kExampleRows = 4096;
inline constexpr RequestGroup kExamplePrompts{.count = 4, .query_tokens = 1024};
inline constexpr RequestGroup kExampleDecode{.count = 64, .query_tokens = 1, .context_tokens = 2000};

namespace define_family_detail {

template <class F>
struct Functions {
  using Op = typename F::Op;
  static const Op& held(const Operator& op) { return *std::get_if<Op>(&op); }
  static Op& held(Operator& op) { return *std::get_if<Op>(&op); }

  static Operator example(Family family) {
    Operator op = F::standard(family);
    if constexpr (requires { F::kRows; }) *rows(op) = kExampleRows;
    if constexpr (requires { held(op).requests; })
      held(op).requests = {decodes(op) ? kExampleDecode : kExamplePrompts};
    if constexpr (requires { &F::set_example; }) F::set_example(held(op));
    return op;
  }
  static std::size_t place(const Operator& op) { return F::place(held(op)); }
  static bool set_sizes(std::span<Operator> operators, std::string_view field,
                        std::span<const std::int64_t> values) {
    MemberSearch<Op> search(field);
    F::list_fields(search);
    const auto set = [&](auto found) {
      for (std::size_t i = 0; found != nullptr && i < operators.size(); ++i)
        held(operators[i]).*found = values[i];
      return found != nullptr;
    };
    return set(search.found()) || set(search.found_optional());
  }
  static void check(OperatorChecker& checker, const Operator& op) { F::check(checker, held(op)); }
  static void hash(ShapeHasher& hasher, const Operator& op) { F::hash(hasher, held(op)); }
  static bool decodes(const Operator& op) { return F::decodes(held(op)); }
  static std::int64_t* rows(Operator& op) { return &(held(op).*F::kRows); }
  static std::int64_t* stepped_size(Operator& op, std::size_t number) {
    return F::stepped_size(held(op), number);
  }
  static Work work(const Operator& op, const RoutingLoad& load) {
    if constexpr (requires { F::work(held(op), load); })
      return F::work(held(op), load);
    else
      return F::work(held(op));
  }
  static double forced_dram(const Operator& op, const GpuSpec& gpu, const Work& work, Residency operands) {
    return F::forced_dram(held(op), gpu, work, operands);
  }
  static void bound(BoundLimit& limit, const Operator& op, const GpuSpec& gpu, const Work& work,
                    Residency operands) {
    F::bound(limit, held(op), gpu, work, operands);
  }
  static StructuralPrice price(const Operator& op, const GpuSpec& gpu, const ContextKernel& kernel,
                               const BaseConstants& fitted) {
    return F::price(held(op), gpu, kernel, fitted);
  }
  static void profile(ProfileBuilder& builder, const Operator& op) { F::profile(builder, held(op)); }
  static RowTraffic traffic(const Operator& op) { return F::traffic(held(op)); }
  static std::uint32_t kind_code(const Operator& op) { return F::kind_code(held(op)); }
  static NearKinds near(const Operator& op, const GpuSpec& gpu) { return F::near(held(op), gpu); }
  static MatmulScheme* scheme(Operator& op) { return &(held(op).*F::kScheme); }
  static GridPoint grid(const Operator& op) { return F::grid(held(op)); }
  static void coordinates(OperatorCoordinates& list, const Operator& op) { F::coordinates(list, held(op)); }
};

}  // namespace define_family_detail

template <class F>
constexpr OperatorFamily define() {
  using Functions = define_family_detail::Functions<F>;
  using Op = typename F::Op;
  OperatorFamily value{.names = Op::kNames,
                       .kind = F::kKind,
                       .calls_library_products = F::kCallsLibraryProducts,
                       .standard = F::standard,
                       .example = Functions::example,
                       .place = nullptr,
                       .fields = fields_of<Op>,
                       .set_sizes = Functions::set_sizes,
                       .check = Functions::check,
                       .hash = Functions::hash,
                       .decodes = Functions::decodes,
                       .rows = nullptr,
                       .stepped_size = Functions::stepped_size,
                       .work = Functions::work,
                       .forced_dram = Functions::forced_dram,
                       .bound = Functions::bound,
                       .constants = F::constants,
                       .price = Functions::price,
                       .profile = Functions::profile,
                       .traffic = nullptr,
                       .kind_code = Functions::kind_code,
                       .near = Functions::near,
                       .scheme = nullptr,
                       .grid = Functions::grid,
                       .moves = F::kMoves,
                       .coordinates = Functions::coordinates};
  if constexpr (requires { &F::place; }) value.place = Functions::place;
  if constexpr (requires { F::kRows; }) value.rows = Functions::rows;
  if constexpr (requires { &F::traffic; }) value.traffic = Functions::traffic;
  if constexpr (requires { F::kScheme; }) value.scheme = Functions::scheme;
  return value;
}

// What kernels share that read and write rows once. The family says `traffic`.
template <class Self, class Held>
struct RowFamily : FamilyOf<Self, Held> {
  static std::span<const ConstantSpec> constants() { return stream_constants(); }
  static StructuralPrice price(const Held& op, const GpuSpec& gpu, const ContextKernel&,
                               const BaseConstants& fitted) {
    const RowBase base = row_base(Self::traffic(op), gpu, fitted);
    const double moved = base.traffic.read + base.traffic.written;
    return {.seconds = base.seconds,
            .launch = base.launch,
            .memory = base.stream,
            .again = std::max(0.0, 1 - Self::work(op).unique_bytes().value() / moved)};
  }
  static void profile(ProfileBuilder& builder, const Held& op) {
    builder.add_stream(Self::work(op), "stream");
  }
};

// Moves along the grids of attention: both kinds of heads doubled; the same with the batch halved; a longer
// batch of fewer.
inline constexpr std::array<GridMove, 8> kAttentionMoves{{{Doublings{0, 0, 1, 1}},
                                                          {Doublings{0, 0, -1, -1}},
                                                          {Doublings{0, -1, 1, 1}},
                                                          {Doublings{0, 1, -1, -1}},
                                                          {Doublings{0, -1, 1, 0}},
                                                          {Doublings{0, 1, -1, 0}},
                                                          {Doublings{1, -1, 0, 0}},
                                                          {Doublings{-1, 1, 0, 0}}}};
inline constexpr std::array<GridMove, 4> kMlaMoves{
    {{Doublings{0, -1, 1}}, {Doublings{0, 1, -1}}, {Doublings{1, -1, 0}}, {Doublings{-1, 1, 0}}}};

// What families with requests share.
template <class Self, class Held>
struct RequestFamily : FamilyOf<Self, Held> {
  static constexpr FamilyKind kKind = FamilyKind::Attention;

  // Requests, their tokens (new ones of a prompt, else those in the cache), and heads of latent attention.
  static std::int64_t* stepped_size(Held& op, std::size_t number) {
    if (op.requests.size() != 1) return nullptr;
    RequestGroup& group = op.requests.front();
    std::int64_t* const tokens = group.query_tokens > 1 ? &group.query_tokens : &group.context_tokens;
    if constexpr (requires { op.shape; })
      return numbered_size(number, &group.count, tokens, &op.shape.heads);
    else
      return numbered_size(number, &group.count, tokens);
  }
};

// What kernels of softmax attention share, which have a view (attention_view.h).
template <class Self, class Held>
struct AttentionFamily : RequestFamily<Self, Held> {
  static Work work(const Held& op) { return attention_work(view_of(op)); }
  static void raise_compute(BoundLimit& limit, const Held& op, const GpuSpec& gpu, const Work&) {
    raise_attention(limit, view_of(op), gpu);
  }
  static double forced_dram(const Held& op, const GpuSpec& gpu, const Work& work, Residency operands) {
    const bool cold = Self::decodes(op) && operands == Residency::Cold;
    return forced_bytes(work.unique_bytes().value(), cold ? cold_cache_bytes(view_of(op), work) : 0, gpu);
  }
  static void profile(ProfileBuilder& builder, const Held& op) {
    const AttentionView view = view_of(op);
    add_attention_grid(builder.parts.sequence, view, builder.gpu,
                       attention_tiling(view, builder.gpu, builder.kernel.hints), builder.price.splits);
  }
  static NearKinds near(const Held& own, const GpuSpec&) {
    return near_caches(own.compute, own.kv_cache,
                       [&](DataType compute, DataType cache) { return Self::kind_in(own, compute, cache); });
  }
  static std::uint32_t kind_code(const Held& op) { return Self::kind_in(op, op.compute, op.kv_cache); }
  static std::uint32_t kind_in(const Held&, DataType compute, DataType cache) {
    return kind_pair(half_as_one(compute), half_as_one(cache));
  }
};

}  // namespace warploom
