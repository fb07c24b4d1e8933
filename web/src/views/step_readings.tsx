// The figures of a forward pass and of a static batch, for the page and the report.
import { numberAt, objectsAt, textAt, type JsonObject } from "../core/json";
import { hostExposed } from "../charts/step_plots";
import { quantity } from "../core/quantity";
import { Reading, Readings, Tier } from "../parts/marks";

// A step is as well known as the least known of its kernels that take more than this share of it.
const COUNTS = 0.01;

export function leastTier(kernels: JsonObject[]): string {
  const order = ["measured", "cross_gpu", "roofline"];
  return kernels
    .filter((one) => (numberAt(one, "share") ?? 0) >= COUNTS)
    .map((one) => textAt(one, "tier"))
    .reduce((worst, one) => (order.indexOf(one) > order.indexOf(worst) ? one : worst), "measured");
}

export function tierShares(kernels: JsonObject[]): [string, number][] {
  const total = kernels.reduce((sum, one) => sum + (numberAt(one, "share") ?? 0), 0);
  return ["measured", "cross_gpu", "roofline"]
    .map((tier): [string, number] => [
      tier,
      kernels
        .filter((one) => textAt(one, "tier") === tier)
        .reduce((sum, one) => sum + (numberAt(one, "share") ?? 0), 0) / Math.max(total, 1e-12),
    ])
    .filter(([, share]) => share > 0);
}

export function Shares({ shares }: { shares: [string, number][] }) {
  return (
    <span class="marks">
      {shares.map(([tier, share]) => (
        <span key={tier}>
          <Tier tier={tier} /> {quantity(share, "share")}
        </span>
      ))}
    </span>
  );
}

export function StepReadings({ document }: { document: JsonObject }) {
  const at = (...path: string[]) => numberAt(document, ...path);
  const host = hostExposed(document);
  const shift = (end: number | null) => (end === null ? null : end + host);
  return (
    <Readings>
      <Reading
        big
        name="step"
        value={at("step_ms")}
        unit="ms"
        low={shift(at("gpu_ms", "p10"))}
        high={shift(at("gpu_ms", "p90"))}
        more={<Shares shares={tierShares(objectsAt(document, "kernels"))} />}
      />
      <Reading
        name="GPU p50"
        value={at("gpu_ms", "p50")}
        unit="ms"
        low={at("gpu_ms", "p10")}
        high={at("gpu_ms", "p90")}
      />
      <Reading name="host and gaps" value={host} unit="ms" hint="what of the host's time the GPU waits for" />
      <Reading name="host, hidden" value={at("hidden_ms")} unit="ms" hint="behind the GPU's work" />
      <Reading name="tokens" value={at("tokens")} unit="count" />
      <Reading name="GPUs" value={at("gpus")} unit="count" />
      <Reading name="KV cache" value={at("kv_cache_tokens")} unit="tokens" />
      <div class="reading">
        <dt>host profile</dt>
        <dd>{textAt(document, "host_profile") || "–"}</dd>
      </div>
    </Readings>
  );
}
