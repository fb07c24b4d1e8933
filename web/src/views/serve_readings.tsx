// The figures of a serving run, for the page and the report.
import { at, isObject, numberAt, textAt, type JsonObject } from "../core/json";
import { Reading, Readings } from "../parts/marks";
import { Shares } from "./step_readings";

export function ServeReadings({ document }: { document: JsonObject }) {
  const value = (key: string) => numberAt(document, key);
  const ends = (key: string) => {
    const both = ["low", "high"].map((end) => numberAt(document, "interval", end, key));
    return both.some((one) => one === null)
      ? {}
      : { low: Math.min(...(both as number[])), high: Math.max(...(both as number[])) };
  };
  const given = at(document, ["tier_shares"]);
  const shares = isObject(given)
    ? Object.entries(given).filter((one): one is [string, number] => typeof one[1] === "number" && one[1] > 0)
    : [];
  return (
    <Readings>
      <Reading
        big
        name="output"
        value={value("output_throughput")}
        unit="tokens/s"
        {...ends("output_throughput")}
        more={<Shares shares={shares} />}
      />
      <Reading
        name="TTFT p50"
        value={value("p50_ttft_ms") ?? value("median_ttft_ms")}
        unit="ms"
        {...ends("p50_ttft_ms")}
      />
      <Reading name="TTFT p99" value={value("p99_ttft_ms")} unit="ms" {...ends("p99_ttft_ms")} />
      <Reading
        name="TPOT p50"
        value={value("p50_tpot_ms") ?? value("median_tpot_ms")}
        unit="ms"
        {...ends("p50_tpot_ms")}
      />
      <Reading name="TPOT p99" value={value("p99_tpot_ms")} unit="ms" {...ends("p99_tpot_ms")} />
      <Reading
        name="requests"
        value={value("request_throughput")}
        unit="requests/s"
        {...ends("request_throughput")}
      />
      <Reading name="duration" value={value("duration")} unit="s" />
      <Reading name="completed" value={value("completed")} unit="count" />
      <Reading name="preemptions" value={value("preemptions")} unit="count" />
      <Reading name="in flight, most" value={value("max_concurrent_requests")} unit="count" />
      <Reading name="GPUs" value={value("gpus")} unit="count" />
      <Reading name="energy per output token" value={value("energy_per_output_token_j")} unit="J" />
      <Reading name="prefix hits" value={value("prefix_hit_rate")} unit="share" />
      {numberAt(document, "request_goodput") === null ? null : (
        <Reading name="goodput" value={value("request_goodput")} unit="requests/s" />
      )}
      <div class="reading">
        <dt>workload</dt>
        <dd>
          {textAt(document, "workload") || "–"}
          {document["partial"] === true ? " (partial: cancelled)" : ""}
        </dd>
      </div>
      <div class="reading">
        <dt>host profile</dt>
        <dd>
          {textAt(document, "host_profile") || "–"}
          {document["extrapolated"] === true ? ", partly outside the measured sizes" : ""}
        </dd>
      </div>
    </Readings>
  );
}
