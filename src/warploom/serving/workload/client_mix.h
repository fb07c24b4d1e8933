// A load as the sum of its clients: who sends how much, how evenly, when, and what is owed to whom.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "warploom/base/fields.h"
#include "warploom/base/json.h"
#include "warploom/serving/metrics.h"
#include "warploom/serving/workload/token_distribution.h"
#include "warploom/serving/workload/workload.h"

namespace warploom {

// Gaps between requests, whose mean follows from the rate.
enum class ArrivalProcess { Poisson, Gamma, Weibull, Constant };
template <>
struct EnumNames<ArrivalProcess> {
  static constexpr std::array<std::pair<ArrivalProcess, std::string_view>, 4> kNames{
      {{ArrivalProcess::Poisson, "poisson"},
       {ArrivalProcess::Gamma, "gamma"},
       {ArrivalProcess::Weibull, "weibull"},
       {ArrivalProcess::Constant, "constant"}}};
};

// Between two times the rate is so many times what it would be.
struct RateWindow {
  Seconds from{0.0}, to{0.0};
  double factor = 1;
  static FieldTable describe();
};

// The rate swings by a cosine: 1 + amplitude at the peak.
struct DiurnalSwing {
  double amplitude = 0;
  Seconds period{86400.0}, peak{0.0};
  static FieldTable describe();
};

struct WorkloadClient {
  std::string name, tenant, slo_class;  // the last two may be empty
  std::int64_t priority = 0;            // lower is served first, by policies that look at it
  double rate = 1;                      // requests/s, before windows and swing
  Seconds from{0.0}, to{0.0};           // when it sends; to 0: to the end
  ArrivalProcess arrivals = ArrivalProcess::Poisson;
  double shape = 1;                // of gamma and Weibull gaps: 1 Poisson, below it bursts
  std::int64_t prefix_tokens = 0;  // the same at the start of all its prompts, on top of input_tokens
  DiurnalSwing diurnal;
  std::vector<RateWindow> windows;
  TokenDistribution input_tokens = TokenDistribution::constant(1024),
                    output_tokens = TokenDistribution::constant(128);
  static FieldTable describe();  // without the two distributions
};

struct ClientMix {
  Seconds duration{0.0};
  std::map<std::string, Slo> slo_classes;  // limits of one request
  std::vector<WorkloadClient> clients;
};

// {"schema": "warploom_clients", "version": 1, "duration_s", "slo_classes": {NAME: {"ttft", "tpot", "e2el"}},
// "clients": [...]}. Throws InvalidInput "<where>: ..." on values out of range, a class that is not there and
// no clients, Unsupported on a newer version.
ClientMix client_mix_from_json(const Json& document, std::string_view where);
Json client_mix_to_json(const ClientMix& mix);
ClientMix read_client_mix(const std::filesystem::path& path);

// Every request of every client, in order of arrival; each client has a random stream of its own. `rate`
// above 0: all rates are scaled so that so many requests/s are expected over the duration. At most
// `max_requests` (0: all). Throws InvalidInput when none comes.
Workload client_workload(const ClientMix& mix, double rate, std::int64_t max_requests, std::uint64_t seed);

}  // namespace warploom
