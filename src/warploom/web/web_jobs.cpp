// Jobs over HTTP: start, look, follow, end.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/web/served_requests.h"
#include "warploom/web/web_api.h"

namespace warploom {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kEvents = "/events";

// A document that is text already, as a part of another.
Json parsed_answer(const JobView& job) { return job.answer ? parse_json(*job.answer, "answer") : Json(); }

Json job_json(const JobView& job) {
  Json document{{"job", job.id},
                {"request", job.request},
                {"state", name_of(job.state)},
                {"done", job.done},
                {"total", job.total}};
  if (job.answer) document["answer"] = parsed_answer(job);
  if (job.error) document["error"] = error_json(*job.error)["error"];
  return document;
}

// Server-sent events: one line of data.
std::string event_text(std::string_view name, const Json& data) {
  return fmt::format("event: {}\ndata: {}\n\n", name,
                     data.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string last_event(const JobView& job) {
  if (job.state == JobState::Done) return event_text("answer", parsed_answer(job));
  if (job.state == JobState::Failed)
    return event_text("failed", error_json(job.error.value_or(ErrorAnswer{})));
  return event_text("cancelled", {{"answer", parsed_answer(job)}});
}

// What one client has been told of a job.
class JobFollower {
 public:
  JobFollower(const JobQueue& jobs, const WebApiLimits& limits, std::string id)
      : jobs_(jobs), limits_(limits), id_(std::move(id)) {}

  // False when all is said, or the client is gone.
  bool tell(const SendPart& send) {
    JobView job;
    try {
      job = jobs_.view_at_end(id_, limits_.event_gap, next_line_);
    } catch (const NotFound&) {
      return false;  // forgotten while it was followed
    }
    std::string text;
    for (const std::string& line : job.lines) text += event_text("said", {{"line", line}});
    next_line_ = job.next_line;
    if (job.done != done_ || job.total != total_) {
      text += event_text("progress", {{"done", job.done}, {"total", job.total}});
      done_ = job.done;
      total_ = job.total;
    }
    if (job.ended()) {
      send(text + last_event(job));
      return false;
    }
    if (text.empty() && Clock::now() - last_ < limits_.silence) return true;
    last_ = Clock::now();
    return send(text.empty() ? std::string(": still here\n\n") : text);
  }

 private:
  const JobQueue& jobs_;
  const WebApiLimits& limits_;
  std::string id_;
  std::size_t next_line_ = 0;
  double done_ = 0, total_ = 0;
  Clock::time_point last_ = Clock::now();
};

}  // namespace

HttpResponse WebApi::post_job(const HttpRequest& request, std::string_view rest) {
  const std::string name(rest);
  Json asked = asked_in(request, name);
  uploads_.check(asked, served_reach(name));  // what is not there or not allowed is said at once
  const auto id = jobs_.add(name, std::move(asked));
  if (!id)
    throw HttpRefusal(429, "busy",
                      fmt::format("{} jobs run and {} wait, expected another try when one has ended",
                                  settings_.limits.jobs.running, settings_.limits.jobs.waiting));
  return {.status = 202, .body = json_text({{"job", *id}})};
}

HttpResponse WebApi::get_job(const HttpRequest&, std::string_view rest) {
  if (rest.ends_with(kEvents)) return job_events(std::string(rest.substr(0, rest.size() - kEvents.size())));
  return {.body = json_text(job_json(jobs_.view(std::string(rest))))};
}

HttpResponse WebApi::delete_job(const HttpRequest&, std::string_view rest) {
  const std::string id(rest);
  jobs_.cancel(id);
  return {.status = 202, .body = json_text({{"job", id}})};
}

HttpResponse WebApi::job_events(const std::string& id) {
  jobs_.view(id);  // or NotFound, while there is still a status to say it with
  if (streams_->fetch_add(1) >= settings_.limits.streams) {
    --*streams_;
    throw HttpRefusal(
        429, "busy",
        fmt::format("{} streams of events are open, expected GET /api/v1/jobs/ID", settings_.limits.streams));
  }
  // Ends with the stream, however that ends.
  const std::shared_ptr<void> turn(nullptr, [streams = streams_](void*) { --*streams; });
  return {.content_type = "text/event-stream",
          .stream = [turn, follower = std::make_shared<JobFollower>(jobs_, settings_.limits, id)](
                        const SendPart& send) { return follower->tell(send); }};
}

}  // namespace warploom
