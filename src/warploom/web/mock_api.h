// An engine's API over simulated engines: the paths of OpenAI that inference engines answer, and what their
// operators look at.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "warploom/app/serving/paced_engines.h"
#include "warploom/base/json.h"
#include "warploom/web/access.h"
#include "warploom/web/http_message.h"

namespace warploom {

struct MockSettings {
  std::string model;  // under which clients ask for it
  std::string version;
  AccessRules access;                // of a loopback address
  double bytes_per_token = 4;        // of prompts that are text
  std::int64_t output_tokens = 256;  // of requests that say no limit
  std::size_t body_bytes = std::size_t{16} << 20;
};

class MockApi final : public HttpHandler {
 public:
  // `engines` outlives this.
  MockApi(PacedEngines& engines, MockSettings settings) : engines_(engines), settings_(std::move(settings)) {}

  std::size_t body_limit(const HttpRequest&) const override { return settings_.body_bytes; }
  HttpResponse handle(const HttpRequest& request) override;

 private:
  HttpResponse routed(const HttpRequest& request);
  HttpResponse generate(const HttpRequest& request, bool chat);
  std::int64_t prompt_tokens(const Json& body, bool chat) const;
  std::int64_t output_tokens(const Json& body, bool chat) const;
  void check_generation(const Json& body) const;

  PacedEngines& engines_;
  const MockSettings settings_;
  std::atomic<std::uint64_t> asked_{0};
};

}  // namespace warploom
