#include "warploom/cli/examples.h"

#include <fmt/format.h>

#include <array>

namespace warploom {
namespace {

struct Example {
  std::string_view command;  // whose help shows it
  std::string_view line;     // without "warploom"
};

constexpr std::array<Example, 137> kExamples{{
    {"", "simulate --model Llama-3.1-8B --gpu H100-SXM"},
    {"", "step --model Qwen3-32B --gpu H200 --tp 2 --decode 64x2000"},
    {"", "predict gemm --gpu B200 --m 4096 --n 4096 --k 4096"},
    {"simulate", "simulate --model Llama-3.1-8B --gpu H100-SXM"},
    {"simulate", "simulate --model Qwen3-32B --gpu H200 --tp 2 --random-input-len 2000 --max-concurrency 64"},
    {"simulate", "simulate --gpu B200 --from-command 'vllm serve openai/gpt-oss-120b' --request-rate 8"},
    {"curve", "curve --model Llama-3.1-8B --gpu H100-SXM --isl 1000 --max-concurrencies 1,4,16,64"},
    {"curve", "curve --model Qwen3-32B --gpu H200 --engines vllm,sglang --request-rates 1,2,4"},
    {"mock", "mock --model Llama-3.1-8B --gpu H100-SXM --port 8000"},
    {"mock", "mock --model Qwen3-32B --gpu H200 --tp 2 --instances 3 --routing-policy least_loaded"},
    {"mock", "mock --gpu B200 --from-command 'vllm serve openai/gpt-oss-120b' --speedup 10"},
    {"forecast", "forecast --model Qwen/Qwen3-8B --gpu H200 --metrics metrics.txt --window-s 300"},
    {"forecast",
     "forecast --model Qwen/Qwen3-8B --gpu H200 --metrics now.txt --metrics-before then.txt --scale 2,3"},
    {"plan",
     "plan --model Llama-3.1-70B --gpus H100-SXM,H200 --rate 12 --input-tokens 2000 --output-tokens "
     "300 --slo "
     "ttft_p95_ms=800,tpot_p95_ms=40"},
    {"plan",
     "plan --model Qwen3-32B --gpus H200 --gpu-count 8 --input-tokens 1000 --goodput ttft:500,tpot:20"},
    {"plan",
     "plan --model Qwen3-32B --gpus H100-SXM --rate 8 --slo ttft_p95_ms=900 --emit k8s --output deploy"},
    {"support", "support --model Llama-3.1-8B"},
    {"support", "support --gpu B200 --engine sglang"},
    {"support", "support --model Qwen3-32B --gpu H100-SXM --json"},
    {"step", "step --model Llama-3.1-8B --gpu H100-SXM --decode 64x2000"},
    {"step", "step --model Qwen3-32B --gpu H200 --tp 2 --prefill 4x1024 --decode 60x1500"},
    {"step", "step --model DeepSeek-V3 --gpu B200 --tp 8 --engine sglang --decode 128x4000"},
    {"static", "static --model Llama-3.1-8B --gpu H100-SXM --batch 16 --input 1024 --output 128"},
    {"static", "static --model Qwen3-32B --gpu H200 --tp 2 --batch 8 --input 4000 --output 500"},
    {"static", "static --model gpt-oss-120b --gpu B200 --engine trtllm --batch 1 --input 1000 --output 1000"},
    {"diagnose", "diagnose --gpu H100-SXM --model Llama-3.1-8B --batch 16 --input 1024 --output 128"},
    {"diagnose", "diagnose --gpu H100-SXM --data sweep --html page.html"},
    {"diagnose", "diagnose --gpu B200 --model gpt-oss-120b --engine sglang --input 1000 --output 500"},
    {"predict", "predict gemm --gpu H100-SXM --m 4096 --n 4096 --k 4096"},
    {"predict", "predict attention_decode --gpu H200 --heads 32 --kv-heads 8 --batch 64 --context 2000"},
    {"predict",
     "predict moe --gpu B200 --tokens 512 --hidden 4096 --intermediate 1536 --experts 128 --top-k 8"},
    {"predict gemm", "predict gemm --gpu H100-SXM --m 4096 --n 4096 --k 4096"},
    {"predict gemm", "predict gemm --gpu H200 --scheme fp8 --m 64 --n 28672 --k 8192 --framework sglang"},
    {"predict gemm", "predict gemm --gpu RTX4090 --scheme int4_wo --m 1 --n 4096 --k 14336 --json"},
    {"predict attention_prefill",
     "predict attention_prefill --gpu H200 --heads 32 --kv-heads 8 --batch 4 --tokens 2048"},
    {"predict attention_prefill",
     "predict attention_prefill --gpu H200 --heads 32 --kv-heads 8 --batch 1 --tokens 512 --context 8000"},
    {"predict attention_prefill",
     "predict attention_prefill --gpu B200 --heads 32 --kv-heads 8 --requests 4x1024,1x2048+4096"},
    {"predict attention_decode",
     "predict attention_decode --gpu H200 --heads 32 --kv-heads 8 --batch 64 --context 2000"},
    {"predict attention_decode",
     "predict attention_decode --gpu H200 --heads 8 --kv-heads 1 --kv-cache fp8 --batch 128 --context 4000"},
    {"predict attention_decode",
     "predict attention_decode --gpu A100 --heads 32 --kv-heads 8 --requests 30x1+500,2x1+30000"},
    {"predict moe",
     "predict moe --gpu H200 --tokens 512 --hidden 2048 --intermediate 768 --experts 128 --top-k 8"},
    {"predict moe",
     "predict moe --gpu B200 --scheme fp8_block --tokens 64 --hidden 7168 --intermediate 2048 --experts 256 "
     "--top-k 8 --expert-parallel 8"},
    {"predict moe",
     "predict moe --gpu H100 --framework vllm --tokens 64 --hidden 4096 --intermediate 14336 --experts 8 "
     "--top-k 2"},
    {"gpus", "gpus"},
    {"gpus", "gpus --json"},
    {"gpus", "gpu show H100-SXM"},
    {"prices", "prices"},
    {"prices", "prices --gpu H100-SXM --gpu H200 --price-kind on_demand"},
    {"prices", "prices --gpu B200 --json"},
    {"gpu", "gpu show H100-SXM"},
    {"gpu", "gpu show rtx_4090 --json"},
    {"gpu", "gpu show ./mine.json"},
    {"gpu show", "gpu show H100-SXM"},
    {"gpu show", "gpu show rtx_4090 --json"},
    {"gpu show", "gpu show ./mine.json"},
    {"models", "models"},
    {"models", "models Qwen3-32B"},
    {"models", "models ./config.json --json"},
    {"tune", "tune fit --gpu H200 --samples samples.csv --output gemm.wlt"},
    {"tune", "tune pick --table gemm.wlt --m 100 --n 4096 --k 4096"},
    {"tune", "tune show --table gemm.wlt --n 4096 --k 4096 --html staircase.html"},
    {"tune plan", "tune plan --gpu H200 --output anchors.csv"},
    {"tune plan", "tune plan --gpu H200 --first-round --output first.csv"},
    {"tune plan", "tune plan --gpu H200 --samples first_samples.csv --output second.csv"},
    {"tune profile", "tune profile --gpu H200 --output samples.csv"},
    {"tune profile", "tune profile --gpu H200 --split-k 2 4 8 --output samples.csv"},
    {"tune profile", "tune profile --gpu H200 --kind attention --seconds 600 --output samples.csv"},
    {"tune pick", "tune pick --table gemm.wlt --m 100 --n 4096 --k 4096"},
    {"tune pick", "tune pick --table gemm.wlt --m 100 --n 4096 --k 4096 --best 5"},
    {"tune pick", "tune pick --table gemm.wlt --m 1 --n 28672 --k 8192 --json"},
    {"tune pick", "tune pick --table moe.wlt --expert-rows 90,7,3,0 --n 1536 --k 2048"},
    {"tune show", "tune show --table gemm.wlt --n 4096 --k 4096"},
    {"tune show", "tune show --table gemm.wlt --n 4096 --k 4096 --m 512"},
    {"tune show", "tune show --table gemm.wlt --n 4096 --k 4096 --html staircase.html"},
    {"tune export", "tune export --table moe.wlt --n 768 --k 2048 --format vllm --output configs"},
    {"tune export",
     "tune export --table gemm.wlt --n 4096 --k 4096 --m 64 --format kernel_tuner --output t.json"},
    {"tune export", "tune export --table gemm.wlt --n 4096 --k 4096 --format table --output copy.wlt"},
    {"tune fit", "tune fit --gpu H200 --samples samples.csv --output gemm.wlt"},
    {"tune fit", "tune fit --samples samples.csv --gpu B200 --default 128x128x64 --output gemm.wlt"},
    {"tune fit", "tune fit --cross-gpu --gpu L40S --output gemm.wlt"},
    {"tune fit", "tune fit --gpu H200 --method wavetune --samples samples.csv --output gemm.json"},
    {"tune regret", "tune regret --table gemm.wlt --oracle exhaustive.csv"},
    {"tune regret", "tune regret --table gemm.wlt --oracle exhaustive.csv --samples samples.csv"},
    {"tune regret", "tune regret --table gemm.wlt --oracle exhaustive.csv --no-baselines --json"},
    {"tune regret",
     "tune regret --table gemm.wlt --oracle exhaustive.csv --samples samples.csv --baseline wavetune xgboost "
     "nearest_shape default --times"},
    {"tune learn", "tune learn --gpu H200 --anchors anchors.csv --shapes shapes.csv --output data/tuner"},
    {"tune learn",
     "tune learn --gpu H200 --kind attention --anchors anchors.csv --shapes shapes.csv --output data/tuner"},
    {"tune learn",
     "tune learn --gpu H200 --anchors a.csv --shapes b.csv --sets more.json --output data/tuner"},
    {"moe-config", "moe-config --model Qwen3-30B-A3B --gpu H200 --output configs"},
    {"moe-config",
     "moe-config --model Qwen3-30B-A3B --gpu H200 --profile --samples times.csv --output configs"},
    {"moe-config",
     "moe-config --gpu H100-SXM --engine sglang --experts 128 --top-k 8 --hidden 2048 --intermediate 768"},
    {"tuned-files", "tuned-files --model Qwen/Qwen3-30B-A3B-FP8 --gpu H100-SXM --write configs"},
    {"tuned-files",
     "tuned-files --model Qwen/Qwen3-30B-A3B-FP8 --gpu H100-SXM --profile --samples t.csv --write configs"},
    {"tuned-files", "tuned-files --model DeepSeek-V3 --gpu H200 --tp 8 --engine sglang --json"},
    {"sweep-plan", "sweep-plan --gpu H200 --output plan.csv"},
    {"sweep-plan", "sweep-plan --gpu H200 --like Llama-3.1-8B --operators 500 --output plan.csv"},
    {"sweep-plan", "sweep-plan --gpus 8 --output plan.csv"},
    {"calibrate", "calibrate --gpu H200 --data sweep --output calibrated"},
    {"calibrate", "calibrate --gpu H200 --data sweep/sweep.csv --record mine.json --output calibrated"},
    {"calibrate", "calibrate --gpu H200 --data sweep --predictor trained --output calibrated"},
    {"calibrate-host",
     "calibrate-host --steps steps.csv --model Llama-3.1-8B --gpu H200 --enforce-eager --output host.json"},
    {"calibrate-host",
     "calibrate-host --steps steps.csv --model Llama-3.1-8B --gpu H200 --base old.json --output new.json"},
    {"calibrate-host", "calibrate-host --run run1/run.json --requests run1/requests.csv --output host.json"},
    {"import", "import warploom sweep --store mine.db"},
    {"import", "import kineto trace.json.gz --store mine.db"},
    {"import", "import nsight kernels.csv --gpu H100-SXM --store mine.db"},
    {"train", "train --store mine.db --output trained"},
    {"train", "train --layout aiconfigurator --data systems --exclude-gpu h200_sxm --output trained"},
    {"train", "train --store mine.db --family gemm --tables --output trained"},
    {"plans", "plans plans.yaml"},
    {"plans", "plans plans.yaml --json"},
    {"convert-clients", "convert-clients servegen data/language/m-large --to-s 3600 --output clients.json"},
    {"convert-clients", "convert-clients inference-perf config.yml --output clients.json"},
    {"validate", "validate kernels --layout warploom --data sweep"},
    {"validate", "validate static --truth truth.csv --requests requests.csv"},
    {"validate", "validate serving --run run.json --requests requests.csv"},
    {"validate kernels", "validate kernels --layout warploom --data sweep"},
    {"validate kernels", "validate kernels --store mine.db --predictor trained --all-rows"},
    {"validate kernels", "validate kernels --store mine.db --baseline linear roofline --json"},
    {"validate static", "validate static --truth truth.csv --requests requests.csv"},
    {"validate static", "validate static --truth truth.csv --requests requests.csv --predictor calibrated"},
    {"validate static",
     "validate static --truth truth.csv --requests requests.csv --host-profile host.json --json"},
    {"validate serving", "validate serving --run run.json --requests requests.csv"},
    {"validate serving", "validate serving --run run.json --requests requests.csv --predictor calibrated"},
    {"validate serving", "validate serving --run run.json --requests requests.csv --json"},
    {"validate concurrency", "validate concurrency --truth runs.csv"},
    {"validate concurrency", "validate concurrency --truth runs.csv --max-cells 20"},
    {"validate concurrency", "validate concurrency --truth runs.csv --predictor calibrated --json"},
    {"validate ceilings", "validate ceilings --layout warploom --data sweep"},
    {"validate ceilings", "validate ceilings --store mine.db --cross-fit 5"},
    {"validate ceilings", "validate ceilings --store mine.db --quantile 0.9 --json"},
    {"train-ceilings", "train-ceilings --store mine.db --output ceilings"},
    {"train-ceilings", "train-ceilings --layout warploom --data sweep --output ceilings"},
    {"train-ceilings", "train-ceilings --store mine.db --exclude-gpu h200_sxm --output ceilings"},
    {"train-moe-configs", "train-moe-configs --gains gains.csv --near-best near.csv"},
    {"train-moe-configs", "train-moe-configs --gains gains.csv --near-best near.csv --output data/tuner"},
    {"train-moe-configs", "train-moe-configs --gains gains.csv --near-best near.csv --json"},
}};

// Sizes of the families of `predict` that have no lines of their own.
struct Shape {
  std::string_view family, sizes;
};
constexpr std::array<Shape, 19> kShapes{{
    {"mla_prefill", "--heads 16 --batch 4 --tokens 2048"},
    {"mla_decode", "--heads 16 --batch 64 --context 4000"},
    {"mla_module", "--decode --heads 16 --batch 64 --context 4000"},
    {"rmsnorm", "--tokens 512 --width 4096"},
    {"activation", "--tokens 512 --width 14336"},
    {"elementwise", "--rows 512 --width 4096"},
    {"rope", "--tokens 512 --heads 32 --kv-heads 8 --head-dim 128"},
    {"kv_write", "--tokens 512 --kv-heads 8 --head-dim 128"},
    {"quantize", "--rows 512 --width 4096"},
    {"embedding", "--tokens 512 --hidden 4096 --vocabulary 128256"},
    {"sampling", "--sequences 64 --vocabulary 128256"},
    {"linear_attention", "--sequences 64 --tokens-per-sequence 1"},
    {"allreduce", "--size-bytes 8388608 --ranks 8"},
    {"allgather", "--size-bytes 8388608 --ranks 8"},
    {"reduce_scatter", "--size-bytes 8388608 --ranks 8"},
    {"alltoall", "--size-bytes 8388608 --ranks 8"},
    {"send_recv", "--size-bytes 8388608 --ranks 2"},
    {"moe_dispatch", "--size-bytes 8388608 --ranks 8 --top-k 8 --token-bytes 7168"},
    {"moe_combine", "--size-bytes 8388608 --ranks 8 --top-k 8 --token-bytes 14336"},
}};

}  // namespace

std::vector<std::string> examples_of(std::string_view command) {
  std::vector<std::string> lines;
  for (const Example& example : kExamples)
    if (example.command == command) lines.push_back(fmt::format("warploom {}", example.line));
  constexpr std::string_view kPredict = "predict ";
  if (!lines.empty() || !command.starts_with(kPredict)) return lines;
  for (const Shape& shape : kShapes) {
    if (shape.family != command.substr(kPredict.size())) continue;
    for (const std::string_view rest :
         {"--gpu H100-SXM", "--gpu H200 --json", "--gpu B200 --predictor roofline"})
      lines.push_back(fmt::format("warploom {} {} {}", command, rest, shape.sizes));
  }
  return lines;
}

}  // namespace warploom
