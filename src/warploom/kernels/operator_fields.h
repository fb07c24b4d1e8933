// Access to an operator by family name and field table: what JSON, command lines and bindings need.
#pragma once

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

}  // namespace warploom
