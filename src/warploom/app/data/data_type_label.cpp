#include "warploom/app/data/data_type_label.h"

namespace warploom {

std::string data_type_label(const Operator& op) {
  return std::visit(
      [](const auto& held) -> std::string {
        if constexpr (requires { held.scheme; }) {
          return std::string(name_of(held.scheme));
        } else if constexpr (requires {
                               held.kv_cache;
                               held.compute;
                             }) {
          std::string label(name_of(held.compute));
          if (held.kv_cache != held.compute) label += "/kv_" + std::string(name_of(held.kv_cache));
          return label;
        } else if constexpr (requires { held.target; }) {
          return std::string(name_of(held.target));
        } else if constexpr (requires { held.type; }) {
          return std::string(name_of(held.type));
        } else if constexpr (requires { held.projections; }) {
          return std::string(name_of(held.projections));
        } else {
          return {};  // of one type: samplers, linear attention, collectives
        }
      },
      op);
}

}  // namespace warploom
