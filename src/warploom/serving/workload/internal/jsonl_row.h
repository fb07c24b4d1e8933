// One row of a trace in JSON lines, read with errors that name its place.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/base/json.h"
#include "warploom/serving/workload/workload.h"

namespace warploom {

class JsonlRow {
 public:
  // Throws InvalidInput "<where>: ..." where it is no object, as the functions below do.
  JsonlRow(Json object, std::size_t line, std::string where);

  std::size_t line() const { return line_; }
  const std::string& where() const { return where_; }
  bool has(std::string_view key) const;  // and not null
  const Json& at(std::string_view key) const;
  double number(std::string_view key) const;
  std::int64_t count(std::string_view key) const;
  // Nanoseconds; `unit_s` is what 1 stands for.
  std::int64_t time_ns(std::string_view key, double unit_s) const;
  // A text or a number; empty when absent.
  std::string name(std::string_view key) const;
  // A list; empty when absent.
  std::vector<JsonlRow> rows(std::string_view key) const;
  // The one of two names of a thing that the row has, else the first.
  std::string_view which(std::string_view key, std::string_view alias) const;

  // What "input_tok_ids" or "hash_ids" say of a prompt: nothing, its tokens, or its blocks, the last of which
  // may be part of one. `block_tokens` 0: 512 as in Mooncake's traces, or the smaller power of two that the
  // number of ids calls for. Ids of one `scope` are one another's.
  std::vector<ContentSegment> content(std::int64_t input_tokens, std::int64_t block_tokens = 0,
                                      std::uint64_t scope = 0) const;

 private:
  std::vector<ContentSegment> content_of_tokens(std::int64_t input_tokens) const;
  [[noreturn]] void refuse(std::string_view what) const;

  Json object_;
  std::size_t line_;
  std::string where_;
};

// Calls `read` with each row that is not blank, as long as it returns true.
void read_jsonl(const std::filesystem::path& path, const std::string& text,
                const std::function<bool(const JsonlRow&)>& read);

}  // namespace warploom
