// Errors as the API says them: a status and {"error": {"kind": ..., "message": ...}}.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>

#include "warploom/base/json.h"
#include "warploom/web/http_message.h"

namespace warploom {

// Refused for a reason of HTTP: size, method, token, queue.
class HttpRefusal : public std::runtime_error {
 public:
  HttpRefusal(int status, std::string_view kind, const std::string& message)
      : std::runtime_error(message), status_(status), kind_(kind) {}
  int status() const { return status_; }
  const std::string& kind() const { return kind_; }

 private:
  int status_;
  std::string kind_;
};

struct ErrorAnswer {
  int status = 500;
  std::string kind, message;
};

// What a failure is to a client. InvalidInput and IoError: 400. NotFound: 404. Unsupported, and sizes beyond
// memory: 422. Anything else is a fault of the program: 500, without its inner words.
ErrorAnswer error_answer(const std::exception_ptr& error);

Json error_json(const ErrorAnswer& error);
HttpResponse error_response(const ErrorAnswer& error);

}  // namespace warploom
