// Tables: measurements of every layout, traces, times, samples. The rows are made up.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <stdexcept>

#include "damage.h"
#include "warploom/app/data/convert_clients.h"
#include "warploom/app/runs/measured_requests.h"
#include "warploom/app/runs/validate_serving.h"
#include "warploom/app/serving/host_steps.h"
#include "warploom/app/serving/metrics_text.h"
#include "warploom/app/tune/tuned_times.h"
#include "warploom/base/file.h"
#include "warploom/base/scratch_folder_test.h"
#include "warploom/fused_moe/config_training.h"
#include "warploom/fused_moe/profiled_configs.h"
#include "warploom/measurements/importers/import.h"
#include "warploom/serving/workload/trace_file.h"
#include "warploom/tuned_files/timed_rows.h"
#include "warploom/tuner/tile_sample.h"

namespace warploom::damage {
namespace {

const std::filesystem::path kFixtures = std::filesystem::path(WARPLOOM_SOURCE_DIR) / "tests" / "fixtures";

struct Table {
  std::string folder, file, text;
};

// Reads a file of a fresh folder, by its relative path.
class Bench {
 public:
  template <class Read>
  void feed(const Table& table, Kind kind, Read read) {
    std::filesystem::create_directories(folder_.path() / table.folder);
    const std::string name = table.folder.empty() ? table.file : table.folder + "/" + table.file;
    expect_sound_or_refused(
        {.name = name, .kind = kind, .sound = table.text, .read = [&](const std::string& bytes) {
           read(folder_.write(name, bytes));
         }});
  }
  void import(Layout layout, const Table& table, Kind kind = Kind::Csv) {
    feed(table, kind, [&](const std::filesystem::path& path) {
      import_measurements(layout, std::vector{path}, catalog_);
    });
  }
  const std::filesystem::path& folder() const { return folder_.path(); }
  std::filesystem::path write(const std::string& name, const std::string& text) {
    return folder_.write(name, text);
  }

 private:
  ScratchFolder folder_;
  GpuCatalog catalog_;
};

TEST(DamagedMeasurements, OfWarploomAreReadOrRefused) {
  Bench().import(Layout::Warploom,
                 {"", "sweep.csv", first_lines(kFixtures / "collector/h200/sweep/sweep.csv.gz", 40)});
}

// A row of experts in a number that no list can hold ended in std::bad_alloc.
TEST(DamagedMeasurements, OfTooManyExpertsAreRefused) {
  const ScratchFolder folder;
  const auto path =
      folder.write("sweep.csv",
                   "gpu,latency_us,operator\nNVIDIA "
                   "H200,1324.352,\"{\"\"family\"\":\"\"moe\"\",\"\"tokens\"\":383,\"\"experts\"\":"
                   "14294967296,\"\"top_k\"\":1}\"\n");
  const GpuCatalog catalog;
  EXPECT_THROW(import_measurements(Layout::Warploom, std::vector{path}, catalog), InvalidInput);
}

TEST(DamagedMeasurements, OfAiconfiguratorAreReadOrRefused) {
  const std::array tables{
      Table{"gemm", "h100_sxm.csv",
            "framework,version,kernel_source,gemm_dtype,n,k,m,latency_us,n_samples\n"
            "trtllm,1.0.0,torch_flow,bfloat16,4096,4096,16,20,2\nvllm,0.24.0,Cutlass,fp8_block,4096,4096,16,"
            "80,1\n"},
      Table{"mla_bmm", "h100_sxm.csv",
            "framework,version,op_name,kernel_source,bmm_dtype,num_heads,num_tokens,latency_us,n_samples\n"
            "vllm,1,mla_gen_pre,x,bfloat16,16,64,11,1\n"},
      Table{"moe", "h100_sxm.csv",
            "framework,version,kernel_source,moe_dtype,distribution,hidden_size,inter_size,topk,num_experts,"
            "moe_tp_size,"
            "moe_ep_size,num_tokens,latency_us,n_samples\n"
            "trtllm,1,moe_torch_flow_nongated,w4a16_mxfp4,power_law_1.2,2048,768,8,128,2,4,64,81,1\n"
            "vllm,1,triton,bfloat16,balanced,2048,768,8,128,1,1,64,81,1\n"},
      Table{"quantize", "h100_sxm.csv",
            "framework,version,op_name,kernel_source,quant_dtype,k,m,latency_us,n_samples\n"
            "vllm,1,compute_scale,d,fp8,1024,64,2.5,1\nvllm,1,scale_matrix,s,fp8,1024,64,4,1\n"},
      Table{"attention_context", "h100_sxm.csv",
            "framework,version,kernel_source,attn_dtype,kv_cache_dtype,head_dim,window_size,num_heads,num_"
            "key_value_heads,"
            "batch_size,isl,latency_us,n_samples\nvllm,1,fa3,bfloat16,bfloat16,128,0,32,8,4,512,140,1\n"},
      Table{"attention_generation", "h100_sxm.csv",
            "framework,version,kernel_source,attn_dtype,kv_cache_dtype,head_dim,window_size,num_heads,num_"
            "key_value_heads,"
            "batch_size,step,latency_us,n_samples\nvllm,1,fa3,bfloat16,fp8,128,4096,32,8,4,1023,14,1\n"},
      Table{"encoder_attention", "h100_sxm.csv",
            "framework,version,kernel_source,attn_dtype,head_dim,num_heads,batch_size,isl,latency_us,n_"
            "samples\n"
            "vllm,1,vit,bfloat16,72,16,2,256,30,1\n"},
      Table{"mla_context", "h100_sxm.csv",
            "framework,version,kernel_source,mla_dtype,kv_cache_dtype,num_heads,tp_size,batch_size,isl,"
            "latency_us,"
            "n_samples\nsglang,0.5.14,x,bfloat16,bfloat16,16,8,4,100,150,1\n"},
      Table{"mla_generation_module", "h100_sxm.csv",
            "framework,version,kernel_source,model,mla_dtype,kv_cache_dtype,gemm_type,num_heads,batch_size,"
            "step,latency_us,"
            "n_samples\nvllm,1,x,deepseek-ai/DeepSeek-V3,bfloat16,fp8,fp8_block,16,4,100,90,1\n"},
      Table{"gdn", "h100_sxm.csv",
            "framework,version,kernel_source,op_name,phase,d_conv,num_k_heads,head_k_dim,num_v_heads,head_v_"
            "dim,batch_size,"
            "seq_len,latency_us,n_samples\nvllm,1,chunk_gated_delta_rule,x,context,4,16,128,32,128,2,512,90,"
            "1\n"},
      Table{"mamba2", "h100_sxm.csv",
            "framework,version,kernel_source,phase,d_conv,d_state,nheads,head_dim,n_groups,batch_size,seq_"
            "len,latency_us,"
            "n_samples\nvllm,1,causal_conv1d_fn,context,4,128,64,64,8,2,512,90,1\n"},
      Table{"nccl", "h100_sxm.csv",
            "framework,version,op_name,dtype,reported_version,num_gpus,message_size,latency_us,n_samples\n"
            "nccl,2.27,all_gather,half,,8,1048576,40,1\nnccl,2.27,alltoall,int8,,4,1048576,40,1\n"},
      Table{"deepep_ll", "h100_sxm.csv",
            "framework,version,node_num,hidden_size,num_topk,num_token,num_experts,latency_us,combine_"
            "latency_us,n_samples\n"
            "deepep,1,1,7168,8,64,256,90,120,1\n"}};
  for (const Table& table : tables) Bench().import(Layout::Aiconfigurator, table);
}

TEST(DamagedMeasurements, OfPipeweaveAreReadOrRefused) {
  const std::array tables{
      Table{"", "worst_cases_attn.csv",
            "hardware,attention_type,bs,q_lengths,kv_lengths,nh,nkv,hd,avg_duration_us,overall_perf\n"
            "H200,fa3_paged,3,\"[11,11,29]\",\"[99,99,39]\",16,2,128,131,0.002\n"
            "L40,fa2_paged,2,\"[1,1]\",\"[5,72]\",6,1,128,23,0.03\n"},
      Table{"", "worst_cases_rmsnorm.csv",
            "hardware,seq,dim,avg_duration_us,overall_perf\nH20,2,128,1.9,0.1\n"},
      Table{"", "worst_cases_siluandmul.csv",
            "hardware,seq,dim,avg_duration_us,overall_perf\nH200,8097,768,11.6,0.01\n"},
      Table{"", "gemm.csv",
            "hardware,M,N,K,tile_M,avg_duration_us\nH200,128,4096,4096,128,30\nA100,1,4096,4096,64,30\n"},
      Table{"", "moe_w13_default.csv",
            "hardware,weight_type,M,E,topk,H,N,avg_duration_us,cfg_BM\nA100,w13,2,8,2,1024,512,11.5,16\n"}};
  for (const Table& table : tables) Bench().import(Layout::Pipeweave, table);
}

TEST(DamagedMeasurements, OfVidurAreReadOrRefused) {
  Bench bench;
  const std::string shapes =
      "gpu,model,n_head,n_kv_head,n_embd,n_expanded_embd,vocab_size,use_gated_mlp,rows,tps\n"
      "a100,Llama,64,8,8192,28672,32768,True,1,1 2\n";
  const Table operators{"", "mlp.csv",
                        "gpu,model,tp,num_tokens,op,kind,M,N,K,latency_us_median,n_runs\n"
                        "A100,Llama,2,128,mlp_up_proj,gemm,128,28672,8192,300,1\n"
                        "A100,Llama,2,128,attn_rope,rope,128,4608,,13,2\n"
                        "A100,Llama,2,128,emb,embedding,128,8192,,16,1\n"
                        "A100,Llama,2,128,add,elementwise,128,8192,,0,1\n"};
  bench.write("model_shapes.csv", shapes);
  bench.import(Layout::Vidur, operators);
  bench.write("mlp.csv", operators.text);
  const GpuCatalog catalog;
  bench.feed({"", "model_shapes.csv", shapes}, Kind::Csv, [&](const std::filesystem::path&) {
    import_measurements(Layout::Vidur, std::vector{bench.folder() / "mlp.csv"}, catalog);
  });
  Bench().import(Layout::Vidur, {"", "collectives.csv",
                                 "gpu,topology,collective,num_gpus,devices_per_node,bytes,latency_us_median\n"
                                 "H100,dgx,all_reduce,8,8,2048,30\nA100,dgx,send_recv,2,1,2048,43\n"});
}

TEST(DamagedMeasurements, OfNeusightAreReadOrRefused) {
  Bench().import(Layout::Neusight,
                 {"", "v.csv",
                  "gpu,op,split,set,B,H,latency_us\nTesla T4,add,train,used,64,1024,30\n"
                  "Tesla T4,relu,test,used,64,1024,30\nTesla T4,ln,test,used,64,1024,30\n"});
  Bench().import(Layout::Neusight,
                 {"", "fp32.csv", "gpu,op,split,B,M,N,K,latency_us\nTesla T4,bmm,test,2,16,16,16,30\n"});
}

TEST(DamagedMeasurements, OfProfilersAreReadOrRefused) {
  Bench().import(Layout::Nsight, {"", "ncu.csv", first_lines(kFixtures / "profiles/ncu_details.csv.gz", 40)});
  Bench().import(Layout::Nsight, {"", "sum.csv",
                                  "Time (%),Total Time (ns),Instances,Avg (ns),Name\n"
                                  "62.1,1200000,40,30000,ampere_bf16_s16816gemm_bf16_128x128\n"});
  Bench().import(Layout::Nsight,
                 {"", "trace.csv", "Start (ns),Duration (ns),Name\n100,2000,flash_fwd_kernel\n"});
  const std::string trace =
      R"({"deviceProperties":[{"id":0,"name":"NVIDIA H200"}],"record_shapes":1,"traceEvents":[)"
      R"({"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":10.5,"dur":50,"args":{"External id":1,)"
      R"("Input type":["c10::BFloat16","c10::BFloat16"],"Input Strides":[[4096,1],[1,4096]],)"
      R"("Input Dims":[[128,4096],[4096,8192]],"Concrete Inputs":["",""]}},)"
      R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":20,"dur":5,)"
      R"("args":{"External id":1,"correlation":7}},)"
      R"({"ph":"X","cat":"kernel","name":"nvjet_hsh_128x128","pid":0,"tid":7,"ts":30,"dur":31.5,)"
      R"("args":{"External id":1,"device":0,"stream":7,"correlation":7,"grid":[64,1,1],"block":[384,1,1]}}]})";
  Bench().import(Layout::Kineto, {"", "trace.json", trace}, Kind::Json);
}

TEST(DamagedTraces, AreReadOrRefused) {
  const std::array<std::pair<Kind, Table>, 11> traces{{
      {Kind::Csv,
       {"", "own.csv", "arrived_s,input_tokens,output_tokens,priority\n0,5,7,1\n0.5,100,2,0\n2,9,9,3\n"}},
      {Kind::Csv, {"", "run.csv", "arrival_s,input_tokens,output_tokens\n0,5,7\n0.5,100,2\n"}},
      {Kind::Csv,
       {"", "splitwise.csv", "arrived_at,num_prefill_tokens,num_decode_tokens\n0.1,50,7\n3,90,8\n"}},
      {Kind::Csv,
       {"", "azure.csv",
        "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.6805900,374,44\n2023-11-16 "
        "18:15:50.99,396,109\n"}},
      {Kind::Csv,
       {"", "burstgpt.csv",
        "Timestamp,Model,Request tokens,Response tokens\n5,x,472,18\n45,x,1087,0\n60,y,9,8\n"}},
      {Kind::JsonLines,
       {"", "mooncake.jsonl",
        "{\"timestamp\": 0, \"input_length\": 6755, \"output_length\": 500, \"hash_ids\": [1, 2], "
        "\"session_id\": 3}\n"
        "{\"timestamp\": 3052, \"input_length\": 7319, \"output_length\": 5, \"session_id\": 3, \"delay\": "
        "40}\n"}},
      {Kind::JsonLines,
       {"", "llmservingsim.jsonl",
        "{\"arrival_time_ns\": 5, \"sub_requests\": [{\"input_toks\": 20, \"output_toks\": 3, "
        "\"tool_duration_ns\": 700}, "
        "{\"input_toks\": 40, \"output_toks\": 4}]}\n"
        "{\"arrival_time_ns\": 9, \"input_toks\": 2, \"output_toks\": 1, \"input_tok_ids\": [7, 8], "
        "\"priority\": 3}\n"}},
      {Kind::Json,
       {"", "sharegpt.json",
        R"([{"id": "x", "conversations": [{"from": "human", "value": "a long question about many things"},)"
        R"( {"from": "gpt", "value": "an answer that is long enough to count"}]}])"}},
      {Kind::Json,
       {"", "bench.json",
        R"({"input_lens": [10, 20, 30], "output_lens": [5, 0, 7], "start_times": [101.0, 100.5, 100.0]})"}},
      {Kind::Json, {"", "untimed.json", R"({"input_lens": [10, 20], "output_lens": [5, 4]})"}},
      {Kind::Csv, {"", "untimed.csv", "input_tokens,output_tokens\n5,7\n6,8\n"}},
  }};
  for (const auto& [kind, table] : traces)
    Bench().feed(table, kind, [](const std::filesystem::path& path) {
      const RecordedTrace trace = read_trace_file(path);
      check_workload(trace.workload);
    });
}

TEST(DamagedTimes, AreReadOrRefused) {
  Bench bench;
  bench.feed({"", "requests.csv",
              "arrival_s,input_tokens,output_tokens,queued_s,scheduled_s,first_token_s,last_token_s\n"
              "0,100,20,0.01,0.02,0.1,0.9\n1,10,2,1.01,1.02,1.1,1.2\n"},
             Kind::Csv, [](const auto& path) { read_real_requests(path); });
  bench.feed({"", "tuned.csv", "hardware,M,E,topk,H,N,best_us\nA100,64,8,2,1024,512,90\n"}, Kind::Csv,
             [](const auto& path) { read_tuned_times(path, GpuCatalog()); });
}

TEST(DamagedSamples, AreReadOrRefused) {
  Bench().feed({"", "samples.csv", first_lines(kFixtures / "tuner/gemm_anchors.csv.gz", 30)}, Kind::Csv,
               [](const auto& path) { read_tile_samples(std::vector<std::filesystem::path>{path}); });
  Bench().feed({"", "moe.csv", first_lines(kFixtures / "fused_moe/h200.csv.gz", 30)}, Kind::Csv,
               [](const auto& path) { read_moe_samples(path); });
}

TEST(DamagedMetrics, AreReadOrRefused) {
  for (const char* name : {"earlier.txt", "sglang.txt"})
    expect_sound_or_refused({.name = name,
                             .kind = Kind::Csv,
                             .sound = read_file(kFixtures / "forecast" / name),
                             .read = [](const std::string& bytes) { (void)parse_metrics(bytes, "metrics"); },
                             .share = 2});
}

TEST(DamagedSteps, AreReadOrRefused) {
  Bench().feed({"", "steps.csv",
                "kind,batch,wall_ms,kernel_sum_ms,core_ms\nprefill,1x64,12,10,1\ndecode,4x500,8,7,\n"
                "mixed,16x500+512,20,15,2\n"},
               Kind::Csv, [](const std::filesystem::path& path) { (void)read_measured_steps(path); });
}

TEST(DamagedRequests, AreReadOrRefused) {
  Bench().feed(
      {"", "requests.csv",
       "arrival_s,input_tokens,output_tokens,queued_s,scheduled_s,first_token_s,last_token_s,group,"
       "prefix_tokens,client\n0,100,20,0.01,0.02,0.1,0.9,1,50,0\n1,90,20,1.01,1.02,1.1,1.9,1,50,0\n"},
      Kind::Csv, [](const std::filesystem::path& path) { (void)read_real_requests(path); });
}

TEST(DamagedTunedFiles, AreReadOrRefused) {
  const std::string launches =
      "kernel,bytes,experts,top_k,n,k,block_n,block_k,tokens,bm,bn,bk,warps,stages,group,parts,variant,"
      "median_us,gpu\n"
      "fused_moe,1,128,8,1536,4096,128,128,64,16,64,128,4,3,1,1,plain,42.5,NVIDIA L40S\n"
      "lora,2,1,1,16,4096,16,0,64,16,16,128,4,3,8,16,shrink,2.5,NVIDIA L40S\n"
      "block_fp8_product,1,0,0,1536,4096,128,128,64,16,64,128,4,3,1,1,plain,22.5,NVIDIA L40S\n";
  Bench().feed({"", "launches.csv", launches}, Kind::Csv, [](const std::filesystem::path& path) {
    for (const LaunchTime& time : read_launch_times(path, "NVIDIA L40S"))
      if (!(std::isfinite(time.us) && time.us >= 1e-3)) throw std::runtime_error("a time that is none");
  });
  const std::string gains =
      "hardware,M,E,topk,H,N,best_us,median_config_us,sglang_default_us,sglang_BM,sglang_BN,sglang_BK,"
      "sglang_GM,sglang_num_warps,sglang_num_stages\nA100,1,8,2,512,256,100,150,125,64,64,32,8,4,3\n"
      "H800,64,8,2,1024,512,100,150,125,64,64,32,8,4,3\n";
  const std::string near =
      "hardware,M,E,topk,H,N,BLOCK_SIZE_M,BLOCK_SIZE_N,BLOCK_SIZE_K,GROUP_SIZE_M,num_warps,num_stages,"
      "avg_duration_us\nA100,1,8,2,512,256,16,64,128,1,4,4,100\nH800,64,8,2,1024,512,16,32,64,1,4,3,100.5\n";
  const GpuCatalog gpus;
  Bench bench;
  const auto sound_gains = bench.write("sound_gains.csv", gains),
             sound_near = bench.write("sound_near.csv", near);
  bench.feed({"", "gains.csv", gains}, Kind::Csv,
             [&](const std::filesystem::path& path) { (void)read_config_rows(path, sound_near, gpus); });
  bench.feed({"", "near.csv", near}, Kind::Csv,
             [&](const std::filesystem::path& path) { (void)read_config_rows(sound_gains, path, gpus); });
}

TEST(DamagedServegen, AreReadOrRefused) {
  Bench bench;
  bench.write("chunk-0-dataset.json", read_file(kFixtures / "options/servegen/chunk-0-dataset.json"));
  bench.feed({"", "chunk-0-trace.csv", read_file(kFixtures / "options/servegen/chunk-0-trace.csv")},
             Kind::Csv, [](const std::filesystem::path& path) {
               (void)servegen_clients(path.parent_path(), Seconds(0), Seconds(1800));
             });
}

}  // namespace
}  // namespace warploom::damage
