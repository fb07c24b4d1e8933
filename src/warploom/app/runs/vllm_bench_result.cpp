// Results of `vllm bench serve --save-result --save-detailed`, as vLLM's vllm/benchmarks/serve.py writes
// them (read at commit 009e6d4a). Lists hold one entry a request, in the order of the data set: input_lens
// and output_lens [tokens]; ttfts, itls (a list of each), start_times and queue_times [s]; errors. Failed
// requests have a text in errors or 0 output tokens. start_times are of a clock of the client's own, and
// older versions lack them. queue_times is how long --max-concurrency held a request back; older versions
// lack it too. The last token came at ttft + sum(itls), which is what `latencies` repeats.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/app/runs/client_json.h"
#include "warploom/app/runs/client_result.h"
#include "warploom/base/error.h"

namespace warploom {
namespace {

class VllmBenchLists {
 public:
  VllmBenchLists(const Json& document, const std::string& where)
      : where_(where),
        inputs_(list_of(document, "input_lens")),
        outputs_(list_of(document, "output_lens")),
        ttfts_(list_of(document, "ttfts")),
        itls_(list_of(document, "itls")),
        starts_(list_if(document, "start_times")),
        queues_(list_if(document, "queue_times")),
        errors_(list_if(document, "errors")) {}

  std::size_t size() const { return inputs_.size(); }
  bool timed() const { return starts_ != nullptr; }

  bool failed(std::size_t i) const {
    static const Json no_error = "";
    const Json said = errors_ != nullptr ? (*errors_)[i] : Json();
    return (!said.is_null() && said != no_error) ||
           client_tokens(outputs_[i], "output_lens", name_of(i)) == 0;
  }

  ClientRequest at(std::size_t i) const {
    const std::string where = name_of(i);
    ClientRequest request;
    request.input_tokens = client_tokens(inputs_[i], "input_lens", where);
    request.output_tokens = client_tokens(outputs_[i], "output_lens", where);
    if (timed()) request.sent = client_time((*starts_)[i], "start_times", where);
    request.arrival = request.sent;
    if (timed() && queues_ != nullptr) request.arrival -= client_time((*queues_)[i], "queue_times", where);
    const double ttft = client_time(ttfts_[i], "ttfts", where);
    if (ttft == 0)
      throw InvalidInput(
          fmt::format("{}: 'ttfts' is 0, expected the time of a first token: a backend that streams", where));
    if (!itls_[i].is_array())
      throw InvalidInput(fmt::format("{}: 'itls' is no list, expected one of times", where));
    request.first_token = request.last_token = request.sent + ttft;
    for (const Json& gap : itls_[i]) request.last_token += client_time(gap, "itls", where);
    return request;
  }

 private:
  std::string name_of(std::size_t i) const { return fmt::format("{}: request {}", where_, i); }

  const Json& list_of(const Json& document, const char* key) const {
    if (client_member(document, key) == nullptr)
      throw InvalidInput(fmt::format(
          "{}: '{}' is missing, expected a result of vllm bench serve with save-detailed", where_, key));
    return sized(client_list(document, key, where_), key, document);
  }

  const Json* list_if(const Json& document, const char* key) const {
    if (client_member(document, key) == nullptr) return nullptr;
    return &sized(client_list(document, key, where_), key, document);
  }

  const Json& sized(const Json& list, const char* key, const Json& document) const {
    const std::size_t requests = client_list(document, "input_lens", where_).size();
    if (list.size() != requests)
      throw InvalidInput(fmt::format("{}: {} {}, expected {}: one for each of input_lens", where_,
                                     list.size(), key, requests));
    return list;
  }

  std::string where_;
  const Json &inputs_, &outputs_, &ttfts_, &itls_;
  const Json *starts_, *queues_, *errors_;
};

// "inf", the default, calls for all requests at once.
bool has_finite_rate(const Json& document, const std::string& where) {
  const Json* rate = client_member(document, "request_rate");
  if (rate == nullptr || *rate == "inf") return false;
  return client_number(*rate, "request_rate", where) > 0;
}

}  // namespace

ClientResult read_vllm_bench_result(const Json& document, const std::string& where) {
  const VllmBenchLists lists(document, where);
  ClientResult result;
  ClientRun& run = result.run;
  run.generator = "vllm bench serve";
  run.layout = "vllm_bench";
  run.timed = lists.timed();
  run.max_concurrency = client_count_if(document, "max_concurrency", where);
  run.paced = has_finite_rate(document, where);
  if (const Json* duration = client_member(document, "duration"))
    run.duration = client_time(*duration, "duration", where);
  for (std::size_t i = 0; i < lists.size(); ++i) {
    if (lists.failed(i))
      ++run.failed;
    else
      result.requests.push_back(lists.at(i));
  }
  finish_client_result(result, where);
  return result;
}

}  // namespace warploom
