// A static batch: its latencies, and its time by kernel.
import { Figure } from "../charts/figure";
import { treemapPlot } from "../charts/step_plots";
import { numberAt, objectsAt, textAt, type JsonObject } from "../core/json";
import { sheet } from "../core/sheet";
import { Reading, Readings } from "../parts/marks";
import { Section } from "../parts/section";
import { SheetTable } from "../parts/sheet_table";
import { Shares, tierShares } from "../views/step_readings";

// Kernels of a batch carry no bound, so the treemap shows them by tier.
function asStep(answer: JsonObject): JsonObject {
  const kernels = objectsAt(answer, "kernels").map((one) => ({
    ...one,
    time_us: (numberAt(one, "time_ms") ?? 0) * 1e3,
    bound: textAt(one, "tier"),
  }));
  const gpu = kernels.reduce((sum, one) => sum + one.time_us, 0) / 1e3;
  return { kernels, step_ms: numberAt(answer, "total_ms") ?? gpu, gpu_ms: { p50: gpu } };
}

export function StaticReport({ answer }: { answer: JsonObject }) {
  const value = (key: string) => numberAt(answer, key);
  const kernels = objectsAt(answer, "kernels");
  const plot = { ...treemapPlot(asStep(answer)), title: "Where the batch's time goes" };
  return (
    <>
      <Section
        title={
          `${textAt(answer, "model")} on ${textAt(answer, "gpu")}, batch ${value("batch")} of ` +
          `${value("input_tokens")} + ${value("output_tokens")} tokens`
        }
      >
        <Readings>
          <Reading
            big
            name="total"
            value={value("total_ms")}
            unit="ms"
            low={value("total_p10_ms")}
            high={value("total_p90_ms")}
            more={<Shares shares={tierShares(kernels)} />}
          />
          <Reading name="prefill" value={value("prefill_ms")} unit="ms" />
          <Reading name="decode step, mean" value={value("decode_mean_ms")} unit="ms" />
          <Reading name="decode step, median" value={value("decode_median_ms")} unit="ms" />
          <Reading name="host" value={value("host_ms")} unit="ms" />
          <Reading name="collectives" value={value("collectives_ms")} unit="ms" />
          <Reading name="output" value={value("output_throughput")} unit="tokens/s" />
          <Reading name="GPUs" value={value("gpus")} unit="count" />
        </Readings>
        <Figure plot={plot} />
      </Section>
      <Section title="Kernels">
        <SheetTable
          caption="kernels"
          sheet={sheet(
            [["kernel"], ["family"], ["calls", "count"], ["time", "ms"], ["share", "share"], ["tier"]],
            kernels.map((one) => [
              textAt(one, "label"),
              textAt(one, "family"),
              numberAt(one, "calls"),
              numberAt(one, "time_ms"),
              numberAt(one, "share"),
              textAt(one, "tier"),
            ]),
          )}
        />
      </Section>
    </>
  );
}
