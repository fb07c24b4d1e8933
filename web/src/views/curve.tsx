// Curve: a serving run at several loads or of several deployments, measured runs laid over it.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { CURVE_MEASURES, curvePlot, curveSheet, linesOf } from "../charts/curve_plots";
import { Figure } from "../charts/figure";
import { isObject, objectsAt, textAt, withValue, type JsonObject } from "../core/json";
import { useJob } from "../core/live";
import { askedOf, SchemaForm, type First } from "../forms/schema_form";
import { CommandLine, Takeaways } from "../parts/command";
import { JobButton, JobState } from "../parts/job";
import { Section, View } from "../parts/section";
import { SheetTable } from "../parts/sheet_table";
import type { ViewProps } from "./view_props";

const LISTS = ["max_concurrencies", "request_rates", "tp_sizes", "quantizations", "engines"];
const START: JsonObject = {
  run: {
    setup: { model: "Llama-3.1-8B", gpu: "H100-SXM" },
    source: { random: { random_input_len: 1000, random_output_len: 200 }, requests: 200 },
  },
  max_concurrencies: [1, 4, 16, 64],
};
const FIRST: First[] = [
  "run.setup.model",
  "run.setup.gpu",
  ...LISTS,
  "measured",
  "run.source.random.random_input_len",
  "run.source.random.random_output_len",
  "run.source.requests",
].map((path) => ({ path }));

// The lengths of the start give way to a workload that is named, its loads to others that are asked for.
function cleaned(asked: JsonObject, given: JsonObject): JsonObject {
  const run = isObject(asked["run"]) ? asked["run"] : {};
  const source = isObject(run["source"]) ? run["source"] : {};
  const named = ["trace", "workload", "sessions"].some(
    (key) => source[key] !== undefined && source[key] !== "",
  );
  const plain = named ? withValue(asked, ["run", "source", "random"], undefined) : asked;
  const others = LISTS.some((key) => key !== "max_concurrencies" && given[key] !== undefined);
  return others && given["max_concurrencies"] === undefined
    ? withValue(plain, ["max_concurrencies"], undefined)
    : plain;
}

export function Curve({ known, state, change }: ViewProps) {
  const given = isObject(state["asked"]) ? state["asked"] : {};
  const asked = cleaned(askedOf(state, START), given);
  const [answer, setAnswer] = useState<{ curve: JsonObject; asked: JsonObject } | null>(null);
  const latest = useRef(state);
  latest.current = state;
  const set = (more: JsonObject) => change({ ...latest.current, ...more });
  const job = useJob((curve, what) => setAnswer({ curve, asked: what }));
  useEffect(() => {
    if (state["ran"] === true || Object.keys(state).length === 0) job.run("curve", asked);
  }, []);
  return (
    <View
      running={job.progress !== null}
      title="Curve"
      about="Throughput against speed: a serving run at several loads, or of several deployments."
      inputs={
        <>
          <div class="run">
            <JobButton
              job={job}
              start={() => {
                set({ ran: true, asked, whole: true });
                job.run("curve", asked);
              }}
            >
              Run
            </JobButton>
          </div>
          <SchemaForm
            schema={known.schemas["curve"] ?? {}}
            value={asked}
            change={(next) => set({ asked: next, whole: true })}
            first={FIRST}
            hidden={["views"]}
            engine={textAt(asked, "run", "setup", "config", "engine")}
          />
        </>
      }
    >
      <JobState job={job} />
      {answer === null ? null : <CurveResults curve={answer.curve} asked={answer.asked} />}
    </View>
  );
}

function CurveResults({ curve, asked }: { curve: JsonObject; asked: JsonObject }) {
  const { gpu, user, throughput, tpot, ttft } = CURVE_MEASURES;
  const plots = useMemo(
    () => [
      curvePlot(curve, "Throughput of a GPU against speed for a user", user, gpu),
      curvePlot(curve, "Throughput against time per output token", tpot, throughput),
      curvePlot(curve, "Throughput against time to first token", ttft, throughput),
    ],
    [curve],
  );
  const table = useMemo(() => curveSheet(curve), [curve]);
  const points = objectsAt(curve, "points").length;
  const deployments = linesOf(curve).size;
  return (
    <>
      <Section
        title={`${textAt(curve, "model")} on ${textAt(curve, "gpu")}: ${points} points`}
        tools={<Takeaways name="curve" document={{ asked, answer: curve }} />}
      >
        <p class="note">
          {deployments === 1 ? "One deployment" : `${deployments} deployments`}, {textAt(curve, "workload")}.
        </p>
        <CommandLine request="curve" asked={asked} />
        <SheetTable sheet={table} caption="Points" visibleCaption />
      </Section>
      <Section title="Curves">
        {plots.map((plot) => (
          <Figure key={plot.title} plot={plot} />
        ))}
      </Section>
    </>
  );
}
