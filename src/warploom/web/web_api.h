// The JSON API and the page's files over HTTP: which path is answered by what.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/answers/session.h"
#include "warploom/web/access.h"
#include "warploom/web/command_words.h"
#include "warploom/web/http_message.h"
#include "warploom/web/job_queue.h"
#include "warploom/web/upload_store.h"

namespace warploom {

struct WebApiLimits {
  std::size_t body_bytes = std::size_t{1} << 20;  // of everything but a file
  std::size_t questions = 1000;                   // of one POST /answers
  std::size_t long_answers = 4;                   // at a time, beside jobs
  std::int64_t simulated_requests = 2'000'000;    // of one run, about a gigabyte
  std::chrono::seconds answer_time{60};           // of one of those that look at the clock
  std::size_t streams = 16;                       // of events at a time
  std::chrono::milliseconds event_gap{100};       // between two words on progress
  std::chrono::seconds silence{15};               // after which a stream says that it lives
  JobLimits jobs;
  UploadLimits uploads;
};

struct WebApiSettings {
  std::string version, commit, predictor_hash;  // commit: empty where it is unknown
  AccessRules access;
  CommandWords words;
  WebApiLimits limits;
};

class WebApi final : public HttpHandler {
 public:
  // Clients are answered by the session's predictor and reach no file but their own. Throws IoError where no
  // folder for uploads can be made.
  WebApi(const Session& session, WebApiSettings settings);
  ~WebApi() override;

  std::size_t body_limit(const HttpRequest& head) const override;
  HttpResponse handle(const HttpRequest& request) override;

  const UploadStore& uploads() const { return uploads_; }
  void forget_files() { uploads_.clear(); }
  // Answers on their way end as soon as they look. Then as JobQueue::close.
  bool end_answers(std::chrono::milliseconds patience) {
    ending_ = true;
    return jobs_.close(patience);
  }

 private:
  struct Route;
  static const std::vector<Route>& routes();
  HttpResponse routed(const HttpRequest& request);

  // `rest`: what follows the route's path.
  HttpResponse get_version(const HttpRequest& request, std::string_view rest);
  HttpResponse get_requests(const HttpRequest& request, std::string_view rest);
  HttpResponse get_schemas(const HttpRequest& request, std::string_view rest);
  HttpResponse get_openapi(const HttpRequest& request, std::string_view rest);
  HttpResponse get_accuracy(const HttpRequest& request, std::string_view rest);
  HttpResponse get_leaderboard(const HttpRequest& request, std::string_view rest);
  HttpResponse post_answer(const HttpRequest& request, std::string_view rest);
  HttpResponse post_questions(const HttpRequest& request, std::string_view rest);
  HttpResponse post_job(const HttpRequest& request, std::string_view rest);
  HttpResponse get_job(const HttpRequest& request, std::string_view rest);
  HttpResponse delete_job(const HttpRequest& request, std::string_view rest);
  HttpResponse post_command_line(const HttpRequest& request, std::string_view rest);
  HttpResponse post_engine_command(const HttpRequest& request, std::string_view rest);
  HttpResponse post_start_command(const HttpRequest& request, std::string_view rest);
  HttpResponse post_file(const HttpRequest& request, std::string_view rest);
  HttpResponse get_file(const HttpRequest& request, std::string_view rest);

  // What a failure is to a client, without this server's paths.
  ErrorAnswer failure(const std::exception_ptr& error) const;
  // The fields in the body, checked for what may be asked here.
  Json asked_in(const HttpRequest& request, std::string_view name) const;
  // `asked` with "upload:ID"; the document gets `files` where the answer wrote one.
  Json answered(const std::string& name, const Json& asked, const AnswerWatch& watch);
  Json answered_question(const Json& question);
  Json answer_within_time(const HttpRequest& request, const std::string& name, const Json& asked,
                          const std::function<void(std::string_view)>& noted);
  HttpResponse job_events(const std::string& id);

  WebApiSettings settings_;
  UploadStore uploads_;
  Session session_;  // its files are those of uploads_
  std::atomic<std::size_t> long_answers_{0};
  std::atomic<bool> ending_{false};
  std::shared_ptr<std::atomic<std::size_t>> streams_ = std::make_shared<std::atomic<std::size_t>>(0);
  JobQueue jobs_;  // last: its threads use the rest
};

}  // namespace warploom
