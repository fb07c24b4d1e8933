// Recorded loads: CSV, JSON and one JSON object a line.
#include "fuzz_input.h"
#include "warploom/serving/workload/trace_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warploom;
  static const fuzz::Files files;
  const fuzz::Input input(data, size);
  constexpr const char* kNames[] = {"trace.csv", "trace.json", "trace.jsonl"};
  fuzz::read_or_refused(input, [&] {
    const auto trace = read_trace_file(files.write(kNames[input.choice % 3], input.bytes));
    for (const auto& request : trace.workload.requests)
      if (request.input_tokens < 1 || request.output_tokens < 1) std::abort();
  });
  return 0;
}
