// Measured rows and stand-ins for Python that the commands of learning and tuning are tried on.
#include "warploom/cli/option_inputs_test.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <string>

namespace warploom {
namespace {

// Gemms of two types by a formula of rates, `scale` times as long.
std::string gemm_rows(const std::string& gpu, double scale, int count,
                      const std::string& framework = "vllm") {
  constexpr std::array<int, 6> kRows{1, 16, 64, 256, 1024, 4096};
  constexpr std::array<int, 5> kColumns{1024, 2048, 4096, 6144, 8192};
  constexpr std::array<int, 4> kDepths{1024, 2048, 4096, 8192};
  std::string text;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const double m = kRows[i % 6] + 8.0 * static_cast<double>(i / 60), n = kColumns[i % 5],
                 k = kDepths[i / 5 % 4];
    const double us = 4 + m * n * k / 3e8 + (m * k + n * k + m * n) / 1.4e6;
    text += fmt::format(
        "{},{},{:.3f},\"{{\"\"family\"\": \"\"gemm\"\", \"\"scheme\"\": \"\"{}\"\", \"\"m\"\": {}, "
        "\"\"n\"\": {}, "
        "\"\"k\"\": {}}}\"\n",
        gpu, framework, scale * us * (1 + 0.01 * static_cast<double>(i * 7 % 13)),
        i % 2 == 0 ? "bf16" : "int8", m, n, k);
  }
  return text;
}

struct TimedExperts {
  std::string measured, tuned;
};

// Expert layers, and what a search over their tiles reached: from two thirds of the time to all of it.
TimedExperts expert_rows() {
  TimedExperts rows{"gpu,framework,latency_us,operator\n", "hardware,M,E,topk,H,N,best_us\n"};
  for (int i = 0; i < 240; ++i) {
    const int tokens = 1 << (i % 12), hidden = 1024 * (1 + i / 12 % 5), width = 512 * (1 + i / 60);
    const double weights = 1.0 * hidden * width;
    const double us = 10 + tokens * weights / 1e7 + weights / 1e4 * (1 + i % 3);
    rows.measured += fmt::format(
        "h200,vllm,{:.3f},\"{{\"\"family\"\": \"\"moe\"\", \"\"tokens\"\": {}, \"\"hidden\"\": {}, "
        "\"\"intermediate\"\": {}, \"\"experts\"\": 64, \"\"top_k\"\": 4, \"\"pass\"\": "
        "\"\"gate_up\"\"}}\"\n",
        us, tokens, hidden, width);
    rows.tuned += fmt::format("H200,{},64,4,{},{},{:.3f}\n", tokens, hidden, width, us * (1 - 0.1 * (i % 4)));
  }
  return rows;
}

// Searches over expert layers of two GPUs, as `train-moe-configs` reads them.
void write_searches(const ScratchFolder& folder, const std::string& prefix, const char* best) {
  std::string gains =
      "hardware,M,E,topk,H,N,best_us,median_config_us,sglang_default_us,sglang_BM,sglang_BN,sglang_BK,"
      "sglang_GM,sglang_num_warps,sglang_num_stages\n";
  std::string near =
      "hardware,M,E,topk,H,N,BLOCK_SIZE_M,BLOCK_SIZE_N,BLOCK_SIZE_K,GROUP_SIZE_M,num_warps,num_stages,"
      "avg_duration_us\n";
  for (const char* gpu : {"A100", "H800"})
    for (int layer = 1; layer <= 8; ++layer)
      for (const int tokens : {1, 64, 4096}) {
        const std::string shape = fmt::format("{},{},8,2,{},{},", gpu, tokens, 512 * layer, 256 * layer);
        gains += shape + (prefix.empty() ? "100,150,125" : "100,170,140") + ",64,64,32,8,4,3\n";
        near += fmt::format("{0}{1},100\n{0}16,32,64,1,4,3,100.5\n", shape, best);
      }
  folder.write(prefix + "gains.csv", gains);
  folder.write(prefix + "near.csv", near);
}

// Notes the words that it was called with, seconds in hundreds; the plan's place is left out.
constexpr const char* kReadWords =
    "#!/bin/sh\n"
    "program=$1; shift; words=$program\n"
    "while [ $# -gt 0 ]; do case \"$1\" in\n"
    "  --plan) plan=$2;; --output) out=$2;; --seconds) words=\"$words $((($2 + 50) / 100))\";;\n"
    "  *) words=\"$words $1 $2\";; esac; shift 2; done\n"
    "echo \"$words\" > \"$out.words\"\n";

// Times every row of a plan by a formula, in place of `python3 profile.py`.
std::string tile_times(const char* formula) {
  return std::string(kReadWords) +
         "[ -f \"$out\" ] || echo bm,bn,bk,warps,stages,m,n,k,median_us,low_us > \"$out\"\n"
         "awk -F, -v OFS=, 'FNR > 1 { t = " +
         formula + "; print $0, t, t }' \"$plan\" >> \"$out\"\n";
}

// The same in place of `python3 moe_profile.py`: every configuration at every token count of its key.
std::string expert_times(const char* formula) {
  return std::string(kReadWords) +
         "echo tokens,bm,bn,bk,warps,stages,group,seed,rounds,median_us > \"$out\"\n"
         "awk -F, -v OFS=, 'FNR == 1 { next }\n"
         "  NR == FNR { if ($1 == \"default\") counts[$2] = counts[$2] \" \" $3; next }\n"
         "  { n = split(counts[$2], each, \" \")\n"
         "    for (i = 1; i <= n; ++i) { us = " +
         formula + "; print each[i], $4, $5, $6, $7, $8, $9, 2, 3, us } }' \"$plan\" \"$plan\" >> \"$out\"\n";
}

// The same in place of `python3 tuned_profile.py`.
std::string launch_times(const char* formula) {
  return std::string(kReadWords) +
         "echo kernel,bytes,experts,top_k,n,k,block_n,block_k,tokens,bm,bn,bk,warps,stages,group,parts,"
         "variant,median_us,"
         "gpu > \"$out\"\n"
         "awk -F, -v OFS=, 'FNR > 1 { us = " +
         formula + "; print $0, us, \"NVIDIA L40S\" }' \"$plan\" >> \"$out\"\n";
}

void write_program(const ScratchFolder& folder, const std::string& name, const std::string& text) {
  folder.write(name, text);
  std::filesystem::permissions(folder.path() / name, std::filesystem::perms::owner_all);
}

}  // namespace

void write_learning_inputs(const ScratchFolder& folder) {
  const std::string head = "gpu,framework,latency_us,operator\n";
  folder.write("h200.csv", head + gemm_rows("h200", 0.9, 120, "warploom"));
  folder.write("other_h200.csv", head + gemm_rows("h200", 0.9, 100, "warploom"));
  folder.write("gpus.csv",
               head + gemm_rows("h100", 1, 120) + gemm_rows("h200", 0.9, 120) + gemm_rows("a100", 2.5, 120));
  folder.write("two_gpus.csv", head + gemm_rows("h100", 1, 120) + gemm_rows("h200", 0.9, 120));
  folder.write("other_gpus.csv",
               head + gemm_rows("h100", 1, 120) + gemm_rows("h200", 0.8, 120) + gemm_rows("l40s", 3, 120));
  folder.write("many.csv", head + gemm_rows("h100", 1, 700) + gemm_rows("h200", 0.9, 700));
  folder.write("impossible.csv", head + gemm_rows("h200", 0.9, 120) + gemm_rows("h200", 0.001, 1));
  const TimedExperts experts = expert_rows();
  folder.write("experts.csv", experts.measured);
  folder.write("families.csv", head + gemm_rows("h100", 1, 240) + gemm_rows("h200", 0.9, 240) +
                                   experts.measured.substr(experts.measured.find('\n') + 1));
  folder.write("tuned_experts.csv", experts.tuned);
  write_searches(folder, "", "16,64,128,1,4,4");
  write_searches(folder, "other_", "16,128,128,1,4,4");
  write_program(folder, "python", tile_times("2 + $6 * $7 * $8 / 1e9"));
  write_program(folder, "other_python", tile_times("3 + $6 * $7 * $8 / 2e9"));
  write_program(folder, "moe_python", expert_times("(10 + each[i]) * (1 + $5 / 500)"));
  write_program(folder, "other_moe_python", expert_times("(10 + each[i]) * (2 - $5 / 500)"));
  write_program(folder, "tuned_python", launch_times("(10 + $9) * (1 + $11 / 500)"));
  write_program(folder, "other_tuned_python", launch_times("(10 + $9) * (2 - $11 / 500)"));
  std::filesystem::create_directories(folder.path() / "package/warploom");
  folder.write("package/warploom/profile.py", "");
  folder.write("package/warploom/moe_profile.py", "");
  folder.write("package/warploom/tuned_profile.py", "");
}

}  // namespace warploom
