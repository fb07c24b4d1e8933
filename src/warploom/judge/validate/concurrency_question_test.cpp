// What is judged is what is answered: a judged cell and the question that it holds give the same figures.
#include "warploom/judge/validate/concurrency_question.h"

#include <gtest/gtest.h>

#include "warploom/app/serving/fixed_latency_test.h"
#include "warploom/app/serving/simulate_serving.h"
#include "warploom/base/scratch_folder_test.h"
#include "warploom/judge/validate/validate_concurrency.h"

namespace warploom {
namespace {

constexpr const char* kHeader =
    "id,dump,concurrency,wip,backend,backend_version,model_path,system,precision,mode,isl,osl,"
    "gemm_quant_mode,moe_quant_mode,batch_size,tp_size,pp_size,attention_dp_size,moe_tp_size,moe_ep_size,"
    "prefill_batch_size,prefill_num_workers,"
    "prefill_tp_size,prefill_pp_size,prefill_attention_dp_size,prefill_moe_tp_size,"
    "prefill_moe_ep_size,decode_batch_size,decode_num_workers,decode_tp_size,decode_pp_size,"
    "decode_attention_dp_size,decode_moe_tp_size,decode_moe_ep_size,silicon_ttft_ms,silicon_tpot_ms\n";

// One engine; lengths are drawn, as InferenceX does.
constexpr const char* kOne =
    "2026-03-01.csv,4,0,vllm,0.19.0,meta-llama/Llama-3.1-8B,h100_sxm,bf16,agg,1024,64,,,,1,1,1,"
    ",,,,,,,,,,,,,,,,50,5\n";
// Prefill and decode apart, transfers by NIXL.
constexpr const char* kApart =
    "2026-03-01.csv,8,0,sglang,0.5.10,deepseek-ai/DeepSeek-R1,gb200,fp8,disagg,1024,64,"
    "fp8_block,fp8_block,,,,,,,1,2,8,1,1,1,8,8,1,8,1,1,1,8,500,10\n";

std::vector<ConcurrencyCell> cells_of(const std::string& rows) {
  const ScratchFolder folder;
  ValidateConcurrencyRequest request;
  request.truth = folder.write("truth.csv", kHeader + rows);
  request.commands = true;
  request.threads = 1;
  ConcurrencyValidation found = validate_concurrency(request, fixed_latency());
  std::vector<ConcurrencyCell> cells = std::move(found.cells);
  for (ConcurrencyCell& cell : found.other_cells) cells.push_back(std::move(cell));
  for (const DroppedRows& dropped : found.dropped) ADD_FAILURE() << dropped.reason;
  return cells;
}

void expect_answered_alike(const ConcurrencyCell& cell) {
  ASSERT_TRUE(cell.asked.has_value()) << cell.not_asked;
  const ServingMetrics answered = simulate_serving(*cell.asked, fixed_latency()).run.metrics;
  EXPECT_EQ(cell.ttft.predicted, to_milliseconds(answered.ttft.mean));
  EXPECT_EQ(cell.tpot.predicted, to_milliseconds(answered.tpot.mean));
  EXPECT_EQ(cell.engine_ttft, to_milliseconds(answered.engine_ttft.mean));
}

TEST(ConcurrencyQuestion, OneEngineIsAnsweredAsItIsJudged) {
  const std::vector<ConcurrencyCell> cells = cells_of("a," + std::string(kOne));
  ASSERT_EQ(cells.size(), 1u);
  expect_answered_alike(cells[0]);
  EXPECT_GE(cells[0].ttft.predicted - cells[0].engine_ttft, 7 + 0.8 * 1024 * 3e-3);
}

TEST(ConcurrencyQuestion, TwoPoolsAreAnsweredAsTheyAreJudged) {
  const std::vector<ConcurrencyCell> cells = cells_of("a," + std::string(kApart));
  ASSERT_EQ(cells.size(), 1u);
  expect_answered_alike(cells[0]);
  EXPECT_GT(cells[0].ttft.predicted, 160) << "the handshake of a transfer";
}

TEST(ConcurrencyQuestion, AQuestionIsKeptOnlyWhereItIsAskedFor) {
  const ScratchFolder folder;
  ValidateConcurrencyRequest request;
  request.truth = folder.write("truth.csv", kHeader + ("a," + std::string(kOne)));
  request.threads = 1;
  EXPECT_FALSE(validate_concurrency(request, fixed_latency()).cells.at(0).asked.has_value());
}

}  // namespace
}  // namespace warploom
