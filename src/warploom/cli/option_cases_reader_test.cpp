#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/scratch_folder_test.h"
#include "warploom/cli/option_cases_test.h"
#include "warploom/cli/option_inputs_test.h"
#include "warploom/cli/program.h"

namespace warploom {
namespace {

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(' ') + 1 - begin));
}

// "a : b : c", at most `most` parts; the last keeps its colons.
std::vector<std::string> parts_of(std::string_view text, std::size_t most) {
  std::vector<std::string> parts;
  while (parts.size() + 1 < most) {
    const std::size_t at = text.find(" :");
    if (at == std::string_view::npos) break;
    parts.push_back(trimmed(text.substr(0, at)));
    text.remove_prefix(at + 2);
  }
  parts.push_back(trimmed(text));
  return parts;
}

class Reader {
 public:
  OptionCases read(const std::string& text) {
    std::stringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      ++number_;
      if (!line.empty() && line.front() != '#') take(line);
    }
    return std::move(result_);
  }

 private:
  void take(const std::string& line) {
    const std::string kind = line.substr(0, line.find(' '));
    const std::string rest = trimmed(line.substr(std::min(line.size(), kind.size())));
    if (kind == "let") {
      const std::size_t equals = rest.find(" = ");
      require(equals != std::string::npos);
      names_[rest.substr(0, equals)] = expanded(rest.substr(equals + 3));
      return;
    }
    const bool texted = kind == "limit" || kind == "note";
    const std::vector<std::string> parts = parts_of(rest, texted               ? 4
                                                          : kind == "case"     ? 3
                                                          : kind == "learning" ? 1
                                                                               : 2);
    if (kind == "base" && parts.size() == 2) {
      const std::size_t dashes = std::min(parts[0].find(" --"), parts[0].size());
      result_.bases.push_back(
          {parts[0].substr(0, dashes), trimmed(parts[0].substr(dashes)), words_of(expanded(parts[1]))});
    } else if (kind == "learning" && parts.size() == 1) {
      result_.learning = parts[0];
    } else if (kind == "value" && parts.size() == 2) {
      result_.values.push_back({parts[0], parts[1]});
    } else {
      require((kind == "case" && parts.size() == 3) || (texted && parts.size() == 4));
      const std::size_t blank = std::min(parts[1].find(' '), parts[1].size());
      result_.cases.push_back({.commands = parts[0],
                               .option = parts[1].substr(0, blank),
                               .value = trimmed(parts[1].substr(blank)),
                               .line = words_of(expanded(parts[2])),
                               .limit = kind == "limit" ? parts[3] : "",
                               .note = kind == "note" ? parts[3] : ""});
    }
  }

  std::string expanded(const std::string& line) const {
    std::string text;
    std::size_t begin = 0;
    for (std::size_t at = 0; (at = line.find('$', begin)) != std::string::npos;) {
      const std::size_t end =
          std::min(line.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_", at + 1), line.size());
      const auto known = names_.find(line.substr(at + 1, end - at - 1));
      require(known != names_.end());
      text += line.substr(begin, at - begin) + known->second;
      begin = end;
    }
    return text + line.substr(begin);
  }

  void require(bool holds) const {
    if (!holds) throw InvalidInput(fmt::format("cases.txt: line {} cannot be understood", number_));
  }

  std::size_t number_ = 0;
  std::map<std::string, std::string> names_;
  OptionCases result_;
};

// Requests of which every third matters more.
std::string priorities() {
  std::string text = "arrived_s,input_tokens,output_tokens,priority\n";
  for (int i = 0; i < 12; ++i)
    text += fmt::format("{},{},40,{}\n", 0.01 * i, 100 + 40 * i, i % 3 == 2 ? 0 : 5);
  return text;
}

// The head of a table and every `stride`th row.
std::string thinned(const std::filesystem::path& path, std::size_t stride) {
  std::stringstream lines(read_file(path));
  std::string text, line;
  std::size_t row = 0;
  while (std::getline(lines, line))
    if (line.starts_with('#') || row++ % stride == 0) text += line + "\n";
  return text;
}

// The first row, which names columns, and those that begin so: one tile of many.
std::string beginning(const std::filesystem::path& path, const std::string& words) {
  std::stringstream lines(read_file(path));
  std::string text, line;
  while (std::getline(lines, line))
    if (text.empty() || line.starts_with(words)) text += line + "\n";
  return text;
}

// What engines are said to have taken, of a dense model and of a mixture of experts.
void write_real_runs(const ScratchFolder& folder) {
  folder.write("batches.csv",
               "hardware,tp,pp,engine,model,workload,batch_size,output_len,real_prefill_ms,real_decode_ms,"
               "real_total_ms\nH100,1,1,sglang,Qwen2.5-14B,ragged,2,5,10,2,18\n");
  folder.write("small_batches.csv",
               "hardware,tp,pp,engine,model,workload,batch_size,output_len,real_prefill_ms,real_decode_ms,"
               "real_total_ms\nH100,1,1,vllm,Qwen2.5-14B,small,2,5,10,2,18\n");
  folder.write("other_batches.csv",
               "hardware,tp,pp,engine,model,workload,batch_size,output_len,real_prefill_ms,real_decode_ms,"
               "real_total_ms\nH100,1,1,vllm,Qwen2.5-14B,ragged,2,9,10,2,18\n");
  folder.write("mixture_batches.csv",
               "hardware,tp,pp,engine,model,workload,batch_size,output_len,real_prefill_ms,real_decode_ms,"
               "real_total_ms\nH200,1,1,vllm,Qwen/Qwen3-30B-A3B,ragged,2,5,10,2,18\n");
  folder.write("prompts.csv",
               "workload,request,num_prefill_tokens\nragged,0,700\nragged,1,300\nsmall,0,70\nsmall,1,30\n");
  folder.write("other_prompts.csv", "workload,request,num_prefill_tokens\nragged,0,900\nragged,1,300\n");
  folder.write("steps.csv",
               "kind,batch,wall_ms\nprefill,1x64,12\nprefill,1x1000,30\ndecode,4x500,8\ndecode,64x500,11\n");
  folder.write("other_steps.csv", "kind,batch,wall_ms\ndecode,4x500,28\ndecode,64x500,31\n");
  folder.write("run.json", R"({"model": "Llama-3.1-8B", "gpu": "h100_sxm", "vllm_version": "0.19.0",
      "num_requests": 2, "engine_kwargs": {"model": "Llama-3.1-8B", "max_num_seqs": 128,
      "max_num_batched_tokens": 2048}})");
  folder.write("other_run.json", R"({"model": "Llama-3.1-8B", "gpu": "a100_sxm", "vllm_version": "0.19.0",
      "num_requests": 2, "engine_kwargs": {"model": "Llama-3.1-8B", "max_num_seqs": 128,
      "max_num_batched_tokens": 2048}})");
  folder.write("mixture_run.json", R"({"model": "Qwen/Qwen3-30B-A3B", "gpu": "h200_sxm",
      "vllm_version": "0.24.0", "num_requests": 2, "engine_kwargs": {"max_num_seqs": 128}})");
  const std::string header =
      "request_id,arrival_s,input_tokens,output_tokens,queued_s,scheduled_s,first_token_s,last_token_s\n";
  folder.write("requests.csv", header + "a,0,1000,11,0,0,1,2\nb,0.5,200,21,0.5,0.5,1.5,3\n");
  folder.write("other_requests.csv", header + "a,0,1000,11,0,0,2,4\nb,0.5,200,21,0.5,0.5,2.5,4\n");
  const std::string benchmarks =
      "id,dump,concurrency,wip,backend,backend_version,model_path,system,precision,mode,isl,osl,"
      "gemm_quant_mode,moe_quant_mode,tp_size,pp_size,attention_dp_size,moe_tp_size,moe_ep_size,"
      "silicon_ttft_ms,silicon_tpot_ms\n";
  std::string rows;
  for (int i = 1; i <= 3; ++i)
    rows += fmt::format(
        "r{0},2026-01-01.csv,{0},0,vllm,0.19.0,meta-llama/"
        "Llama-3.1-8B,h100_sxm,bf16,agg,128,32,,,1,1,1,,,50,5\n",
        2 * i);
  folder.write("benchmarks.csv", benchmarks + rows);
  folder.write("mixture_benchmarks.csv",
               benchmarks +
                   "m,2026-01-01.csv,2,0,vllm,0.19.0,Qwen/Qwen3-30B-A3B,h200_sxm,bf16,agg,128,32,,,"
                   "1,1,1,1,1,50,5\n");
  folder.write("graph_benchmarks.csv",  // started with graphs of up to 2,048 tokens
               benchmarks +
                   "g,2026-01-01.csv,2,0,vllm,0.19.0,openai/gpt-oss-120b,h100_sxm,fp4,agg,128,32,,,"
                   "2,1,1,2,1,50,5\n");
  folder.write("other_benchmarks.csv", benchmarks + rows.substr(0, rows.find('\n') + 1));
}

void write_inputs(const ScratchFolder& folder) {
  const std::filesystem::path fixtures = std::filesystem::path(WARPLOOM_SOURCE_DIR) / "tests/fixtures";
  folder.write("priorities.csv", priorities());
  folder.write("trace.csv", "arrived_s,input_tokens,output_tokens\n0,300,20\n0.1,500,30\n0.2,200,10\n");
  const std::string vision =
      R"(,"hidden_size":1152,"num_heads":16,"intermediate_size":4304,"out_hidden_size":4096})";
  folder.write("vision.json", "{\"depth\":27" + vision);
  folder.write("other_vision.json", "{\"depth\":12" + vision);
  write_real_runs(folder);
  folder.write("sweep.csv", thinned(fixtures / "collector/h200/sweep/sweep.csv.gz", 20));
  folder.write("anchors.csv", thinned(fixtures / "tuner/gemm_anchors.csv.gz", 1));
  folder.write("second_round.csv", thinned(fixtures / "tuner/gemm_anchors.csv.gz", 5));
  folder.write("grouped_second_round.csv", thinned(fixtures / "tuner/grouped_anchors.csv.gz", 5));
  for (const std::string kind : {"gemm", "grouped", "attention"})
    for (const std::string points : {"anchors", "shapes"}) {
      const std::string name = fmt::format("{}_{}.csv", kind, points);
      folder.write(name, beginning(fixtures / "tuner" / (name + ".gz"),
                                   kind == "attention" ? "64,64," : "64,64,64,4,"));
    }
  folder.write("seen_shapes.csv", thinned(folder.path() / "gemm_shapes.csv", 3));
  for (const std::string kind : {"gemm", "grouped", "attention"})
    folder.write(kind + "_few.csv", thinned(folder.path() / (kind + "_shapes.csv"), 5));
  const auto set_of = [](const char* gpu) {
    return fmt::format(R"([{{"anchors":["gemm_anchors.csv"],"shapes":["gemm_few.csv"]{}}}])", gpu);
  };
  folder.write("sets.json", set_of(""));
  folder.write("sets_of_h100.json", set_of(R"(,"gpu":"H100-SXM")"));
  write_learning_inputs(folder);
  std::filesystem::create_directories(folder.path() / "swept");
  folder.write("swept/sweep.csv", read_file(folder.path() / "h200.csv"));
  folder.write("swept/device.json", read_file(fixtures / "collector/h200/sweep/device.json"));
}

// An input that another command of the program makes for those that read it.
struct MadeInput {
  std::string name;  // of the file or folder in @in
  Words words;       // "@in/NAME" are inputs, made before it
};

const std::vector<MadeInput>& made_inputs() {
  const Words experts = words_of(
      "tune fit --gpu H200 --kind grouped_gemm --samples @in/grouped_anchors.csv --experts 16 --top-k 2");
  const Words timed =
      words_of("moe-config --gpu H200 --experts 128 --top-k 8 --hidden 2048 --intermediate 768 --profile");
  const Words launches = words_of("tuned-files --model Qwen/Qwen3-30B-A3B-FP8 --gpu L40S --profile");
  const auto with = [](Words words, std::string_view more) {
    for (const std::string& word : words_of(more)) words.push_back(word);
    return words;
  };
  static const std::vector<MadeInput> list{
      {"gemm.wlt", words_of("tune fit --gpu H200 --samples @in/gemm_anchors.csv --output @in/gemm.wlt")},
      {"other.wlt",
       words_of("tune fit --gpu H200 --samples @in/gemm_shapes.csv --output @in/other.wlt --no-correction")},
      {"tuned.json", words_of("moe-config --model Qwen3-30B-A3B --gpu H200 --output @in/moe")},
      {"plan.csv", words_of("sweep-plan --gpu H200 --like Llama-3.1-8B --operators 30 --random 30 --output "
                            "@in/plan.csv")},
      {"other.db", words_of("import warploom @src/tests/fixtures/collector/h200/repeat/sweep.csv.gz --store "
                            "@in/other.db")},
      {"ceilings", words_of("train-ceilings --layout warploom --data "
                            "@src/tests/fixtures/collector/h200/check/sweep.csv.gz --family gemm --rows 200 "
                            "--output @in/ceilings")},
      {"rows.db", words_of("import warploom @src/tests/fixtures/collector/h200/check/sweep.csv.gz --store "
                           "@in/rows.db")},
      {"gpus.db", words_of("import warploom @in/gpus.csv --store @in/gpus.db")},
      {"two_gpus.db", words_of("import warploom @in/two_gpus.csv --store @in/two_gpus.db")},
      {"other_gpus.db", words_of("import warploom @in/other_gpus.csv --store @in/other_gpus.db")},
      {"calibrated", words_of("calibrate --gpu H200 --data @in/h200.csv --output @in/calibrated")},
      {"experts1.wlt", with(experts, "--operand-bytes 1 --output @in/experts1.wlt")},
      {"experts2.wlt", with(experts, "--operand-bytes 2 --output @in/experts2.wlt")},
      {"moe.csv", with(timed, "--samples @in/moe.csv --python @in/moe_python")},
      {"other_moe.csv", with(timed, "--samples @in/other_moe.csv --python @in/other_moe_python")},
      {"launches.csv", with(launches, "--samples @in/launches.csv --python @in/tuned_python")},
      {"other_launches.csv",
       with(launches, "--samples @in/other_launches.csv --python @in/other_tuned_python")}};
  return list;
}

// The folder @in; what commands make for it is made when a line first names it.
class Inputs {
 public:
  Inputs() { write_inputs(folder_); }

  std::string path() const { return folder_.path().string(); }

  void make(const std::string& name) {
    for (const MadeInput& input : made_inputs()) {
      if (input.name != name || !made_.insert(name).second) continue;
      Words words = input.words;
      for (std::string& word : words) word = placed(word);
      testing::internal::CaptureStdout();
      testing::internal::CaptureStderr();
      const int status = run_program(words, "test");
      testing::internal::GetCapturedStdout();
      const std::string said = testing::internal::GetCapturedStderr();
      EXPECT_EQ(status, 0) << said;
      if (name == "tuned.json") keep_tuned_times();
    }
  }

  std::string placed(std::string word) const {
    const auto replace = [&](std::string_view name, const std::string& path) {
      if (const std::size_t at = word.find(name); at != std::string::npos)
        word.replace(at, name.size(), path);
    };
    replace("@in", path());
    replace("@src", WARPLOOM_SOURCE_DIR);
    return word;
  }

 private:
  void keep_tuned_times() const {
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path() / "moe"))
      if (entry.path().string().ends_with(".warploom.json"))
        std::filesystem::copy_file(entry.path(), folder_.path() / "tuned.json");
  }

  ScratchFolder folder_;
  std::set<std::string> made_;
};

}  // namespace

Words words_of(std::string_view line) {
  Words words;
  std::string word;
  bool quoted = false, begun = false;
  for (const char c : line) {
    if (c == '\'') {
      quoted = !quoted;
      begun = true;
    } else if (c == ' ' && !quoted) {
      if (begun) words.push_back(word);
      word.clear();
      begun = false;
    } else {
      word += c;
      begun = true;
    }
  }
  if (begun) words.push_back(word);
  return words;
}

OptionCases read_option_cases() {
  return Reader().read(
      read_file(std::filesystem::path(WARPLOOM_SOURCE_DIR) / "tests/fixtures/options/cases.txt"));
}

bool covers(const std::string& commands, const std::string& name) {
  std::stringstream list(commands);
  for (std::string each; std::getline(list, each, ',');)
    if (each == name || (each.ends_with('*') && name.starts_with(each.substr(0, each.size() - 1))))
      return true;
  return false;
}

std::string with_inputs(std::string word) {
  static Inputs inputs;
  if (const std::size_t at = word.find("@in/"); at != std::string::npos) inputs.make(word.substr(at + 4));
  return inputs.placed(word);
}

}  // namespace warploom
