// Use case `convert-clients`: descriptions of loads by other programs as a file of clients.
#pragma once

#include <filesystem>

#include "warploom/base/fields.h"
#include "warploom/serving/workload/client_mix.h"

namespace warploom {

enum class ClientLayout { ServeGen, InferencePerf };
template <>
struct EnumNames<ClientLayout> {
  static constexpr std::array<std::pair<ClientLayout, std::string_view>, 2> kNames{
      {{ClientLayout::ServeGen, "servegen"}, {ClientLayout::InferencePerf, "inference-perf"}}};
};

struct ConvertClientsRequest {
  ClientLayout layout = ClientLayout::ServeGen;
  std::filesystem::path path;    // ServeGen: a folder of one model; inference-perf: its configuration (YAML)
  std::filesystem::path output;  // the file of clients
  Seconds from{0.0}, to{0.0};    // the part of a ServeGen folder's time that is taken; to 0: the first day
  static FieldTable describe();
};

// ServeGen (github.com/alibaba/ServeGen): chunk-N-trace.csv, a client's windows (begin in s, requests/s, CV
// of gaps, the name of their distribution, its shape and scale), beside chunk-N-dataset.json ({begin:
// {"input_tokens": "{tokens: share, ...}", "output_tokens": ...}}; the latest before a window is its own).
// Each window with requests is a client of the result. Throws InvalidInput "<file>:<line>: ...".
ClientMix servegen_clients(const std::filesystem::path& folder, Seconds from, Seconds to);

// inference-perf (github.com/kubernetes-sigs/inference-perf): the stages of `load` (constant or poisson), and
// `data` of the types random, synthetic and shared_prefix, whose groups are tenants. SLO headers of `api` are
// the class. Throws InvalidInput on a missing key, Unsupported on other types.
ClientMix inference_perf_clients(const std::filesystem::path& config);

// Reads, writes the file, and returns what it holds. `from` and `to` are ServeGen's alone.
ClientMix convert_clients(const ConvertClientsRequest& request);

}  // namespace warploom
