// Hyper-connections: a row holds all calls of a layer.
#include "warploom/measurements/internal/aiconfigurator.h"

namespace warploom {
namespace {

constexpr double kSites = 2;  // of a layer: before its attention and before its feed-forward

// TensorRT-LLM has three kernels and others have several in brackets: the number of tokens decides between
// them, so they are one.
constexpr std::string_view kTrtllmPre = "trtllm_mhc_pre";
std::string_view kernel_of(std::string_view source) {
  return source.starts_with(kTrtllmPre) ? kTrtllmPre : source.substr(0, source.find('['));
}

double calls_of(HyperConnectionPart part) {
  return part == HyperConnectionPart::Expand || part == HyperConnectionPart::Contract ? 1 : kSites;
}

void read_calls(Table& table, RowSink& sink) {
  const AiconfiguratorColumns columns(table);
  const std::size_t part = table.column("op_name"), streams = table.column("hc_mult"),
                    hidden = table.column("hidden_size"), tokens = table.column("num_tokens");
  for_each_row(table, sink, columns, [&](const AiconfiguratorRow& row) {
    const HyperConnection op{.part = parse_enum<HyperConnectionPart>(table.text(part), table.location()),
                             .tokens = table.positive(tokens),
                             .hidden = table.positive(hidden),
                             .streams = table.positive(streams)};
    row.add(op, {.kernel = kernel_of(row.context.kernel),
                 .latency = Seconds(row.latency().value() / calls_of(op.part))});
  });
}

std::vector<TableFormat> tables() {
  return {aiconfigurator_table("mhc", {HyperConnection::kNames[0].family}, read_calls)};
}

}  // namespace

constinit const AiconfiguratorTables kHyperConnectionTables{tables};

}  // namespace warploom
