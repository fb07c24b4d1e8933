// Access to an operator by family name and field table: what JSON, command lines and bindings need.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "warploom/kernels/operator.h"

namespace warploom {

// The operator of a family with every field at its default. Attention families have no requests yet, so the
// result may fail check_operator until the caller fills it. Collective families come with their kind set.
Operator default_operator(Family family);

// The fields of a family's struct. A collective's kind is no field: its family says it.
const FieldTable& operator_fields(Family family);

// The struct inside the variant, for use with its field table.
void* operator_object(Operator& op);
const void* operator_object(const Operator& op);

// Sets one whole number of many operators of one family, values[i] in operators[i], unchecked: for callers
// that check rows later. False: they have no such size. The second is for a field of RequestGroup, where each
// operator has one group.
bool set_sizes(std::span<Operator> operators, std::string_view field, std::span<const std::int64_t> values);
bool set_alike_sizes(std::span<Operator> operators, std::string_view field,
                     std::span<const std::int64_t> values);

}  // namespace warploom
