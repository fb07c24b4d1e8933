// Kernel: one operator on some GPUs.
import { useMemo } from "preact/hooks";
import { Figure } from "../charts/figure";
import { gpusPlot } from "../charts/kernel_plots";
import type { Named } from "../charts/prediction_parts";
import { pipelinesPlot, rooflinePlot } from "../charts/roofline_plots";
import { staircasePlot } from "../charts/staircase_plots";
import { isObject, numberAt, textAt, withValue, type JsonObject } from "../core/json";
import { useLive, type Live } from "../core/live";
import { families, endAround, sizeOf, sizes, startOf } from "../core/operators";
import { quantity, signedPercent } from "../core/quantity";
import { NamesField } from "../forms/names_field";
import { SchemaForm, type First } from "../forms/schema_form";
import { CommandLine, Takeaways } from "../parts/command";
import { Problem } from "../parts/notices";
import { Section, View } from "../parts/section";
import { SheetTable } from "../parts/sheet_table";
import { PredictionReadings } from "./prediction_readings";
import {
  askPoints,
  askSweeps,
  sweepValues,
  type KernelQuestion,
  type Points,
  type SweepAnswer,
} from "./kernel_answers";
import type { ViewProps } from "./view_props";
import { WhatIf } from "./what_if_panel";

const MOST_GPUS = 4; // with a what-if: 5 x 200 sizes are one request of 1000 questions
const MOST_BYTES = 2 ** 30;
const FEW = new Set([
  "batch",
  "heads",
  "kv_heads",
  "ranks",
  "ranks_per_node",
  "experts",
  "count",
  "inputs",
  "head_dim",
]);

function read(state: JsonObject, schema: JsonObject) {
  const given = Array.isArray(state["gpus"])
    ? state["gpus"].map(String)
    : typeof state["gpus"] === "string"
      ? [state["gpus"]]
      : [];
  const asked = isObject(state["asked"]) ? state["asked"] : {};
  const family = textAt(asked, "operator", "family") || "gemm";
  const form = families(schema).get(family);
  const operator =
    isObject(asked["operator"]) && textAt(asked["operator"], "family") !== ""
      ? asked["operator"]
      : startOf(family, form);
  const fields = form === undefined ? [] : sizes(form);
  const field =
    fields.find((one) => one.path.join(".") === textAt(state, "x")) ??
    fields.find((one) =>
      ["m", "tokens", "rows", "sequences", "context_tokens", "size_bytes"].includes(one.name),
    ) ??
    fields[0];
  const factors = isObject(state["what_if"])
    ? (Object.fromEntries(
        Object.entries(state["what_if"]).filter(([, one]) => typeof one === "number"),
      ) as Record<string, number>)
    : {};
  const question: KernelQuestion = {
    gpus: given.length > 0 ? given.slice(0, MOST_GPUS) : ["H100-SXM"],
    asked: { ...asked, operator },
    factors,
  };
  return { question, family, form, operator, fields, field, log: state["scale"] === "log" };
}

export function Kernel({ known, state, change }: ViewProps) {
  const schema = known.schemas["predict"] ?? {};
  const { question, family, form, operator, fields, field, log } = read(state, schema);
  const points = useLive(JSON.stringify(question), (signal) => askPoints(known, question, signal));
  const here = field === undefined ? 1 : sizeOf(operator, field.path, field.standard);
  const least = Math.max(1, field?.least ?? 1);
  const most = Math.min(field?.most ?? Infinity, numberAt(state, "to") ?? endAround(here, field?.most));
  const over =
    field === undefined
      ? question
      : {
          ...question,
          asked: { ...question.asked, operator: { ...operator, ...swept(operator, field.path) } },
        };
  const sweeps = useLive(JSON.stringify([over, field?.path, least, most, log]), (signal) =>
    field === undefined
      ? Promise.resolve([])
      : askSweeps(known, question, [...field.path], sweepValues(least, most, log), signal),
  );
  const set = (more: JsonObject) => change({ ...state, ...more });
  const setAsked = (asked: JsonObject) => set({ asked });
  return (
    <View
      live
      title="Kernel"
      about="One operator: how long it takes and what limits it."
      inputs={
        <>
          <NamesField
            label="gpus"
            about={`up to ${MOST_GPUS}, side by side`}
            names={question.gpus}
            list="names-of-gpus"
            most={MOST_GPUS}
            set={(gpus) => set({ gpus })}
          />
          <div class="field">
            <label for="family">family</label>
            <select
              id="family"
              value={family}
              onChange={(event) => {
                const next = event.currentTarget.value;
                const { x: _x, to: _to, ...rest } = state;
                change({
                  ...rest,
                  asked: { ...question.asked, operator: startOf(next, families(schema).get(next)) },
                });
              }}
            >
              {[...families(schema).keys()].map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          </div>
          {form === undefined ? null : (
            <SchemaForm
              schema={form}
              value={operator}
              change={(next) => setAsked({ ...question.asked, operator: { ...next, family } })}
              first={leading(form)}
              more="Other fields of the operator"
            />
          )}
          <SchemaForm
            schema={schema}
            value={question.asked}
            change={setAsked}
            first={[]}
            hidden={["gpu", "features"]}
            more="Kernel and predictor"
          />
          <WhatIf
            known={known}
            gpu={question.gpus[0] ?? ""}
            factors={question.factors}
            set={(factors) => set({ what_if: factors })}
          />
        </>
      }
    >
      <Results points={points} question={question} />
      {field === undefined ? null : (
        <Section
          title={`Over ${field.path.join(" ")}`}
          tools={
            <div class="tools">
              <label>
                size{" "}
                <select
                  aria-label="size on the x axis"
                  value={field.path.join(".")}
                  onChange={(event) => set({ x: event.currentTarget.value, to: null })}
                >
                  {fields.map((one) => (
                    <option key={one.path.join(".")} value={one.path.join(".")}>
                      {one.path.join(" ")}
                    </option>
                  ))}
                </select>
              </label>
              <button type="button" aria-pressed={log} onClick={() => set({ scale: log ? "linear" : "log" })}>
                Log
              </button>
              <button
                type="button"
                onClick={() => set({ to: Math.max(64, Math.round(most / 2)) })}
                aria-label="half the range"
              >
                ½×
              </button>
              <button
                type="button"
                onClick={() => set({ to: Math.min(field.most ?? Infinity, most * 2) })}
                aria-label="twice the range"
              >
                2×
              </button>
            </div>
          }
        >
          <SweepFigure sweeps={sweeps} field={field.path.join(" ")} here={here} log={log} />
        </Section>
      )}
    </View>
  );
}

// The swept size itself is left out of what a sweep depends on: moving along the curve asks nothing new.
function swept(operator: JsonObject, path: readonly string[]): JsonObject {
  if (path.length === 1) return { [path[0] as string]: null };
  const rows = operator[path[0] as string];
  return {
    [path[0] as string]: Array.isArray(rows)
      ? rows.map((row) => (isObject(row) ? withValue(row, path.slice(1), null) : row))
      : null,
  };
}

// Sizes with sliders, and groups of requests; the rest stands below.
function leading(form: JsonObject): First[] {
  const sliders = sizes(form)
    .filter((field) => field.path.length === 1)
    .slice(0, 6)
    .map((field) => ({
      path: field.path.join("."),
      slider: {
        least: Math.max(1, field.least ?? 1),
        most: field.name === "size_bytes" ? MOST_BYTES : FEW.has(field.name) ? 1024 : 65_536,
        log: true,
      },
    }));
  return [...sliders, { path: "requests" }];
}

function SweepFigure({
  sweeps,
  field,
  here,
  log,
}: {
  sweeps: Live<SweepAnswer[]>;
  field: string;
  here: number;
  log: boolean;
}) {
  const plot = useMemo(
    () =>
      sweeps.value === null || sweeps.value.length === 0
        ? null
        : staircasePlot(sweeps.value, field, here, log),
    [sweeps.value, field, here, log],
  );
  return (
    <>
      <Problem error={sweeps.problem} />
      {plot === null ? null : <Figure plot={plot} />}
    </>
  );
}

function Results({ points, question }: { points: Live<Points>; question: KernelQuestion }) {
  const named = useMemo(
    () =>
      (points.value?.gpus ?? []).flatMap(({ name, answered }): Named[] =>
        "answer" in answered ? [{ name, document: answered.answer }] : [],
      ),
    [points.value],
  );
  const first = named[0];
  const plots = useMemo(
    () =>
      first === undefined
        ? []
        : [rooflinePlot(first), pipelinesPlot(first), named.length > 1 ? gpusPlot(named) : null],
    [named],
  );
  return (
    <>
      <Problem error={points.problem} />
      {(points.value?.gpus ?? []).map(({ name, answered }) =>
        "problem" in answered ? <Problem key={name} error={answered.problem} about={name} /> : null,
      )}
      {first === undefined ? null : (
        <Section
          title={`${textAt(first.document, "operator", "family")} on ${first.name}`}
          tools={
            <Takeaways
              name="kernel"
              document={{
                asked: { ...question.asked, gpus: question.gpus },
                answers: named.map((one) => ({ gpu: one.name, answer: one.document })),
              }}
            />
          }
        >
          <PredictionReadings document={first.document} />
          <CommandLine request="predict" asked={{ ...question.asked, gpu: question.gpus[0] ?? "" }} />
          {points.value === null ? null : <Change points={points.value} />}
          {(points.value?.stored ?? "") === "" ? null : (
            <CommandLine
              request="predict"
              asked={{ ...question.asked, gpu: points.value!.stored }}
              note="of the what-if; Record, beside its sliders, saves that file"
            />
          )}
          <div class="pair">
            {plots
              .slice(0, 2)
              .map((plot) => (plot === null ? null : <Figure key={plot.title} plot={plot} />))}
          </div>
          {plots[2] ? (
            <>
              <Figure plot={plots[2]} />
              <SheetTable sheet={plots[2].sheet} caption="GPUs side by side" />
            </>
          ) : null}
        </Section>
      )}
    </>
  );
}

// A record that was never measured rests on other GPUs, so it is compared with itself unchanged and not
// with the measured GPU.
function Change({ points }: { points: Points }) {
  const changed = points.gpus[points.gpus.length - 1]?.answered;
  const { same } = points;
  if (
    points.record === null ||
    same === null ||
    changed === undefined ||
    !("answer" in changed) ||
    !("answer" in same)
  )
    return null;
  const [now, before] = [numberAt(changed.answer, "p50_us") ?? 0, numberAt(same.answer, "p50_us") ?? 0];
  return (
    <p class="note" data-what-if>
      What if: {quantity(now, "us")} against {quantity(before, "us")} of the same record unchanged (
      {signedPercent(now / before - 1)}), both as a GPU that nobody measured (tier{" "}
      {textAt(changed.answer, "tier")}, bound {textAt(changed.answer, "bound")}).
    </p>
  );
}
