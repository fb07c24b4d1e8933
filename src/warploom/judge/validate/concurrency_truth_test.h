// Published runs at fixed concurrency as a file, for tests.
#pragma once

#include <string>

#include "warploom/base/scratch_folder_test.h"
#include "warploom/judge/validate/validate_concurrency.h"

namespace warploom {

inline constexpr const char* kTruthHeader =
    "id,dump,concurrency,wip,backend,backend_version,model_path,system,precision,mode,isl,osl,gemm_quant_"
    "mode,moe_"
    "quant_mode,"
    "tp_size,pp_size,attention_dp_size,moe_tp_size,moe_ep_size,silicon_ttft_ms,silicon_tpot_ms\n";
inline constexpr const char* kLlamaTruth =
    "vllm,0.19.0,meta-llama/Llama-3.1-8B,h100_sxm,bf16,agg,128,32,,,1,1,1,,,50,5\n";

struct TruthFile {
  ScratchFolder folder;
  ValidateConcurrencyRequest request;
  explicit TruthFile(const std::string& rows) {
    request.truth = folder.write("truth.csv", kTruthHeader + rows);
    request.threads = 1;
  }
};

}  // namespace warploom
