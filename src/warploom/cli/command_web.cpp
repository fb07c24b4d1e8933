#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "warploom/app/predict/predictor_hash.h"
#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/cli/build_commit.h"
#include "warploom/cli/command.h"
#include "warploom/cli/help.h"
#include "warploom/cli/options.h"
#include "warploom/cli/page_words.h"
#include "warploom/cli/start_browser.h"
#include "warploom/web/http_server.h"
#include "warploom/web/serve_page.h"

namespace warploom {
namespace {

struct WebOptions {
  ServeRequest request;
  std::string token_file;
  bool browser = true, json = false;
};

// A token is one word of a header.
std::string token_in(const std::string& path) {
  std::string token = read_file(path);
  while (!token.empty() && (token.back() == '\n' || token.back() == '\r')) token.pop_back();
  return token;
}

void check_token(const std::string& token, const char* option) {
  constexpr std::size_t kShortest = 16;
  const bool one_word = token.find_first_of(" \t\r\n#&%\"'<>") == std::string::npos;
  if (token.size() < kShortest || !one_word)
    throw InvalidInput(
        fmt::format("{}: expected one word of at least {} characters without quotes, '#', '&' and '%'",
                    option, kShortest));
}

void check_host_name(const std::string& name) {
  const bool plain = !name.empty() && name.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789.-") == std::string::npos;
  if (!plain)
    throw InvalidInput(
        fmt::format("--host-name: '{}' is no name of a host, expected one like plan.example.org", name));
}

// A name of this machine that others know: one that was given, else its first address beyond loopback. Empty:
// there is none.
std::string outside_name(const ServeRequest& request) {
  if (!request.host_names.empty()) return request.host_names.front();
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) != 0) return "";
  struct Free {
    void operator()(ifaddrs* list) const { ::freeifaddrs(list); }
  };
  const std::unique_ptr<ifaddrs, Free> all(first);
  for (const ifaddrs* each = all.get(); each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr == nullptr || each->ifa_addr->sa_family != AF_INET) continue;
    if ((each->ifa_flags & IFF_LOOPBACK) != 0 || (each->ifa_flags & IFF_UP) == 0) continue;
    std::array<char, NI_MAXHOST> name{};
    if (::getnameinfo(each->ifa_addr, sizeof(sockaddr_in), name.data(), name.size(), nullptr, 0,
                      NI_NUMERICHOST) == 0)
      return name.data();
  }
  return "";
}

void tell(const WebOptions& options, const ServedAt& at) {
  if (!at.loopback)
    print_note(fmt::format(
        "warning: {} is no loopback address: whoever reaches port {} and knows the token can run predictions "
        "here, and the traffic is not encrypted",
        options.request.address, at.port));
  if (options.json) {
    Json document{{"url", at.url}, {"address", options.request.address}, {"port", at.port}};
    if (!at.token.empty()) document["token"] = at.token;
    print(json_text(document));
  } else {
    print(fmt::format("Warploom answers at {} (Ctrl-C ends it)\n", at.url));
    const std::string here = "//localhost:";
    const std::size_t host = at.url.find(here);
    const std::string outside = at.loopback || host == at.url.npos ? "" : outside_name(options.request);
    if (!outside.empty())
      print(fmt::format("from other machines: {}//{}:{}\n", at.url.substr(0, host), outside,
                        at.url.substr(host + here.size())));
  }
  if (options.browser && ::isatty(STDOUT_FILENO) == 1) start_browser(at.url);
}

void run_web(WebOptions& options) {
  ServeRequest& request = options.request;
  if (!options.token_file.empty()) request.token = token_in(options.token_file);
  if (!request.token.empty() || !options.token_file.empty())
    check_token(request.token, options.token_file.empty() ? "--token" : "--token-file");
  for (const std::string& name : request.host_names) check_host_name(name);
  request.http_library = http_library_path();
  request.words = page_words();
  request.commit = build_commit();
  request.predictor_hash = predictor_hash_text(request.predictor);
  if (serve_page(request, [&](const ServedAt& at) { tell(options, at); })) return;
  print_note("a job that cannot be interrupted was left behind");
  std::_Exit(0);
}

}  // namespace

void add_web_command(Command& app, const std::string& version) {
  const auto options = std::make_shared<WebOptions>();
  options->request.version = version;
  Command* command = app.add_subcommand("web", "a page to explore all this, and its JSON API");
  {
    const OptionGroup group(*command, kServerGroup);
    command->add_option("--port", options->request.port, "0: a free one")
        ->within(0, 65535)
        ->capture_default_str();
    command
        ->add_option(
            "--address", options->request.address,
            "of this machine to answer at; beyond loopback a token is needed, and made up without --token")
        ->capture_default_str();
    Option* token =
        command->add_option("--token", options->request.token,
                            "asked of every request of the API; other users of this machine can see it here");
    command->add_option("--token-file", options->token_file, "the same, from a file")->excludes(token);
    command->add_option("--host-name", options->request.host_names,
                        "a name under which browsers may call this server, for example behind a proxy");
    command->add_flag("--no-browser", options->browser, "does not open the page in a browser");
    command
        ->add_option("--time-limit", options->request.time_limit_s,
                     "ends after so many seconds; 0: never [s]")
        ->not_negative();
  }
  {
    const OptionGroup group(*command, kModelGroup);
    command->add_option("--predictor", options->request.predictor,
                        "a folder that `train` wrote, or roofline");
  }
  add_json_option(*command, options->json);
  command->callback([options] { run_web(*options); });
}

}  // namespace warploom
