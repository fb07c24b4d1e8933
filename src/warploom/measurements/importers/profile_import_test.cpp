// Profiles as torch.profiler, nsys and ncu write them.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "warploom/base/error.h"
#include "warploom/base/scratch_folder_test.h"
#include "warploom/measurements/importers/import.h"
#include "warploom/measurements/importers/kernel_names.h"

namespace warploom {
namespace {

using nlohmann::json;

// A trace that grows call by call.
class TraceText {
 public:
  TraceText() {
    document_["schemaVersion"] = 1;
    document_["deviceProperties"] = {{{"id", 0}, {"name", "NVIDIA H200"}, {"totalGlobalMem", 150000000000}}};
    document_["traceEvents"] = json::array();
  }
  TraceText& call(const std::string& name, const json& dims, const json& types,
                  const json& values = json::array()) {
    ++id_;
    document_["traceEvents"].push_back(
        {{"ph", "X"},
         {"cat", "cpu_op"},
         {"name", name},
         {"ts", 10.0 * id_},
         {"dur", 5},
         {"args",
          {{"External id", id_}, {"Input Dims", dims}, {"Input type", types}, {"Concrete Inputs", values}}}});
    return *this;
  }
  // A kernel of the last call.
  TraceText& kernel(const std::string& name, double microseconds, json more = json::object()) {
    more.update({{"External id", id_}, {"device", 0}, {"stream", 7}, {"grid", {8, 1, 1}}});
    document_["traceEvents"].push_back(
        {{"ph", "X"}, {"cat", "kernel"}, {"name", name}, {"ts", 1}, {"dur", microseconds}, {"args", more}});
    return *this;
  }
  TraceText& outside() {
    ++id_;
    return *this;
  }
  json& document() { return document_; }
  std::string text() const { return document_.dump(); }

 private:
  json document_;
  int id_ = 0;
};

const json kBf16x2{"c10::BFloat16", "c10::BFloat16"};

TraceText usual_trace() {
  TraceText trace;
  trace.call("aten::mm", {{512, 4096}, {4096, 6144}}, kBf16x2)
      .kernel("nvjet_tst_128x256_64x4_1x2_h_bz_coopA_NNT", 60)
      .call("aten::addmm", {{6144}, {64, 4096}, {4096, 6144}},
            {"c10::BFloat16", "c10::BFloat16", "c10::BFloat16"})
      .kernel("nvjet_tst_64x8_64x16_1x2_h_bz_splitK_TNT", 20)
      .kernel("void cublasLt::splitKreduce_kernel<32, 16, int>", 3)
      .call("aten::_flash_attention_forward", {{2, 512, 32, 128}, {2, 512, 8, 128}, {2, 512, 8, 128}},
            {"c10::BFloat16", "c10::BFloat16", "c10::BFloat16"},
            {"", "", "", "", "", "512", "512", "0.", "True", "False"})
      .kernel("void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4>>", 55)
      .call("_C::silu_and_mul", {{64, 14336}, {64, 28672}}, kBf16x2)
      .kernel("void vllm::act_and_mul_kernel<c10::BFloat16>", 7)
      .call("aten::_fused_rms_norm", {{64, 4096}, {}, {4096}, {}}, {"c10::BFloat16", "", "c10::BFloat16", ""})
      .kernel("void vectorized_layer_norm_kernel<c10::BFloat16, float, true>", 4)
      .call("my::secret", {{64, 4096}}, {"c10::BFloat16"})
      .kernel("wonder_kernel", 40)
      .outside()
      .kernel("triton_poi_fused_add_0", 11);
  return trace;
}

class ProfileImport : public ::testing::Test {
 protected:
  ImportResult import(const std::filesystem::path& path, Layout layout = Layout::Kineto,
                      const ImportFilter& filter = {}) {
    ImportOptions all;
    all.physical_tolerance = 0;
    return import_measurements(layout, std::vector{path}, catalog_, filter, all);
  }
  template <class E>
  std::string error_of(const std::filesystem::path& path, Layout layout = Layout::Kineto) {
    try {
      import(path, layout);
    } catch (const E& error) {
      return error.what();
    }
    ADD_FAILURE() << "no error of the expected kind";
    return "";
  }
  static const ProfiledKernel& kernel_of(const ImportResult& result, std::string_view part) {
    for (const ProfiledKernel& kernel : result.report.files.at(0).kernels)
      if (kernel.name.find(part) != std::string::npos) return kernel;
    throw std::out_of_range(std::string(part));
  }
  static void expect_words(const std::string& message, const std::vector<std::string>& words) {
    for (const std::string& word : words) EXPECT_NE(message.find(word), std::string::npos) << message;
  }

  ScratchFolder folder_;
  GpuCatalog catalog_;
};

TEST_F(ProfileImport, MakesRowsOfOperatorsWithShapes) {
  const ImportResult result = import(folder_.write_gzip("trace.json.gz", usual_trace().text()));
  ASSERT_EQ(result.dataset.size(), 5U);
  const Gemm& mm = std::get<Gemm>(result.dataset.op(0));
  EXPECT_EQ(mm.m, 512);
  EXPECT_EQ(mm.n, 6144);
  EXPECT_EQ(mm.k, 4096);
  EXPECT_EQ(mm.scheme, MatmulScheme::Bf16);
  EXPECT_EQ(mm.residency, Residency::Cold);
  EXPECT_EQ(result.dataset.gpu(0), "h200_sxm");
  EXPECT_EQ(result.dataset.context(0).framework, "pytorch");
  EXPECT_EQ(result.dataset.context(0).kernel, "aten::mm");
  EXPECT_DOUBLE_EQ(result.dataset.latency(0).value(), 60e-6);
  EXPECT_DOUBLE_EQ(result.dataset.latency(1).value(), 23e-6) << "all kernels of one call count";
  const auto& attention = std::get<AttentionPrefill>(result.dataset.op(2));
  EXPECT_EQ(attention.heads, 32);
  EXPECT_EQ(attention.kv_heads, 8);
  EXPECT_TRUE(attention.causal);
  ASSERT_EQ(attention.requests.size(), 1U);
  EXPECT_EQ(attention.requests[0].count, 2);
  EXPECT_EQ(attention.requests[0].query_tokens, 512);
  EXPECT_EQ(std::get<Activation>(result.dataset.op(3)).width, 14336);
  EXPECT_EQ(std::get<RmsNorm>(result.dataset.op(4)).tokens, 64);
  EXPECT_EQ(result.dataset.layout(0), Layout::Kineto);
}

TEST_F(ProfileImport, ListsEveryKernelByTimeAndSaysWhyItGaveNoRow) {
  const ImportResult result = import(folder_.write("trace.json", usual_trace().text()));
  const auto& kernels = result.report.files.at(0).kernels;
  ASSERT_EQ(kernels.size(), 8U);
  EXPECT_EQ(kernels[0].details, "tile 128x256x64 stages 4 cluster 1x2");
  for (std::size_t k = 1; k < kernels.size(); ++k) EXPECT_LE(kernels[k].time, kernels[k - 1].time);
  EXPECT_EQ(kernel_of(result, "wonder").family, "");
  EXPECT_EQ(kernel_of(result, "wonder").as_rows, 0U);
  EXPECT_EQ(kernel_of(result, "flash_fwd").family, "attention_prefill");
  EXPECT_EQ(kernel_of(result, "flash_fwd").as_rows, 1U);
  EXPECT_EQ(result.report.rows_read(), 7U);
  std::set<std::string> reasons;
  for (const SkippedRows& skipped : result.report.skipped()) reasons.insert(skipped.reason);
  EXPECT_TRUE(reasons.contains("my::secret: no such operator here"));
  EXPECT_TRUE(reasons.contains("launched outside of any recorded operator"));
}

TEST_F(ProfileImport, ReadsDecodeLinearFp8AndElementwiseCalls) {
  TraceText trace;
  const json three{"c10::BFloat16", "c10::BFloat16", "c10::BFloat16"};
  trace
      .call("aten::_scaled_dot_product_cudnn_attention",
            {{16, 32, 1, 128}, {16, 8, 1001, 128}, {16, 8, 1001, 128}}, three)
      .kernel("cudnn_generated_fort_native_sdpa_sm90_flash_fprop", 30)
      .call("aten::_flash_attention_forward", {{600, 32, 128}, {600, 8, 128}, {600, 8, 128}}, three)
      .kernel("flash_fwd_splitkv_kernel", 30)
      .call("aten::_scaled_mm", {{64, 4096}, {4096, 4096}, {}, {}},
            {"c10::Float8_e4m3fn", "c10::Float8_e4m3fn"})
      .kernel("sm90_xmma_gemm_e4m3bf16_e4m3f32_f32_tn_n_tilesize64x128x128_warpgroupsize1x1x1", 9)
      .call("aten::add", {{64, 4096}, {64, 4096}, {}}, kBf16x2)
      .kernel("vectorized_elementwise_kernel", 3)
      .call("aten::mul", {{64, 4096}, {64, 1}}, kBf16x2)
      .kernel("elementwise_kernel", 3)
      .call("aten::index_select", {{32000, 4096}, {}, {77}}, {"c10::BFloat16", "", "long int"})
      .kernel("vectorized_gather_kernel", 3);
  const ImportResult result = import(folder_.write("trace.json", trace.text()));
  ASSERT_EQ(result.dataset.size(), 4U);
  const auto& decode = std::get<AttentionDecode>(result.dataset.op(0));
  EXPECT_EQ(decode.requests.at(0).count, 16);
  EXPECT_EQ(decode.requests.at(0).context_tokens, 1000);
  EXPECT_EQ(decode.kv_heads, 8);
  EXPECT_EQ(std::get<Gemm>(result.dataset.op(1)).scheme, MatmulScheme::Fp8Static);
  EXPECT_EQ(std::get<Elementwise>(result.dataset.op(2)).inputs, 2);
  EXPECT_EQ(std::get<Embedding>(result.dataset.op(3)).tokens, 77);
  EXPECT_EQ(result.report.skipped().size(), 2U) << "packed requests, broadcasting";
}

TEST_F(ProfileImport, ReadsCollectivesFromWhatTheProfilerNotesBesideNccl) {
  TraceText trace;
  const json note{{"Collective name", "allreduce"},
                  {"dtype", "BFloat16"},
                  {"In msg nelems", 1048576},
                  {"Out msg nelems", 1048576},
                  {"Group size", 4}};
  json gathered = note;
  gathered["Collective name"] = "_allgather_base";
  gathered["Out msg nelems"] = 4194304;
  trace.call("record_param_comms", {{1048576}}, {"c10::BFloat16"})
      .kernel("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 30, note)
      .call("record_param_comms", {{1048576}}, {"c10::BFloat16"})
      .kernel("ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 50, gathered);
  const ImportResult result = import(folder_.write("trace.json", trace.text()));
  ASSERT_EQ(result.dataset.size(), 2U);
  EXPECT_EQ(result.dataset.family(0), Family::AllReduce);
  EXPECT_DOUBLE_EQ(std::get<Collective>(result.dataset.op(0)).size.value(), 2097152);
  EXPECT_EQ(std::get<Collective>(result.dataset.op(0)).ranks, 4);
  EXPECT_EQ(result.dataset.family(1), Family::AllGather);
  EXPECT_DOUBLE_EQ(std::get<Collective>(result.dataset.op(1)).size.value(), 8388608);
}

TEST_F(ProfileImport, RefusesTracesThatTellNothingAndSaysHowToRecord) {
  TraceText bare;
  bare.call("aten::mm", json::array(), json::array()).kernel("nvjet_tst_1", 5);
  bare.document()["traceEvents"][0]["args"].erase("Input Dims");
  expect_words(error_of<InvalidInput>(folder_.write("bare.json", bare.text())),
               {"bare.json", "record_shapes=True"});

  TraceText replayed;
  replayed.outside().kernel("nvjet_tst_1", 5);
  expect_words(error_of<InvalidInput>(folder_.write("graph.json", replayed.text())),
               {"CUDA graphs", "record_shapes"});

  TraceText host;
  host.call("aten::mm", {{1, 2}, {2, 3}}, kBf16x2);
  expect_words(error_of<InvalidInput>(folder_.write("host.json", host.text())),
               {"no GPU kernel", "ProfilerActivity.CUDA"});

  const std::string whole = usual_trace().text();
  expect_words(error_of<InvalidInput>(folder_.write("cut.json", whole.substr(0, whole.size() / 2))),
               {"cut.json", "cut off", "export it again"});
  expect_words(error_of<InvalidInput>(folder_.write("other.json", "{\"a\": [1]}")), {"traceEvents"});
  expect_words(error_of<InvalidInput>(folder_.write("empty.json", "")), {"empty.json"});
  const auto zipped = folder_.write_gzip("cut.json.gz", whole);
  std::filesystem::resize_file(zipped, std::filesystem::file_size(zipped) / 2);
  expect_words(error_of<IoError>(zipped), {"cut.json.gz", "gzip"});
  expect_words(error_of<IoError>(folder_.path() / "none.json"), {"none.json"});
}

TEST_F(ProfileImport, TakesTheGpuFromTheFilterWhenTheTraceNamesNone) {
  TraceText trace = usual_trace();
  trace.document().erase("deviceProperties");
  const auto path = folder_.write("trace.json", trace.text());
  expect_words(error_of<InvalidInput>(path), {"--gpu"});
  EXPECT_EQ(import(path, Layout::Kineto, {.families = {}, .gpus = {"h100_sxm"}}).dataset.gpu(0), "h100_sxm");
}

TEST_F(ProfileImport, SurvivesOddEvents) {
  TraceText trace = usual_trace();
  auto& events = trace.document()["traceEvents"];
  events.push_back({{"ph", "M"}, {"name", "process_name"}, {"args", {{"name", "python"}}}});
  events.push_back({{"cat", "kernel"}, {"name", 7}, {"dur", "long"}, {"args", {{"External id", "x"}}}});
  events.push_back(
      {{"cat", "cpu_op"}, {"name", "aten::mm"}, {"args", {{"External id", 900}, {"Input Dims", 3}}}});
  events.push_back({{"cat", "cpu_op"},
                    {"name", "aten::cat"},
                    {"args", {{"External id", 901}, {"Input Dims", {{{1, 2}, {3, 4}}, {}}}}}});
  events.push_back(json::array({1, 2}));
  trace.call("aten::mm", {{-5, 4096}, {4096, 0}}, kBf16x2).kernel("gemm", 1);
  EXPECT_EQ(import(folder_.write("trace.json", trace.text())).dataset.size(), 5U);
}

TEST_F(ProfileImport, ListsKernelsOfNsight) {
  const auto sums =
      folder_.write("sums.csv",
                    "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev "
                    "(ns),Name\n"
                    "75.0,\"3,000,000\",30,100000,100000,99000,101000,5.1,\"void "
                    "cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_32x3_tn_"
                    "align8>(T1::Params)\"\n"
                    "25.0,1000000,10,100000,100000,1,1,0.0,wonder_kernel\n");
  const ImportResult of_sums = import(sums, Layout::Nsight);
  EXPECT_EQ(of_sums.dataset.size(), 0U);
  ASSERT_EQ(of_sums.report.files.at(0).kernels.size(), 2U);
  EXPECT_EQ(of_sums.report.files[0].kernels[0].family, "gemm");
  EXPECT_EQ(of_sums.report.files[0].kernels[0].details, "tile 256x128x32 stages 3");
  EXPECT_EQ(of_sums.report.files[0].kernels[0].calls, 30U);
  EXPECT_DOUBLE_EQ(of_sums.report.files[0].kernels[0].time.value(), 3e-3);
  expect_words(of_sums.report.skipped().at(0).reason, {"without the shape", "record_shapes=True"});

  const auto trace =
      folder_.write("trace.csv",
                    "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Device,Strm,Name\n"
                    "10,2000,1,1,1,1,128,1,1,NVIDIA H200 (0),7,ncclDevKernel_AllReduce_Sum_bf16\n"
                    "20,3000,2,1,1,1,128,1,1,NVIDIA H200 (0),7,ncclDevKernel_AllReduce_Sum_bf16\n"
                    "30,900,3,,,,,,,NVIDIA H200 (0),7,[CUDA memcpy Device-to-Device]\n");
  const ImportResult of_trace = import(trace, Layout::Nsight);
  EXPECT_EQ(kernel_of(of_trace, "AllReduce").calls, 2U);
  EXPECT_DOUBLE_EQ(kernel_of(of_trace, "AllReduce").time.value(), 5e-6);
  EXPECT_EQ(kernel_of(of_trace, "memcpy").family, "memory");
}

TEST_F(ProfileImport, ListsKernelsOfNsightCompute) {
  const auto raw =
      folder_.write("raw.csv",
                    "\"ID\",\"Process ID\",\"Kernel Name\",\"Context\",\"gpu__time_duration.sum\"\n"
                    "\"\",\"\",\"\",\"\",\"us\"\n"
                    "\"0\",\"1\",\"fused_moe_kernel\",\"1\",\"1,250.5\"\n");
  EXPECT_NEAR(kernel_of(import(raw, Layout::Nsight), "fused_moe").time.value(), 1250.5e-6, 1e-12);
  EXPECT_EQ(kernel_of(import(raw, Layout::Nsight), "fused_moe").family, "moe");
  const auto details =
      folder_.write("details.csv",
                    "\"ID\",\"Kernel Name\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric "
                    "Value\"\n"
                    "\"0\",\"paged_attention_v2_kernel\",\"S\",\"DRAM Frequency\",\"Ghz\",\"3.2\"\n"
                    "\"0\",\"paged_attention_v2_kernel\",\"S\",\"Duration\",\"ms\",\"1.5\"\n");
  EXPECT_NEAR(kernel_of(import(details, Layout::Nsight), "paged").time.value(), 1.5e-3, 1e-12);
  expect_words(
      error_of<InvalidInput>(folder_.write("odd.csv", "Kernel Name,gpu__time_duration.sum\n,parsec\nk,1\n"),
                             Layout::Nsight),
      {"odd.csv:3", "parsec"});
  expect_words(error_of<InvalidInput>(folder_.write("none.csv", "a,b\n1,2\n"), Layout::Nsight),
               {"none.csv", "cuda_gpu_kern_sum"});
}

TEST(KernelName, TellsFamilyAndTile) {
  const auto expect = [](std::string_view name, std::string_view family, std::string_view details) {
    const KernelName read = read_kernel_name(name);
    EXPECT_EQ(read.family, family) << name;
    EXPECT_EQ(read.details, details) << name;
  };
  expect("nvjet_tst_192x192_64x4_2x1_v_bz_coopA_TNT", "gemm", "tile 192x192x64 stages 4 cluster 2x1");
  expect("ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x4_tn", "gemm", "tile 128x64x64 stages 4");
  expect("sm80_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_stage4_warpsize2x2x1", "gemm",
         "tile 128x128x64 stages 4");
  expect("_ZN7cutlass13device_kernel_GemmUniversal_tuple<cute::C<128>, cute::C<256>, cute::C<64>>", "gemm",
         "tile 128x256x64");
  expect("gemm_tuple<cute::C<2>, cute::C<1>>_tuple<cute::C<64>,cute::C<32>,cute::C<16>>_64x8", "gemm",
         "tile 64x32x16");
  expect("gemm_64x32x16_stages_of_stage3", "gemm", "tile 64x32x16 stages 3");
  expect("gemv2T_kernel_val", "gemm", "");
  expect("void flash::flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<128>>", "attention_decode", "");
  expect("BatchDecodeWithPagedKVCacheKernel", "attention_decode", "");
  expect("void vllm::rotary_embedding_kernel<c10::BFloat16, true>", "rope", "");
  expect("void vllm::reshape_and_cache_flash_kernel", "kv_write", "");
  expect("void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>", "allreduce", "");
  expect("ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL", "reduce_scatter", "");
  expect("fused_moe_kernel_gptq_awq", "moe", "");
  expect("something_else", "", "");
}

}  // namespace
}  // namespace warploom
