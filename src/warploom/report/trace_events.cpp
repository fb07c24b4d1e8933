#include "warploom/report/trace_events.h"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

namespace warploom {
namespace {

std::string quoted(std::string_view text) { return nlohmann::json(text).dump(); }

}  // namespace

void TraceEvents::begin_event(std::string_view kind, std::string_view name, std::int64_t process) {
  text_ += count_++ == 0 ? "" : ",\n";
  fmt::format_to(std::back_inserter(text_), R"({{"ph":"{}","name":{},"pid":{})", kind, quoted(name), process);
}

void TraceEvents::end_event(std::string_view arguments) {
  if (!arguments.empty()) fmt::format_to(std::back_inserter(text_), R"(,"args":{})", arguments);
  text_ += '}';
}

void TraceEvents::name_process(std::int64_t process, std::string_view name) {
  begin_event("M", "process_name", process);
  end_event(fmt::format(R"({{"name":{}}})", quoted(name)));
}

void TraceEvents::name_thread(std::int64_t process, std::int64_t thread, std::string_view name) {
  begin_event("M", "thread_name", process);
  fmt::format_to(std::back_inserter(text_), R"(,"tid":{})", thread);
  end_event(fmt::format(R"({{"name":{}}})", quoted(name)));
}

void TraceEvents::add_slice(std::int64_t process, std::int64_t thread, std::string_view name, double start_us,
                            double duration_us, std::string_view arguments) {
  begin_event("X", name, process);
  fmt::format_to(std::back_inserter(text_), R"(,"tid":{},"ts":{:.3f},"dur":{:.3f})", thread, start_us,
                 duration_us);
  end_event(arguments);
}

void TraceEvents::add_async_slice(std::int64_t process, std::int64_t id, std::string_view category,
                                  std::string_view name, double start_us, double end_us,
                                  std::string_view arguments) {
  begin_event("b", name, process);
  fmt::format_to(std::back_inserter(text_), R"(,"cat":{},"id":{},"ts":{:.3f})", quoted(category), id,
                 start_us);
  end_event(arguments);
  begin_event("e", name, process);
  fmt::format_to(std::back_inserter(text_), R"(,"cat":{},"id":{},"ts":{:.3f})", quoted(category), id, end_us);
  end_event({});
}

void TraceEvents::add_counter(std::int64_t process, std::string_view name, double time_us, double value) {
  begin_event("C", name, process);
  fmt::format_to(std::back_inserter(text_), R"(,"ts":{:.3f})", time_us);
  end_event(fmt::format(R"({{"value":{:.6g}}})", value));
}

std::string TraceEvents::take() {
  count_ = 0;
  return fmt::format("{{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n{}\n]}}\n", std::exchange(text_, {}));
}

}  // namespace warploom
