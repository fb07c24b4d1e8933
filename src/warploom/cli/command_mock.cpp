#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "warploom/answers/live_engines.h"
#include "warploom/app/serving/setup_scope.h"
#include "warploom/cli/command.h"
#include "warploom/cli/deployment_options.h"
#include "warploom/cli/help.h"
#include "warploom/cli/options.h"
#include "warploom/cli/setup_options.h"
#include "warploom/manifests/manifest_request.h"
#include "warploom/web/http_server.h"
#include "warploom/web/serve_mock.h"

namespace warploom {
namespace {

// Fields of a run that other options write, or that say what is sent and shown.
const std::vector<std::string> kNotOfFleets{"setup",        "disaggregation", "encoder", "autoscaling",
                                            "failures",     "shared_kv",      "source",  "threads",
                                            "intervals",    "tuned",          "views",   "traced_steps",
                                            "trace_from_s", "goodput",        "details"};

struct MockOptions {
  ServeMockRequest request;
  bool json = false;
};

// The name under which the deployment's model was asked for.
std::string model_in(const Json& asked) {
  const Json& setup = asked.contains("setup") ? asked["setup"] : asked["disaggregation"]["decode"];
  if (setup.contains("model")) return setup["model"].get<std::string>();
  return manifest_outline(setup["manifest"].get<std::string>(), SetupUse::Run).model;
}

std::string words_of(const ServingEngines& engines) {
  const ServingSetup& last = engines.setups.back();
  return fmt::format("{} on {} under {}", last.model.name, last.gpu->name, last.engine_text());
}

void tell(const MockOptions& options, const std::string& served, int port) {
  const std::string url = fmt::format("http://{}:{}", options.request.address, port);
  if (options.json) {
    print(json_text({{"url", url}, {"port", port}, {"model", options.request.settings.model}}));
    return;
  }
  print(fmt::format("{}, simulated, answers as {} at {}/v1 (Ctrl-C ends it)\n", served,
                    options.request.settings.model, url));
}

// Refusals speak of the options that were given, as those of other commands do.
ServingEngines opened(const Json& asked, const GivenNames& names) {
  const Session session{Session::OpenedLater()};
  try {
    const AnswerWatch watch{.said = [](std::string_view line) { print_note("--" + std::string(line)); }};
    return live_engines(session, asked, watch);
  } catch (const FieldRefusal& refusal) {
    throw_in_options(refusal, names);
  }
}

void run_mock(MockOptions options, const Json& asked, const GivenNames& names) {
  ServeMockRequest& request = options.request;
  request.http_library = http_library_path();
  // A start command may name the model in place of --model.
  if (request.settings.model.empty()) request.settings.model = model_in(asked);
  std::string served;
  const auto open = [&] {
    ServingEngines engines = opened(asked, names);
    served = words_of(engines);
    return engines;
  };
  serve_mock(request, open, [&](int port) { tell(options, served, port); });
}

void add_server_options(Command& command, MockOptions& options) {
  const OptionGroup group(command, kServerGroup);
  ServeMockRequest& request = options.request;
  command.add_option("--port", request.port, "0: a free one")->within(0, 65535)->capture_default_str();
  command.add_option("--address", request.address, "of loopback, to answer at")->capture_default_str();
  command.add_option("--served-model-name", request.settings.model,
                     "under which clients ask for the model; default: as --model says");
  command.add_option("--speedup", request.speedup, "simulated seconds in one of the clock")
      ->positive()
      ->capture_default_str();
  command
      .add_option("--bytes-per-token", request.settings.bytes_per_token,
                  "of prompts that come as text; a list of token ids is counted")
      ->positive()
      ->capture_default_str();
  command
      .add_option("--default-output-tokens", request.settings.output_tokens,
                  "of chats that name no max_tokens; every output has all the tokens that it may")
      ->within(1, 1'000'000)
      ->capture_default_str();
  command.add_option("--time-limit", request.time_limit_s, "ends after so many seconds; 0: never [s]")
      ->not_negative();
}

}  // namespace

void add_mock_command(Command& app, const std::string& version) {
  const auto options = std::make_shared<MockOptions>();
  options->request.settings.version = version;
  Command* command =
      app.add_subcommand("mock", "an engine's API (OpenAI's paths) that answers in simulated times");
  add_server_options(*command, *options);
  const SetupOptions setup(*command, SetupUse::Run);
  const RequestCommand::WriteFields write_setup = setup_writer(setup);
  const DeploymentOptions deployment(*command, setup);
  const auto fleet = add_request_options<SimulateRequest>(
      *command, {.skipped = kNotOfFleets, .group = std::string(kFleetGroup)});
  add_json_option(*command, options->json);
  command->callback([options, write_setup, deployment, fleet] {
    Json asked = Json::object();
    GivenNames names;
    write_setup(asked, names);
    deployment.write(asked);
    deployment.name_fields(names);
    fleet->write(asked);
    run_mock(*options, asked, names);
  });
}

}  // namespace warploom
