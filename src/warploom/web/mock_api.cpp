#include "warploom/web/mock_api.h"

#include <fmt/format.h>

#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "warploom/base/error.h"
#include "warploom/base/json.h"
#include "warploom/web/error_answer.h"
#include "warploom/web/mock_metrics.h"

namespace warploom {
namespace {

using End = PacedAnswer::End;

// How long a wait for tokens lasts before the client is looked at again.
constexpr std::chrono::milliseconds kLook{500};
// One token in the tokenizers of most models, so that clients that count tokens in texts count these.
constexpr const char* kWord = " word";
// What OpenAI's completions give where nobody says how much.
constexpr std::int64_t kCompletionTokens = 16;

std::string words(std::int64_t count) {
  std::string text;
  for (std::int64_t i = 0; i < count; ++i) text += kWord;
  return text;
}

std::string_view openai_type(int status) {
  if (status == 404) return "NotFoundError";
  if (status == 429) return "RateLimitError";
  if (status == 503) return "ServiceUnavailableError";
  return status >= 500 ? "InternalServerError" : "BadRequestError";
}

// As OpenAI's clients read errors.
Json openai_error(const ErrorAnswer& error) {
  return {{"error",
           {{"message", error.message},
            {"type", openai_type(error.status)},
            {"param", nullptr},
            {"code", error.status}}}};
}

HttpResponse json_response(const Json& document, int status = 200) {
  return {.status = status, .body = document.dump()};
}

ErrorAnswer end_without_answer(End end) {
  if (end == End::TurnedAway) return {429, "", "the engines have no room in their queues"};
  if (end == End::TimedOut) return {503, "", "the request's time is over (request_timeout_s)"};
  return {503, "", "the server was told to end"};
}

// One request on its way; whoever drops it leaves.
class Client {
 public:
  Client(PacedEngines& engines, std::shared_ptr<PacedAnswer> answer, std::string id, std::string model,
         bool chat)
      : engines_(engines),
        answer_(std::move(answer)),
        id_(std::move(id)),
        model_(std::move(model)),
        chat_(chat) {}
  ~Client() { engines_.leave(*answer_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // The whole answer once it is there.
  HttpResponse whole(const HttpRequest& request) {
    End end = End::NotYet;
    while (end == End::NotYet) {
      const PacedAnswer::News news = answer_->wait(kLook);
      for (const PacedAnswer::Output& output : news.outputs) given_ += output.tokens;
      end = news.end;
      if (end == End::NotYet && request.is_gone && request.is_gone()) return {.status = 499};
    }
    if (end != End::Complete) {
      const ErrorAnswer error = end_without_answer(end);
      return json_response(openai_error(error), error.status);
    }
    Json choice{{"index", 0}, {"logprobs", nullptr}, {"finish_reason", "length"}};
    if (chat_)
      choice["message"] = {{"role", "assistant"}, {"content", words(given_)}};
    else
      choice["text"] = words(given_);
    Json document = envelope(chat_ ? "chat.completion" : "text_completion");
    document["choices"] = Json::array({choice});
    document["usage"] = usage();
    return json_response(document);
  }

  // Sends what came; false once all is sent or the client is gone.
  bool send_news(const SendPart& send, bool with_usage) {
    const PacedAnswer::News news = answer_->wait(kLook);
    for (const PacedAnswer::Output& output : news.outputs) {
      const bool first = given_ == 0;
      if (!send(event(chunk(output.tokens)))) return false;
      engines_.note_lag(PacedAnswer::Clock::now() - output.due, first);
    }
    if (news.end == End::NotYet) return true;
    if (news.end != End::Complete) {
      (void)send(event(openai_error(end_without_answer(news.end))));
      return false;
    }
    if (with_usage) {
      Json last = envelope(object_of_chunk());
      last["choices"] = Json::array();
      last["usage"] = usage();
      if (!send(event(last))) return false;
    }
    (void)send("data: [DONE]\n\n");
    return false;
  }

 private:
  static std::string event(const Json& document) { return "data: " + document.dump() + "\n\n"; }
  const char* object_of_chunk() const { return chat_ ? "chat.completion.chunk" : "text_completion"; }

  Json envelope(const char* object) const {
    return {{"id", id_}, {"object", object}, {"created", created_}, {"model", model_}};
  }

  // The tokens of one step of the engine.
  Json chunk(std::int64_t tokens) {
    const bool first = given_ == 0;
    given_ += tokens;
    Json choice{{"index", 0}, {"logprobs", nullptr}, {"finish_reason", nullptr}};
    if (given_ == answer_->output_tokens()) choice["finish_reason"] = "length";
    if (chat_) {
      choice["delta"] = {{"content", words(tokens)}};
      if (first) choice["delta"]["role"] = "assistant";
    } else {
      choice["text"] = words(tokens);
    }
    Json document = envelope(object_of_chunk());
    document["choices"] = Json::array({choice});
    return document;
  }

  Json usage() const {
    return {{"prompt_tokens", answer_->input_tokens()},
            {"completion_tokens", given_},
            {"total_tokens", answer_->input_tokens() + given_}};
  }

  PacedEngines& engines_;
  const std::shared_ptr<PacedAnswer> answer_;
  const std::string id_, model_;
  const bool chat_;
  const std::time_t created_ = std::time(nullptr);
  std::int64_t given_ = 0;
};

bool flag_of(const Json& body, const char* key) {
  if (!body.contains(key) || body[key].is_null()) return false;
  if (!body[key].is_boolean()) throw InvalidInput(fmt::format("{}: expected true or false", key));
  return body[key].get<bool>();
}

std::optional<std::int64_t> count_of(const Json& body, const char* key) {
  if (!body.contains(key) || body[key].is_null()) return std::nullopt;
  const Json& value = body[key];
  const bool fits = value.is_number_integer() &&
                    (!value.is_number_unsigned() || value.get<std::uint64_t>() <= std::uint64_t(INT32_MAX));
  if (!fits || value.get<std::int64_t>() < 1)
    throw InvalidInput(fmt::format("{}: expected a whole number from 1 to {}", key, INT32_MAX));
  return value.get<std::int64_t>();
}

bool is_token_list(const Json& value) {
  return value.is_array() && !value.empty() &&
         std::all_of(value.begin(), value.end(), [](const Json& token) { return token.is_number_integer(); });
}

// Bytes of what a message says: a text, or parts with texts.
std::size_t bytes_of_content(const Json& content) {
  if (content.is_string()) return content.get_ref<const std::string&>().size();
  if (content.is_null()) return 0;
  std::size_t bytes = 0;
  const auto refuse = [] {
    throw InvalidInput(
        "messages: content: expected a text, or a list of {\"type\": \"text\", \"text\": ...}");
  };
  if (!content.is_array()) refuse();
  for (const Json& part : content) {
    if (!part.is_object() || part.value("type", Json()) != Json("text") || !part.contains("text") ||
        !part["text"].is_string())
      refuse();
    bytes += part["text"].get_ref<const std::string&>().size();
  }
  return bytes;
}

}  // namespace

std::int64_t MockApi::prompt_tokens(const Json& body, bool chat) const {
  const auto tokens_of = [&](std::size_t bytes) {
    return std::max<std::int64_t>(1, std::llround(double(bytes) / settings_.bytes_per_token));
  };
  if (chat) {
    if (!body.contains("messages") || !body["messages"].is_array() || body["messages"].empty())
      throw InvalidInput("messages: expected a list of {\"role\": ..., \"content\": ...}");
    std::size_t bytes = 0;
    for (const Json& message : body["messages"]) {
      if (!message.is_object() || !message.contains("content"))
        throw InvalidInput("messages: expected objects with a role and a content");
      bytes += bytes_of_content(message["content"]);
    }
    return tokens_of(bytes);
  }
  const Json* prompt = body.contains("prompt") ? &body["prompt"] : nullptr;
  if (prompt != nullptr && prompt->is_array() && prompt->size() == 1 && !is_token_list(*prompt))
    prompt = &prompt->front();
  if (prompt != nullptr && prompt->is_string())
    return tokens_of(prompt->get_ref<const std::string&>().size());
  if (prompt != nullptr && is_token_list(*prompt)) return std::int64_t(prompt->size());
  throw InvalidInput("prompt: expected one text or one list of token ids");
}

std::int64_t MockApi::output_tokens(const Json& body, bool chat) const {
  if (chat)
    if (const auto limit = count_of(body, "max_completion_tokens")) return *limit;
  return count_of(body, "max_tokens").value_or(chat ? settings_.output_tokens : kCompletionTokens);
}

void MockApi::check_generation(const Json& body) const {
  if (!body.is_object()) throw InvalidInput("body: expected an object");
  if (body.contains("model") && !body["model"].is_null() && body["model"] != Json(settings_.model))
    throw NotFound(fmt::format("The model `{}` does not exist, expected `{}`.",
                               body["model"].is_string() ? body["model"].get<std::string>() : "?",
                               settings_.model));
  for (const char* key : {"n", "best_of"})
    if (count_of(body, key).value_or(1) != 1)
      throw InvalidInput(fmt::format("{}: one answer a request is simulated, expected 1", key));
}

HttpResponse MockApi::generate(const HttpRequest& request, bool chat) {
  if (!request.body_complete)
    throw HttpRefusal(
        413, "too_large",
        fmt::format("body: longer than the {} bytes that are taken here, or too slow", settings_.body_bytes));
  const Json body = parse_json(request.body, "body");
  check_generation(body);
  const bool streams = flag_of(body, "stream");
  const Json options = body.value("stream_options", Json());
  const bool with_usage = options.is_object() && flag_of(options, "include_usage");
  const std::int64_t input = prompt_tokens(body, chat), output = output_tokens(body, chat);
  auto client = std::make_shared<Client>(engines_, engines_.ask(input, output, request.arrived),
                                         fmt::format("{}-{}", chat ? "chatcmpl" : "cmpl", ++asked_),
                                         settings_.model, chat);
  if (!streams) return client->whole(request);
  return {
      .content_type = "text/event-stream; charset=utf-8",
      .headers = {{"Cache-Control", "no-cache"}},
      .stream = [client, with_usage](const SendPart& send) { return client->send_news(send, with_usage); }};
}

HttpResponse MockApi::routed(const HttpRequest& request) {
  if (const auto refused = refused_access(settings_.access, request))
    return json_response(openai_error(*refused), refused->status);
  const std::string& path = request.path;
  const bool chat = path == "/v1/chat/completions";
  if (chat || path == "/v1/completions") {
    if (request.method != "POST")
      throw HttpRefusal(405, "method_not_allowed", fmt::format("{}: expected POST", path));
    return generate(request, chat);
  }
  const bool known = path == "/v1/models" || path == "/health" || path == "/ping" || path == "/version" ||
                     path == "/metrics";
  if (!known)
    throw NotFound(
        "path: unknown, expected /v1/chat/completions, /v1/completions, /v1/models, /health, /version or "
        "/metrics");
  if (request.method != "GET" && request.method != "HEAD")
    throw HttpRefusal(405, "method_not_allowed", fmt::format("{}: expected GET", path));
  if (path == "/metrics")
    return {.content_type = "text/plain; version=0.0.4; charset=utf-8",
            .body = mock_metrics_text(engines_.figures(), settings_.model)};
  if (path == "/version") return json_response({{"version", settings_.version}});
  if (path != "/v1/models") return {.content_type = "text/plain"};
  Json model{{"id", settings_.model}, {"object", "model"}, {"owned_by", "warploom"}};
  if (engines_.max_model_len() > 0) model["max_model_len"] = engines_.max_model_len();
  return json_response({{"object", "list"}, {"data", Json::array({model})}});
}

HttpResponse MockApi::handle(const HttpRequest& request) {
  try {
    return routed(request);
  } catch (...) {
    ErrorAnswer error = error_answer(std::current_exception());
    if (error.status == 422) error.status = 400;  // as engines answer
    return json_response(openai_error(error), error.status);
  }
}

}  // namespace warploom
