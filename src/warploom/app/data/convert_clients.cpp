#include "warploom/app/data/convert_clients.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/base/request_fields.h"

namespace warploom {

FieldTable ConvertClientsRequest::describe() {
  using R = ConvertClientsRequest;
  const auto seconds = [](std::string_view doc) {
    return FieldOptions{.unit = "s", .doc = doc, .min = 0, .max = 1e9};
  };
  return RequestFields<R>("convert_clients")
      .add("client_layout", &R::layout, {.doc = "whose files they are", .required = true})
      .add("path", &R::path,
           {.doc = "a folder of one model of ServeGen, or the YAML of inference-perf", .required = true})
      .add("output", &R::output, {.doc = "the file of clients", .required = true})
      .add("from_s", &R::from, seconds("begin of the part of a ServeGen folder that is taken"))
      .add("to_s", &R::to, seconds("its end; 0: a day after the begin"))
      .table();
}

ClientMix convert_clients(const ConvertClientsRequest& request) {
  const bool servegen = request.layout == ClientLayout::ServeGen;
  if (!servegen && (request.from.value() > 0 || request.to.value() > 0))
    throw InvalidInput(
        "from_s, to_s: choose a part of a ServeGen folder, expected neither with inference-perf");
  if (request.to.value() > 0 && request.to <= request.from)
    throw InvalidInput(fmt::format("to_s is {}, expected above from_s, which is {}", request.to.value(),
                                   request.from.value()));
  const ClientMix mix = servegen ? servegen_clients(request.path, request.from, request.to)
                                 : inference_perf_clients(request.path);
  write_json_file(request.output, client_mix_to_json(mix));
  return mix;
}

}  // namespace warploom
