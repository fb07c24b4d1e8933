// A deployment of a plan as the fields of `simulate`: to start its engine, or to look at its run.
import { isObject, numberAt, textAt, withValue, type Json, type JsonObject } from "./json";
import { belongsTo, leaves, readFields } from "./schema";

export interface StartedPool {
  role: string; // "pool", "prefill" or "decode"
  instances: number;
  gpus: number; // of one instance
  gpu: string;
  asked: JsonObject;
}

// "eagle3:3" as the engines' own speculative_config.
function drafts(words: string): string {
  const [method = "", tokens] = words.split(":");
  if (method === "" || method === "none") return "";
  return JSON.stringify({ method, num_speculative_tokens: Number(tokens) });
}

function shapeOf(shape: JsonObject, engine: string, schema: JsonObject): JsonObject {
  const [tp, pp, dp] = ["tensor_parallel", "pipeline_parallel", "data_parallel"].map(
    (key) => numberAt(shape, key) ?? 1,
  ) as [number, number, number];
  // An engine with this field counts attention groups within its tensor-parallel GPUs.
  const field = leaves(readFields(schema)).find((one) => one.name === "enable_dp_attention");
  const within = dp > 1 && field !== undefined && belongsTo(field, engine);
  return {
    tensor_parallel_size: within ? tp * dp : tp,
    pipeline_parallel_size: pp,
    data_parallel_size: dp,
    enable_expert_parallel: shape["expert_parallel"] === true,
    ...(within ? { enable_dp_attention: true } : {}),
  };
}

function given(fields: { [key: string]: Json | undefined }): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).filter(
      (one): one is [string, Json] =>
        one[1] !== undefined && one[1] !== null && one[1] !== "" && one[1] !== 0,
    ),
  );
}

// `asked`: the plan's request; `schema`: that of `simulate`.
export function poolsOf(
  plan: JsonObject,
  asked: JsonObject,
  deployment: JsonObject,
  schema: JsonObject,
): StartedPool[] {
  const engine = textAt(deployment, "engine");
  const quantization = textAt(deployment, "quantization");
  const config = given({
    engine,
    max_num_seqs: deployment["max_num_seqs"],
    max_num_batched_tokens: deployment["max_num_batched_tokens"],
    kv_offloading_size: deployment["kv_offloading_gib"],
    speculative_config: drafts(textAt(deployment, "speculation")),
    kv_cache_dtype: asked["kv_cache_dtype"],
    gpu_memory_utilization: asked["gpu_memory_utilization"],
  });
  if (deployment["prefix_caching"] === false) config["enable_prefix_caching"] = false;
  return ["pool", "prefill", "decode"].flatMap((role): StartedPool[] => {
    const shape = deployment[role];
    if (!isObject(shape)) return [];
    const setup = given({
      model: textAt(plan, "model"),
      gpu: textAt(shape, "gpu"),
      quantization: quantization === "stored" ? "" : quantization,
      engine_version: textAt(deployment, "engine_version"),
    });
    const parts = ["tensor_parallel", "pipeline_parallel", "data_parallel"];
    return [
      {
        role,
        instances: numberAt(shape, "instances") ?? 1,
        gpus: parts.reduce((product, key) => product * (numberAt(shape, key) ?? 1), 1),
        gpu: textAt(shape, "gpu"),
        asked: { setup: { ...setup, config: { ...config, ...shapeOf(shape, engine, schema) } } },
      },
    ];
  });
}

// The deployment under the plan's own load, for the Serve view; null where prefill and decode are apart.
export function runOf(pools: StartedPool[], asked: JsonObject): JsonObject | null {
  const pool = pools[0];
  if (pool === undefined || pools.length !== 1) return null;
  const source = isObject(asked["source"]) ? asked["source"] : {};
  return withValue(
    { ...pool.asked, source },
    ["setup", "config", "instances"],
    pool.instances > 1 ? pool.instances : undefined,
  );
}
