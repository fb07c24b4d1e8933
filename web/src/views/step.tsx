// Step: one forward pass, kernel by kernel.
import { useMemo } from "preact/hooks";
import { Figure } from "../charts/figure";
import { batchPlot, boundsPlot, kernelSheet, treemapPlot, type BatchPoint } from "../charts/step_plots";
import { textAt, withValue, type JsonObject } from "../core/json";
import { useLive, type Live } from "../core/live";
import { readBatch, batchText, type BatchShape } from "../core/batch";
import { ask, askAll } from "../core/server";
import { sweepValues } from "../core/operators";
import { askedOf, SchemaForm, type First } from "../forms/schema_form";
import { Slider } from "../forms/slider";
import { CommandLine, Takeaways } from "../parts/command";
import { Problem } from "../parts/notices";
import { Section, View } from "../parts/section";
import { SheetTable } from "../parts/sheet_table";
import { StepReadings } from "./step_readings";
import type { ViewProps } from "./view_props";

const START: JsonObject = { setup: { model: "Llama-3.1-8B", gpu: "H100-SXM" } };
const POWERS = [1, 2, 4, 8, 16];
export const PARALLEL: First[] = [
  { path: "setup.model" },
  { path: "setup.gpu" },
  { path: "setup.config.engine" },
  { path: "setup.config.tensor_parallel_size", slider: { least: 1, most: 16, steps: POWERS } },
  { path: "setup.config.pipeline_parallel_size", slider: { least: 1, most: 16, steps: POWERS } },
  { path: "setup.config.data_parallel_size", slider: { least: 1, most: 16, steps: POWERS } },
  { path: "setup.config.enable_expert_parallel" },
  { path: "setup.quantization" },
];
const SWEEP = 48; // steps; a forward pass costs the server some ms

function read(state: JsonObject) {
  const given = askedOf(state, START);
  const asked =
    state["whole"] !== true && given["prefill"] === undefined && given["decode"] === undefined
      ? { ...given, decode: "64x2000" }
      : given;
  return { asked, prefill: readBatch(textAt(asked, "prefill")), decode: readBatch(textAt(asked, "decode")) };
}

export function Step({ known, state, change }: ViewProps) {
  const schema = known.schemas["step"] ?? {};
  const { asked, prefill, decode } = read(state);
  const setAsked = (next: JsonObject) => change({ ...state, asked: next, whole: true });
  const step = useLive(JSON.stringify(asked), (signal) => ask("step", asked, signal));
  const swept = decode.batch > 0 ? "decode" : "prefill";
  const shape = swept === "decode" ? decode : prefill;
  const values = useMemo(
    () => sweepValues(1, Math.max(256, 2 ** Math.ceil(Math.log2(shape.batch * 2))), true, SWEEP),
    [shape.batch > 128 ? shape.batch : 0],
  );
  const over = JSON.stringify([{ ...asked, [swept]: shape.length }, values, swept]);
  const sweep = useLive(over, async (signal): Promise<BatchPoint[]> => {
    const answers = await askAll(
      values.map((batch) => ({
        request: "step",
        asked: { ...asked, [swept]: batchText({ batch, length: shape.length }) },
      })),
      signal,
    );
    return values.flatMap((x, index) => {
      const one = answers[index];
      return one !== undefined && "answer" in one ? [{ x, document: one.answer }] : [];
    });
  });
  const setBatch = (which: "prefill" | "decode") => (next: BatchShape) =>
    setAsked(withValue(asked, [which], next.batch > 0 ? batchText(next) : ""));
  return (
    <View
      live
      title="Step"
      about="One forward pass of an engine: every kernel, the host and the gaps."
      inputs={
        <>
          <BatchSliders
            name="decode"
            about="requests that add a token to cached ones"
            shape={decode}
            set={setBatch("decode")}
            length={2000}
          />
          <BatchSliders
            name="prefill"
            about="prompts computed in this step"
            shape={prefill}
            set={setBatch("prefill")}
            length={1024}
          />
          <SchemaForm
            schema={schema}
            value={asked}
            change={setAsked}
            first={PARALLEL}
            hidden={["prefill", "decode"]}
            engine={textAt(asked, "setup", "config", "engine") || "vllm"}
          />
        </>
      }
    >
      <Problem error={step.problem} />
      <StepResult step={step} asked={asked} />
      <SweepFigure sweep={sweep} now={shape.batch} of={`${swept} batch, ${shape.length} tokens each`} />
    </View>
  );
}

function BatchSliders({
  name,
  about,
  shape,
  set,
  length,
}: {
  name: string;
  about: string;
  shape: BatchShape;
  set(next: BatchShape): void;
  length: number;
}) {
  const tokens = shape.length || length;
  return (
    <fieldset class="field" data-field={name}>
      <legend>
        {name}
        <span class="unit">{shape.batch === 0 ? "none" : `${shape.batch} × ${tokens} tokens`}</span>
      </legend>
      <label class="inline">
        requests
        <input
          type="number"
          min={0}
          max={65536}
          value={shape.batch}
          onInput={(event) =>
            set({ batch: Math.max(0, Math.floor(event.currentTarget.valueAsNumber || 0)), length: tokens })
          }
        />
      </label>
      <Slider
        least={1}
        most={1024}
        log
        name={`${name} requests`}
        whole
        value={Math.max(1, shape.batch)}
        set={(batch) => set({ batch, length: tokens })}
      />
      <label class="inline">
        tokens
        <input
          type="number"
          min={1}
          max={10_000_000}
          value={tokens}
          onInput={(event) =>
            set({
              batch: shape.batch,
              length: Math.max(1, Math.floor(event.currentTarget.valueAsNumber || 1)),
            })
          }
        />
      </label>
      <Slider
        least={16}
        most={131_072}
        log
        name={`${name} tokens`}
        whole
        value={tokens}
        set={(next) => set({ batch: shape.batch, length: next })}
      />
      <p class="hint">{about}</p>
    </fieldset>
  );
}

function StepResult({ step, asked }: { step: Live<JsonObject>; asked: JsonObject }) {
  const document = step.value;
  const plots = useMemo(
    () => (document === null ? [] : [boundsPlot(document), treemapPlot(document)]),
    [document],
  );
  if (document === null) return null;
  return (
    <>
      <Section
        title={`${textAt(document, "batch")}, ${textAt(document, "model")} on ${textAt(document, "gpu")}`}
        tools={<Takeaways name="step" document={{ asked, answer: document }} />}
      >
        <StepReadings document={document} />
        <CommandLine request="step" asked={asked} />
        {plots.map((plot) => (
          <Figure key={plot.title} plot={plot} />
        ))}
      </Section>
      <Section title="Kernels">
        <SheetTable sheet={kernelSheet(document)} caption="kernels of the step" />
      </Section>
    </>
  );
}

function SweepFigure({ sweep, now, of }: { sweep: Live<BatchPoint[]>; now: number; of: string }) {
  const plot = useMemo(
    () => (sweep.value === null || sweep.value.length < 2 ? null : batchPlot(sweep.value, now, of)),
    [sweep.value, now, of],
  );
  return plot === null ? (
    <Problem error={sweep.problem} />
  ) : (
    <Section title="Over the batch">
      <Figure plot={plot} />
    </Section>
  );
}
