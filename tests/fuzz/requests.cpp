// What clients ask of the page's server: the short requests, command lines and configurations of engines.
#include <nlohmann/json.hpp>

#include "fuzz_input.h"
#include "warploom/answers/answer.h"
#include "warploom/answers/session.h"
#include "warploom/manifests/lines/engine_command.h"
#include "warploom/web/served_requests.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warploom;
  static const fuzz::Files files;
  static const Session machine("roofline");
  static const Session client(machine, FileScope());  // reaches no file
  static const std::vector<std::string> requests = [] {
    std::vector<std::string> names = served_requests();
    std::erase_if(names, [](const std::string& name) { return !served_reach(name).is_short; });
    return names;
  }();
  const fuzz::Input input(data, size);
  const std::size_t choice = input.choice % (requests.size() + 2);
  fuzz::read_or_refused(input, [&] {
    if (choice == requests.size())
      (void)parse_engine_command(input.bytes, ConfigFiles::Refused);
    else if (choice > requests.size())
      (void)parse_engine_command("vllm serve Qwen/Qwen3-8B --config " +
                                 files.write("engine.yaml", input.bytes).string());
    else
      (void)answer(client, requests[choice], parse_body(input.bytes));
  });
  return 0;
}
