// What a run throws that was told to stop: it has no answer, and nothing about it may be remembered.
#pragma once

#include <exception>

namespace warploom {

// No Error: nobody asked anything wrong.
class SearchStopped : public std::exception {
 public:
  const char* what() const noexcept override { return "the search was stopped"; }
};

}  // namespace warploom
