// Nothing outside the box: whatever text of a request, or of a file that a client sent, names a file of this
// machine, the file is never opened.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "warploom/answers/request_schema.h"
#include "warploom/base/json.h"
#include "warploom/base/scratch_folder_test.h"
#include "warploom/web/served_requests.h"
#include "warploom/web/web_api.h"

namespace warploom {
namespace {

constexpr const char* kConfig =
    R"({"architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
        "num_attention_heads": 4, "intermediate_size": 128, "vocab_size": 1000})";

// Files that say when they are opened.
class Traps {
 public:
  Traps() : watch_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    files_ = {folder_.write("config.json", kConfig), folder_.write("secret.txt", "hunter2"),
              folder_.path() / "pipe"};
    EXPECT_EQ(::mkfifo(files_.back().c_str(), 0600), 0);
    for (const auto& file : files_)
      EXPECT_GE(::inotify_add_watch(watch_, file.c_str(), IN_OPEN | IN_ACCESS), 0) << file;
  }
  ~Traps() { ::close(watch_); }
  Traps(const Traps&) = delete;
  Traps& operator=(const Traps&) = delete;

  const std::filesystem::path& folder() const { return folder_.path(); }
  std::vector<std::string> paths() const {
    std::vector<std::string> paths{folder_.path().string(), "/dev/stdin", "/dev/zero"};
    for (const auto& file : files_) paths.push_back(file.string());
    return paths;
  }
  // The same as they may stand in a text.
  std::vector<std::string> texts() const {
    std::vector<std::string> texts;
    for (const std::string& path : paths()) {
      const Json drafts{{"method", "draft_model"}, {"model", path}, {"num_speculative_tokens", 3}};
      for (const std::string& text : {path, " " + path, path + "=2.5", drafts.dump(), " " + drafts.dump()})
        texts.push_back(text);
    }
    return texts;
  }
  // Since the last call.
  bool opened() const {
    char events[4096];
    return ::read(watch_, events, sizeof events) > 0;
  }

 private:
  ScratchFolder folder_;
  int watch_;
  std::vector<std::filesystem::path> files_;
};

// Every document that is `document` with one text replaced, at any depth.
std::vector<Json> with_each_text(const Json& document, const std::string& text) {
  std::vector<Json> result;
  const Json flat = document.flatten();
  for (const auto& [pointer, value] : flat.items()) {
    if (!value.is_string()) continue;
    Json changed = document;
    changed[Json::json_pointer(pointer)] = text;
    result.push_back(std::move(changed));
  }
  return result;
}

class TrappedFilesTest : public testing::Test {
 protected:
  TrappedFilesTest() : session_("roofline"), api_(session_, {.version = "1.2.3", .words = {}}) {}

  int ask(const std::string& name, const Json& asked) {
    return api_
        .handle(
            {.method = "POST", .path = "/api/v1/answers/" + name, .host = "localhost", .body = asked.dump()})
        .status;
  }
  std::string send(const std::string& name, const std::string& text) {
    const HttpResponse sent = api_.handle({.method = "POST",
                                           .path = "/api/v1/files",
                                           .query = {{"name", name}},
                                           .host = "localhost",
                                           .body = text});
    return Json::parse(sent.body)["file"];
  }

  const Traps traps_;
  const Session session_;
  WebApi api_;
};

const Json kSetup{{"model", "Llama-3.1-8B"}, {"gpu", "H100-SXM"}};

// What is answered soon, so that the text that is put in is all that is wrong with it.
Json least_request(const std::string& name) {
  Json asked = kSetup;
  if (name == "step") asked["decode"] = "1x10";
  if (name == "simulate") asked.update({{"requests", 2}, {"intervals", false}, {"acceptance_length", 2}});
  if (name == "predict") asked = {{"gpu", "H100-SXM"}, {"family", "gemm"}, {"m", 1}, {"n", 64}, {"k", 64}};
  if (name == "plan")
    asked = {{"model", "Llama-3.1-8B"}, {"gpu_names", {"H100-SXM"}},   {"rate", 1},
             {"requests", 5},           {"slo", {"ttft_p95_ms=1000"}}, {"max_gpus", 1}};
  if (name == "support") asked = {{"supported_models", {"Qwen3-0.6B"}}, {"supported_gpus", {"H100-SXM"}}};
  if (name == "prices") asked = Json::object();
  for (const char* kind : {"validate", "tune", "moe"})
    if (name.starts_with(kind)) asked = Json::object();
  return asked;
}

void list_texts(const FieldTable& table, std::vector<const Field*>& texts) {
  for (const Field& field : table.fields) {
    if (field.nested) list_texts(*field.nested, texts);
    if ((field.kind == FieldKind::Text || field.kind == FieldKind::TextList) && field.choices.empty())
      texts.push_back(&field);
  }
}

TEST_F(TrappedFilesTest, NoFieldOfARequestOpensAFileOfTheMachine) {
  for (const DescribedRequest& request : described_requests()) {
    const std::vector<std::string> served = served_requests();
    if (std::find(served.begin(), served.end(), request.name) == served.end()) continue;
    std::vector<const Field*> fields;
    list_texts(*request.table, fields);
    for (const Field* field : fields)
      for (const std::string& text : traps_.texts()) {
        Json asked = least_request(request.name);
        asked[field->name] = field->kind == FieldKind::Text ? Json(text) : Json::array({text});
        ask(request.name, asked);
        ASSERT_FALSE(traps_.opened()) << request.name << ": " << field->name << " " << text;
      }
  }
}

TEST_F(TrappedFilesTest, DraftsBehindABlankOpenNoFile) {
  Json asked = least_request("simulate");
  EXPECT_EQ(ask("simulate", {{"model", "Llama-3.1-8B"}, {"gpu", "H100-SXM"}, {"requests", 2}}), 200);
  asked["speculative_config"] =
      Json{{"method", "draft_model"}, {"model", "Qwen3-0.6B"}, {"num_speculative_tokens", 3}}.dump();
  EXPECT_EQ(ask("simulate", asked), 200);
  for (const char* blank : {"", " ", "\n\t"}) {
    const Json drafts{
        {"method", "draft_model"}, {"model", traps_.folder().string()}, {"num_speculative_tokens", 3}};
    asked["speculative_config"] = blank + drafts.dump();
    EXPECT_EQ(ask("simulate", asked), 404);
    EXPECT_FALSE(traps_.opened());
  }
}

TEST_F(TrappedFilesTest, NoTextOfARunOpensAFileOfTheMachine) {
  const std::string requests =
      send("requests.csv",
           "request_id,arrival_s,input_tokens,output_tokens,queued_s,scheduled_s,first_token_s,last_token_s\n"
           "a,0,1000,11,0,0,1,2\n");
  const Json run{
      {"model", "Llama-3.1-8B"},
      {"gpu", "h100_sxm"},
      {"vllm_version", "0.19.0"},
      {"engine_kwargs", {{"quantization", "fp8"}, {"load_format", "dummy"}, {"speculative_config", "x"}}}};
  Json plain = run;
  plain["engine_kwargs"] = Json::object();
  EXPECT_EQ(ask("validate_serving", {{"run", send("run.json", plain.dump())}, {"requests", requests}}), 200);
  for (const Json& whole : {plain, run})
    for (const std::string& text : traps_.texts())
      for (const Json& trapped : with_each_text(whole, text)) {
        const int status =
            ask("validate_serving", {{"run", send("run.json", trapped.dump())}, {"requests", requests}});
        EXPECT_TRUE(status == 400 || status == 404 || status == 422 || trapped["vllm_version"] == text)
            << status << trapped;
        ASSERT_FALSE(traps_.opened()) << trapped;
      }
}

TEST_F(TrappedFilesTest, NoCellOfATableOpensAFileOfTheMachine) {
  const std::string workload = send("w.csv", "workload,request,num_prefill_tokens\nr,0,700\nr,1,300\n");
  const std::vector<std::string> cells{"H100", "1",  "1", "sglang", "Llama-3.1-8B", "r", "2",
                                       "5",    "10", "2", "18"};
  const auto truth = [&](std::size_t trapped, const std::string& text) {
    std::string csv =
        "hardware,tp,pp,engine,model,workload,batch_size,output_len,real_prefill_ms,real_decode_ms,"
        "real_total_ms\n";
    for (std::size_t i = 0; i < cells.size(); ++i)
      csv += (i == 0 ? "" : ",") + (i == trapped ? Json(text).dump() : cells[i]);
    return send("truth.csv", csv + "\n");
  };
  EXPECT_EQ(ask("validate_static", {{"truth", truth(cells.size(), "")}, {"requests", workload}}), 200);
  for (const std::string& path : traps_.paths())
    for (const std::size_t column : {0U, 3U, 4U, 5U}) {
      EXPECT_NE(ask("validate_static", {{"truth", truth(column, path)}, {"requests", workload}}), 200);
      ASSERT_FALSE(traps_.opened()) << column << path;
    }
}

TEST_F(TrappedFilesTest, NoTextOfARecordOpensAFileOfTheMachine) {
  const auto shipped = [](const char* file) {
    return read_json_file(std::filesystem::path(WARPLOOM_SOURCE_DIR) / "data" / file);
  };
  Json own = shipped("gpus/h100_sxm.json");
  own["name"] = "own_gpu";
  own["aliases"] = {"own"};
  const std::vector<std::pair<std::string, Json>> records{
      {"gpu", own}, {"model", Json::parse(kConfig)}, {"host_profile", shipped("hosts/xeon_16_cores.json")}};
  for (const auto& [field, record] : records) {
    Json asked = least_request("step");
    asked[field] = send("record.json", record.dump());
    const int whole = ask("step", asked);
    EXPECT_TRUE(whole == 200) << field << whole;
    for (const std::string& path : traps_.paths())
      for (const Json& trapped : with_each_text(record, path)) {
        asked[field] = send("record.json", trapped.dump());
        ask("step", asked);
        ASSERT_FALSE(traps_.opened()) << field << trapped;
      }
  }
}

TEST_F(TrappedFilesTest, AClientsOwnFilesAreRead) {
  Json asked = least_request("step");
  asked["model"] = send("config.json", kConfig);
  EXPECT_EQ(ask("step", asked), 200);
  asked["model"] = traps_.folder().string();
  EXPECT_NE(ask("step", asked), 200);
}

}  // namespace
}  // namespace warploom
