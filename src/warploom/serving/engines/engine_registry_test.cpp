#include "warploom/serving/engines/engine_registry.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "warploom/base/error.h"
#include "warploom/base/field_text.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/kernels/kernel_hints.h"
#include "warploom/models/model_catalog.h"
#include "warploom/serving/batching/scheduler.h"
#include "warploom/serving/engines/engine_defaults.h"
#include "warploom/serving/engines/engine_kernels.h"
#include "warploom/serving/engines/parallelism.h"
#include "warploom/serving/engines/version_rows.h"

namespace warploom {
namespace {

class EveryEngine : public testing::TestWithParam<const EngineSpec*> {
 protected:
  const EngineSpec& engine() const { return *GetParam(); }
  ServingConfig config() const { return {.engine = std::string(engine().name)}; }
};

INSTANTIATE_TEST_SUITE_P(Registry, EveryEngine, testing::ValuesIn(all_engines().begin(), all_engines().end()),
                         [](const auto& at) { return std::string(at.param->name); });

TEST_P(EveryEngine, IsFoundByItsNameAlone) {
  EXPECT_EQ(&engine_named(engine().name), &engine());
  EXPECT_TRUE(is_engine(engine().framework)) << "kernels must come from an engine that was measured";
  EXPECT_EQ(find_engine(std::string(engine().name) + "x"), nullptr);
}

TEST_P(EveryEngine, AnswersEveryQuestion) {
  EXPECT_NE(engine().defaults, nullptr);
  EXPECT_NE(engine().check, nullptr);
  EXPECT_NE(engine().scheduler, nullptr);
  EXPECT_NE(engine().orders_by_priority, nullptr);
  EXPECT_NE(engine().may_stop_requests, nullptr);
  EXPECT_NE(engine().spread_attention, nullptr);
  EXPECT_NE(engine().expert_transport, nullptr);
  EXPECT_NE(engine().fuse, nullptr);
  EXPECT_NE(engine().windowed_cache, nullptr);
  EXPECT_NE(engine().kernel, nullptr);
  EXPECT_NE(engine().launched_layers, nullptr);
}

TEST_P(EveryEngine, FillsInEveryDefault) {
  for (const char* gpu : {"h100_sxm", "b200_sxm", "l40s"}) {
    ServingConfig resolved = config();
    resolve_defaults(resolved, GpuCatalog().get(gpu), "");
    EXPECT_NO_THROW(check_config(resolved));
    EXPECT_GT(resolved.max_num_seqs.value_or(0), 0);
    EXPECT_GT(resolved.max_num_batched_tokens.value_or(0), 0);
    EXPECT_EQ(resolved.block_size, engine().block_size);
    EXPECT_GT(resolved.gpu_memory_utilization.value_or(0), 0);
    EXPECT_LE(resolved.gpu_memory_utilization.value_or(2), 1);
    EXPECT_EQ(resolved.enable_chunked_prefill, engine().chunks_prompts);
    EXPECT_NE(engine().scheduler(resolved), nullptr);
    EXPECT_EQ(graph_limits_of(resolved).prompts > 0, engine().graphs_prompts);
  }
}

TEST_P(EveryEngine, LeavesADenseModelOnOneGpuAsItIs) {
  const ModelArchitecture model = load_model("Llama-3.1-8B");
  const ServingConfig spread = spread_attention(config(), model);
  EXPECT_EQ(spread.instances, 1);
  EXPECT_EQ(spread.tensor_parallel_size, 1);
  EXPECT_EQ(expert_transport(spread, sharding_of(spread, model)), ExpertTransport::Collectives);
}

TEST_P(EveryEngine, NamesAKernelForEveryOperatorAndAHost) {
  const KernelNames names = kernels_of(std::string(engine().name), "1.0");
  const ModelArchitecture model = load_model("DeepSeek-V3");
  for (const char* gpu : {"h100_sxm", "b200_sxm", "l40s"}) {
    const GpuSpec spec = GpuCatalog().get(gpu);
    for (const Operator& op : {Operator(Gemm{}), Operator(FusedMoe{}), Operator(Collective{})})
      EXPECT_NO_THROW(names.of(op, spec));
    const LaunchedLayers layers = engine().launched_layers(model, spec);
    EXPECT_EQ(layers.all, model.layer_count());
    EXPECT_EQ(layers.experts + layers.fused_experts, model.layers_of<MixtureOfExperts>());
    EXPECT_EQ(layers.latent, model.layer_count());
  }
}

TEST_P(EveryEngine, SpellsFieldsThatThereAre) {
  std::set<std::string_view> seen;
  for (const EngineFlag& flag : engine().flags) {
    const Field* field = fields_of<ServingConfig>().find(flag.field);
    ASSERT_NE(field, nullptr) << flag.field;
    EXPECT_TRUE(seen.insert(flag.flag).second) << flag.flag << " stands twice";
    EXPECT_EQ(fields_of<ServingConfig>().find(flag.flag), nullptr) << flag.flag << " is a field already";
    EXPECT_TRUE(field->kind == FieldKind::Boolean || !(flag.negated || flag.count)) << flag.flag;
    if (!flag.alone) continue;
    const FieldValue set = field_value_from_text(*field, std::string(flag.sets), "sets");
    EXPECT_NO_THROW(check_field_value(*field, set, "sets")) << flag.flag;
  }
}

TEST_P(EveryEngine, IsStartedByACommand) {
  const EngineCommandLine& line = engine().command_line;
  ASSERT_FALSE(line.programs.empty());
  const auto starts = [&](const LaunchWord& word) { return line.example.starts_with(word.program); };
  EXPECT_TRUE(std::any_of(line.programs.begin(), line.programs.end(), starts));
  for (const FileKey& key : line.file_keys) {
    EXPECT_EQ(key.takes == FileValue::Converted, key.text != nullptr) << key.key;
    EXPECT_EQ(key.takes == FileValue::WithoutEffect, key.flag.empty() && key.off.empty()) << key.key;
  }
}

TEST(EngineRegistry, HoldsEachNameOnce) {
  const auto names = engine_names();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  EXPECT_NE(find_engine(default_engine()), nullptr);
  EXPECT_THROW(engine_named("vlm"), NotFound);
  try {
    engine_named("vllm:0.11.0");
    ADD_FAILURE() << "a version is no part of the name";
  } catch (const NotFound& error) {
    EXPECT_NE(std::string(error.what()).find("expected vllm with `engine_version` 0.11.0"), std::string::npos)
        << error.what();
  }
}

TEST(EngineRegistry, OwnersOfFieldsAreEngines) {
  for (const Field& field : fields_of<ServingConfig>().fields) {
    for (const std::string_view owner : field.options.owners) EXPECT_NE(find_engine(owner), nullptr);
    for (const std::string_view needed : field.options.needs)
      EXPECT_NE(fields_of<ServingConfig>().find(needed), nullptr) << field.name;
  }
  EXPECT_EQ(engine_of_field("chunked_prefill_size"), "sglang");
  EXPECT_EQ(engine_of_field("cudagraph_mode"), "vllm");
  EXPECT_EQ(engine_of_field("capacity_scheduler_policy"), "trtllm");
  EXPECT_EQ(engine_of_field("max_num_seqs"), "");
  EXPECT_EQ(engine_of_field("decode_context_parallel_size"), "") << "several have it";
}

// An engine is a value: nothing but the registry ties it to its name.
TEST(EngineSpec, AnInventedOneDiffersOnlyWhereItSaysSo) {
  EngineSpec invented = engine_named("vllm");
  invented.name = "loom";
  invented.defaults = [](const ServingConfig&, const GpuSpec&, std::string_view) {
    return EngineDefaults{.max_num_seqs = 3, .max_num_batched_tokens = 99, .gpu_memory_utilization = 0.5};
  };
  invented.launched_layers = [](const ModelArchitecture&, const GpuSpec&) {
    return LaunchedLayers{.all = 7};
  };
  const ServingConfig config;
  EXPECT_EQ(invented.defaults(config, {}, "").max_num_batched_tokens, 99);
  EXPECT_EQ(invented.launched_layers({}, {}).all, 7);
  EXPECT_NE(invented.scheduler(config), nullptr);
  EXPECT_EQ(invented.framework, "vllm") << "priced with vLLM's kernels until its own are measured";
}

TEST(VersionRows, GiveTheLastThatAVersionHasReached) {
  struct Row {
    std::string_view since, released;
    int value;
  };
  constexpr std::array<Row, 3> kRows{
      {{"0.1.0", "20250102", 1}, {"0.9.0", "20250702", 2}, {"0.20.0", "20260102", 3}}};
  EXPECT_EQ(row_of_version(kRows, "0.0.9").value, 1);
  EXPECT_EQ(row_of_version(kRows, "0.8.5").value, 1);
  EXPECT_EQ(row_of_version(kRows, "0.9.0").value, 2);
  EXPECT_EQ(row_of_version(kRows, "0.19.1").value, 2);
  EXPECT_EQ(row_of_version(kRows, "0.24.0").value, 3);
  EXPECT_EQ(row_of_version(kRows, "").value, 3);
  EXPECT_EQ(row_of_version(kRows, "nightly-5b8c30d6").value, 3) << "no day but part of a commit's name";
  EXPECT_EQ(row_of_version(kRows, "nightly-20240101").value, 1);
  EXPECT_EQ(row_of_version(kRows, "nightly-cu13-20250702-1eea7448").value, 2);
  EXPECT_EQ(row_of_version(kRows, "nightly-20260101").value, 2);
}

}  // namespace
}  // namespace warploom
