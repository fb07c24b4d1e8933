#include "warploom/web/error_answer.h"

#include <algorithm>
#include <new>
#include <nlohmann/json.hpp>

#include "warploom/base/error.h"

namespace warploom {
namespace {

// Bytes of a request may stand in a message: one line, without controls.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; },
      ' ');
  return text;
}

}  // namespace

ErrorAnswer error_answer(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const HttpRefusal& refusal) {
    return {refusal.status(), refusal.kind(), one_line(refusal.what())};
  } catch (const NotFound& unknown) {
    return {404, "not_found", one_line(unknown.what())};
  } catch (const Unsupported& refused) {
    return {422, "unsupported", one_line(refused.what())};
  } catch (const IoError& unread) {
    return {400, "io_error", one_line(unread.what())};
  } catch (const Error& wrong) {
    return {400, "invalid_input", one_line(wrong.what())};
  } catch (const std::bad_alloc&) {
    return {422, "too_large", "sizes this large do not fit into this machine's memory"};
  } catch (const std::length_error&) {
    return {422, "too_large", "a size lies beyond all memory"};
  } catch (...) {
    return {500, "internal", "the program failed on this request"};
  }
}

Json error_json(const ErrorAnswer& error) {
  return {{"error", {{"kind", error.kind}, {"message", error.message}}}};
}

HttpResponse error_response(const ErrorAnswer& error) {
  return {.status = error.status, .body = json_text(error_json(error))};
}

}  // namespace warploom
