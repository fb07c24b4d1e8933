// What warploom-judge alone reads: truths that serving is judged by, and the published method's tables. The
// judge is half of the toolkit and is compiled for these alone, so that a moment's look with sanitizers
// (.ci/run) leaves them to tools/nightly.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "../damage.h"
#include "../own_words.h"
#include "warploom/base/json.h"
#include "warploom/base/scratch_folder_test.h"
#include "warploom/judge/regret/tile_table.h"
#include "warploom/judge/validate/concurrency_exclusions.h"
#include "warploom/judge/validate/validate_concurrency.h"
#include "warploom/judge/validate/validate_static.h"

namespace warploom::damage {
namespace {

void expect_truth(const std::string& name, const std::string& sound,
                  const std::function<void(const std::filesystem::path&)>& read) {
  const ScratchFolder folder;
  expect_sound_or_refused(
      {.name = name, .kind = Kind::Csv, .sound = sound, .read = [&](const std::string& bytes) {
         read(folder.write(name, bytes));
       }});
}

TEST(DamagedTruths, AreReadOrRefused) {
  expect_truth("static.csv",
               "hardware,tp,pp,engine,model,workload,batch_size,output_len,real_prefill_ms,real_decode_ms,"
               "real_total_ms\n"
               "H100,1,1,vllm,Llama,a,8,128,90,1000,1090\n",
               [](const auto& path) { read_static_truth(path); });
  expect_truth("workloads.csv", "workload,num_prefill_tokens\na,100\na,120\nb,3\n",
               [](const auto& path) { read_static_workloads(path); });
  expect_truth(
      "runs.csv",
      "id,dump,concurrency,wip,backend,backend_version,model_path,system,precision,mode,isl,osl,gemm_"
      "quant_mode,"
      "moe_quant_mode,tp_size,pp_size,attention_dp_size,moe_tp_size,moe_ep_size,silicon_ttft_ms,"
      "silicon_tpot_ms\n"
      "1,d,8,0,vllm,0.24.0,meta-llama/Llama-3.1-8B,h200_sxm,bf16,agg,1024,1024,,,1,1,1,,,90,9.5\n",

      [](const auto& path) { sort_rows(read_concurrency_truth(path), concurrency_rules()); });
}

// What the published method writes of a few samples.
Json published_table() {
  std::vector<TileSample> samples;
  for (const std::int64_t tiles : {4, 12, 16, 20})
    for (const std::int64_t loop : {4, 64})
      samples.push_back(
          {{128, 128, 64, 8, 3, 1}, {tiles * 128, tiles * 128, loop * 64}, double(tiles * loop)});
  const ScratchFolder folder;
  const auto path = folder.path() / "table.json";
  WaveTuneTable(fit_wavetune({}, {}, samples)).write(path);
  return read_json_file(path);
}

TEST(DamagedWaveTuneTables, AreReadOrRefused) {
  expect_sound_or_refused({.name = "table.json",
                           .kind = Kind::Json,
                           .sound = published_table().dump(),
                           .read = [&](const std::string& bytes) {
                             const auto table = WaveTuneTable::from_json(parse_json(bytes, "table"), "table");
                             for (const std::int64_t size : {1, 100, 4096, 2147483647}) {
                               const TilePick pick = table.pick({size, size, size});
                               if (!std::isfinite(pick.predicted_us) || pick.predicted_us < 0)
                                 throw std::runtime_error("a time that is not finite");
                             }
                           }});
}

TEST(WrongWaveTuneTypes, AreRefusedInOwnWords) {
  expect_own_words("published table", published_table(),
                   [](const Json& document) { (void)WaveTuneTable::from_json(document, "table"); });
}

}  // namespace
}  // namespace warploom::damage
