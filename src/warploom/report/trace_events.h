// Chrome trace events (JSON), as ui.perfetto.dev and chrome://tracing open them. Times in microseconds.
// Format: the public "Trace Event Format" of the Catapult project.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace warploom {

// Builds one document event by event. Names and texts are escaped; numbers are finite.
class TraceEvents {
 public:
  void name_process(std::int64_t process, std::string_view name);
  void name_thread(std::int64_t process, std::int64_t thread, std::string_view name);
  // A slice; slices of one thread nest by time. `arguments` is a JSON object or empty.
  void add_slice(std::int64_t process, std::int64_t thread, std::string_view name, double start_us,
                 double duration_us, std::string_view arguments = {});
  // A slice on a track of its own, shared with others of the same id.
  void add_async_slice(std::int64_t process, std::int64_t id, std::string_view category,
                       std::string_view name, double start_us, double end_us,
                       std::string_view arguments = {});
  void add_counter(std::int64_t process, std::string_view name, double time_us, double value);

  std::int64_t count() const { return count_; }
  // The whole document; the builder is empty afterwards.
  std::string take();

 private:
  void begin_event(std::string_view kind, std::string_view name, std::int64_t process);
  void end_event(std::string_view arguments);

  std::string text_;
  std::int64_t count_ = 0;
};

}  // namespace warploom
