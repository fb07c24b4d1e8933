// Plan: which GPUs, how many, how configured, at what cost.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Figure } from "../charts/figure";
import {
  keeps,
  measure,
  MEASURES,
  paretoPlot,
  planPoints,
  planSheet,
  pricesSheet,
  ranked,
  whatIfSheet,
  type Limits,
  type PlanPoint,
} from "../charts/plan_plots";
import { at, isObject, listAt, objectsAt, textAt, type JsonObject } from "../core/json";
import { useJob } from "../core/live";
import { quantity } from "../core/quantity";
import type { Known } from "../core/known";
import { linkTo } from "../core/link";
import { poolsOf, runOf } from "../core/deployment";
import { askedOf, SchemaForm, type First } from "../forms/schema_form";
import { Slider } from "../forms/slider";
import { CommandLine, Takeaways } from "../parts/command";
import { JobButton, JobState } from "../parts/job";
import { Section, View } from "../parts/section";
import { StartCommand } from "../parts/start_command";
import { SheetTable } from "../parts/sheet_table";
import { PlanReadings } from "./plan_readings";
import type { ViewProps } from "./view_props";

const START: JsonObject = {
  model: "Llama-3.1-8B",
  space: { gpu_names: ["H100-SXM", "H200"] },
  source: { random: { random_input_len: 2000, random_output_len: 300 }, request_rate: 12 },
  slo: ["ttft_p95_ms=800", "tpot_p95_ms=40"],
};
const FIRST: First[] = [
  "model",
  "space.gpu_names",
  "space.quantizations",
  "slo",
  "goodput",
  "source.request_rate",
  "source.random.random_input_len",
  "source.random.random_output_len",
  "gpu_count",
  "find_max_rate",
  "objective",
  "price_kind",
  "space.tensor_parallel_sizes",
  "space.pools",
].map((path) => ({ path }));

// The random workload is only the start: a trace, a workload or sessions take its place.
function cleaned(asked: JsonObject): JsonObject {
  const source = isObject(asked["source"]) ? asked["source"] : {};
  const named = ["trace", "workload", "sessions"].some(
    (key) => source[key] !== undefined && source[key] !== "",
  );
  if (!named) return asked;
  const { random: _r, request_rate, ...rest } = source;
  return {
    ...asked,
    source: request_rate === undefined || rest["rate"] !== undefined ? rest : { ...rest, rate: request_rate },
  };
}

export function Plan({ known, state, change }: ViewProps) {
  const asked = cleaned(askedOf(state, START));
  const [plan, setPlan] = useState<{ answer: JsonObject; asked: JsonObject } | null>(null);
  const latest = useRef(state);
  latest.current = state;
  const set = (more: JsonObject) => change({ ...latest.current, ...more });
  const job = useJob((answer, what) => setPlan({ answer, asked: what }));
  useEffect(() => {
    if (state["ran"] === true) job.run("plan", asked);
  }, []);
  return (
    <View
      running={job.progress !== null}
      title="Plan"
      about="Which GPUs, how many, how configured, at what cost. Every candidate is simulated."
      inputs={
        <>
          <div class="run">
            <JobButton
              job={job}
              start={() => {
                set({ ran: true, asked, whole: true });
                job.run("plan", asked);
              }}
            >
              Run
            </JobButton>
          </div>
          <SchemaForm
            schema={known.schemas["plan"] ?? {}}
            value={asked}
            change={(next) => set({ asked: next, whole: true })}
            first={FIRST}
          />
        </>
      }
    >
      <JobState job={job} />
      {plan === null ? (
        job.progress !== null ? null : (
          <Section title="Not run yet">
            <CommandLine request="plan" asked={asked} />
          </Section>
        )
      ) : (
        <PlanResults known={known} plan={plan.answer} asked={plan.asked} state={state} set={set} />
      )}
    </View>
  );
}

function PlanResults({
  known,
  plan,
  asked,
  state,
  set,
}: {
  known: Known;
  plan: JsonObject;
  asked: JsonObject;
  state: JsonObject;
  set(more: JsonObject): void;
}) {
  const [x, y] = [textAt(state, "x") || "user_speed", textAt(state, "y") || "gpu_speed"].map((key, index) =>
    MEASURES[key] === undefined ? ["user_speed", "gpu_speed"][index]! : key,
  ) as [string, string];
  const given = at(state, ["limits"]);
  const limits = useMemo(
    () =>
      Object.fromEntries(
        Object.entries(isObject(given) ? given : {}).filter(
          (one): one is [string, number] => MEASURES[one[0]] !== undefined && typeof one[1] === "number",
        ),
      ),
    [JSON.stringify(given)],
  );
  const points = useMemo(() => planPoints(plan), [plan]);
  const plot = useMemo(() => paretoPlot(plan, x, y, limits), [plan, x, y, limits]);
  const kept = points.filter((point) => keeps(point, limits));
  const [chosen, setChosen] = useState<number | null>(null);
  const axis = (name: "x" | "y", value: string) => (
    <label>
      {name}{" "}
      <select
        value={value}
        aria-label={`measure on the ${name} axis`}
        onChange={(event) => set({ [name]: event.currentTarget.value })}
      >
        {Object.entries(MEASURES).map(([key, one]) => (
          <option key={key} value={key}>
            {one.name}
          </option>
        ))}
      </select>
    </label>
  );
  const best = ranked(plan, "best");
  return (
    <>
      <Section
        title={`${textAt(plan, "model")}: ${textAt(plan, "workload")}`}
        tools={<Takeaways name="plan" document={{ asked, answer: plan }} />}
      >
        <PlanReadings plan={plan} />
        <CommandLine request="plan" asked={asked} />
      </Section>
      <Section
        title={`${kept.length} of ${points.length} deployments`}
        tools={
          <div class="tools">
            {axis("x", x)}
            {axis("y", y)}
          </div>
        }
      >
        <LimitSliders points={points} limits={limits} set={(next) => set({ limits: next })} />
        <Figure plot={plot} />
        <SheetTable
          sheet={planSheet(kept)}
          caption="deployments and their cost"
          marked={(row) =>
            kept[row]?.index === best ? "best-row" : kept[row]?.index === chosen ? "chosen-row" : undefined
          }
          action={{ name: "start command", run: (row) => setChosen(kept[row]?.index ?? null) }}
        />
      </Section>
      {chosen === null || points[chosen] === undefined ? null : (
        <StartOf known={known} plan={plan} asked={asked} point={points[chosen]!} />
      )}
      {objectsAt(plan, "what_if").length === 0 ? null : (
        <Section title="What if">
          <SheetTable sheet={whatIfSheet(plan)} caption="what if" />
        </Section>
      )}
      {listAt(plan, "prices").length === 0 ? null : (
        <Section title="Prices">
          <SheetTable sheet={pricesSheet(plan)} caption="prices" />
        </Section>
      )}
    </>
  );
}

const LIMITED = ["cost", "gpus", "ttft", "tpot", "gpu_speed", "user_speed"];

function LimitSliders({
  points,
  limits,
  set,
}: {
  points: PlanPoint[];
  limits: Limits;
  set(limits: Limits): void;
}) {
  return (
    <div class="limits" role="group" aria-label="limits">
      {LIMITED.map((key) => {
        const { name, unit, better } = MEASURES[key]!;
        const values = [
          ...new Set(points.map((point) => measure(point, key)).filter((one): one is number => one !== null)),
        ].sort((a, b) => a - b);
        if (values.length < 2) return null;
        const free = better === "low" ? values[values.length - 1]! : values[0]!;
        const now = limits[key] ?? free;
        return (
          <div class="limit" key={key} data-limit={key}>
            <span class="label">
              {name}
              <span class="unit">
                {better === "low" ? "≤" : "≥"} {quantity(now, unit)}
              </span>
            </span>
            <Slider
              least={values[0]!}
              most={values[values.length - 1]!}
              steps={values}
              name={name}
              whole={false}
              value={now}
              said={quantity(now, unit)}
              set={(next) => {
                const { [key]: _, ...rest } = limits;
                set(next === free ? rest : { ...rest, [key]: next });
              }}
            />
          </div>
        );
      })}
      <button type="button" class="small" disabled={Object.keys(limits).length === 0} onClick={() => set({})}>
        Clear limits
      </button>
    </div>
  );
}

function StartOf({
  known,
  plan,
  asked,
  point,
}: {
  known: Known;
  plan: JsonObject;
  asked: JsonObject;
  point: PlanPoint;
}) {
  const deployment = point.document["deployment"];
  const pools = useMemo(
    () => (isObject(deployment) ? poolsOf(plan, asked, deployment, known.schemas["simulate"] ?? {}) : []),
    [plan, asked, point],
  );
  const run = runOf(pools, asked);
  const link = run === null ? null : linkTo({ view: "serve", state: { asked: run, whole: true, ran: true } });
  return (
    <Section
      title={`Start ${point.words}`}
      tools={
        link === null ? undefined : (
          <div class="tools">
            <a href={link}>Look at its run</a>
          </div>
        )
      }
    >
      {pools.map((pool) => (
        <div key={pool.role}>
          <h3>
            {pool.role === "pool" ? "" : `${pool.role}: `}
            {pool.instances} × {pool.gpus} {pool.gpu}
          </h3>
          <StartCommand asked={pool.asked} />
        </div>
      ))}
    </Section>
  );
}
