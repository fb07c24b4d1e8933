// Refuses sizes that do not split over ranks. Texts are made where something is refused alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace warploom {

class SplitCheck {
 public:
  // Both outlive this. Messages begin "<where>: <model>: ".
  SplitCheck(std::string_view model, std::string_view where) : model_(model), where_(where) {}

  // Throws InvalidInput.
  [[noreturn]] void refuse(std::string_view message) const;
  // Throws InvalidInput unless `ranks` divides `size`.
  void divides(std::string_view what, std::int64_t size, std::string_view by, std::int64_t ranks) const;

 private:
  std::string_view model_, where_;
};

}  // namespace warploom
