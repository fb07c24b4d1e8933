// From what C++ throws to what C is told.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>

#include "warploom/base/error.h"
#include "warploom/capi/warploom.h"

namespace warploom {

// Writes `what` into the caller's message, cut to its size.
inline warploom_status told(warploom_status status, const char* what, char* message, std::size_t size) {
  if (message != nullptr && size > 0) {
    const std::size_t length = std::min(size - 1, std::strlen(what));
    std::memcpy(message, what, length);
    message[length] = '\0';
  }
  return status;
}

// Runs `work`; nothing leaves it but a status.
template <class Work>
warploom_status guarded(char* message, std::size_t size, const Work& work) noexcept {
  try {
    work();
    return told(WARPLOOM_OK, "", message, size);
  } catch (const IoError& error) {
    return told(WARPLOOM_IO_ERROR, error.what(), message, size);
  } catch (const Unsupported& error) {
    return told(WARPLOOM_UNSUPPORTED, error.what(), message, size);
  } catch (const Error& error) {
    return told(WARPLOOM_BAD_INPUT, error.what(), message, size);
  } catch (const std::exception& error) {
    return told(WARPLOOM_FAILED, error.what(), message, size);
  } catch (...) {
    return told(WARPLOOM_FAILED, "unknown failure", message, size);
  }
}

}  // namespace warploom
