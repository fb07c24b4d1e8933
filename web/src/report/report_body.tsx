// The charts and tables of each kind of document.
import { useMemo } from "preact/hooks";
import { Figure } from "../charts/figure";
import { changesSheet, diagnoseSheet, savingsPlot } from "../charts/diagnose_plots";
import { ceilingsPlot, ceilingsSheet, errorsPlot, errorsSheet, tunedSheet } from "../charts/error_plots";
import { fitPlot, fittedSheet } from "../charts/fit_plots";
import { batchesCompared, comparedPlot, comparedSheet, servingCompared } from "../charts/judged_plots";
import { pipelinesPlot, rooflinePlot } from "../charts/roofline_plots";
import { paretoPlot, planPoints, planSheet, pricesSheet, whatIfSheet } from "../charts/plan_plots";
import type { Plot } from "../charts/plot";
import type { Run } from "../charts/serve_plots";
import { kernelTimeSheet, latencySheet } from "../charts/serve_sheets";
import { boundsPlot, kernelSheet, treemapPlot } from "../charts/step_plots";
import { choicesPlot, chosenSheet } from "../charts/tune_plots";
import { isObject, numberAt, objectsAt, textAt, type JsonObject } from "../core/json";
import { quantity, words } from "../core/quantity";
import { servedRequests } from "../core/requests_of_run";
import { sheetOf, unitOf, type Sheet } from "../core/sheet";
import { Reading, Readings } from "../parts/marks";
import { Section } from "../parts/section";
import { SheetTable } from "../parts/sheet_table";
import { FitReadings } from "../views/fit_readings";
import { LeaderboardFigures } from "../views/leaderboard_figures";
import { PlanReadings } from "../views/plan_readings";
import { PredictionReadings } from "../views/prediction_readings";
import { RegretFigures } from "../views/regret_figures";
import { RunFigures } from "../views/run_figures";
import { ServeReadings } from "../views/serve_readings";
import { StepReadings } from "../views/step_readings";
import { StaticReport } from "./static_report";

type Body = (props: { answer: JsonObject }) => preact.JSX.Element;

function Plots({ plots }: { plots: (Plot | null)[] }) {
  return <>{plots.map((plot) => (plot === null ? null : <Figure key={plot.title} plot={plot} />))}</>;
}

function Table({ title, sheet }: { title: string; sheet: Sheet }) {
  return sheet.rows.length === 0 ? null : (
    <Section title={title}>
      <SheetTable sheet={sheet} caption={title} />
    </Section>
  );
}

const Predict: Body = ({ answer }) => {
  const named = { name: textAt(answer, "gpu"), document: answer };
  const plots = useMemo(() => [rooflinePlot(named), pipelinesPlot(named)], []);
  return (
    <Section title={`${textAt(answer, "operator", "family")} on ${named.name}`}>
      <PredictionReadings document={answer} />
      <Plots plots={plots} />
    </Section>
  );
};

const Step: Body = ({ answer }) => {
  const plots = useMemo(() => [boundsPlot(answer), treemapPlot(answer)], []);
  return (
    <>
      <Section title={`${textAt(answer, "batch")}, ${textAt(answer, "model")} on ${textAt(answer, "gpu")}`}>
        <StepReadings document={answer} />
        <Plots plots={plots} />
      </Section>
      <Table title="Kernels" sheet={kernelSheet(answer)} />
    </>
  );
};

const Simulate: Body = ({ answer }) => {
  const runs = useMemo(
    (): Run[] => [
      {
        name: textAt(answer, "model") || "run",
        document: answer,
        requests: servedRequests(answer),
        measured: false,
      },
    ],
    [],
  );
  return (
    <>
      <Section title={`${textAt(answer, "model")} on ${textAt(answer, "gpu")}, ${textAt(answer, "engine")}`}>
        <ServeReadings document={answer} />
      </Section>
      <Table title="Latency" sheet={latencySheet(runs)} />
      <RunFigures runs={runs} still />
      <Table title="Kernel time" sheet={kernelTimeSheet(answer)} />
    </>
  );
};

const Plan: Body = ({ answer }) => {
  const plots = useMemo(
    () =>
      [paretoPlot(answer, "user_speed", "gpu_speed", {}), paretoPlot(answer, "cost", "tpot", {})].map(
        (plot, index) => ({ ...plot, title: index === 0 ? "Speed of users and GPUs" : "TPOT and cost" }),
      ),
    [],
  );
  return (
    <>
      <Section title={`${textAt(answer, "model")}: ${textAt(answer, "workload")}`}>
        <PlanReadings plan={answer} />
        <Plots plots={plots} />
      </Section>
      <Table title="Deployments" sheet={planSheet(planPoints(answer))} />
      <Table title="What if" sheet={whatIfSheet(answer)} />
      <Table title="Prices" sheet={pricesSheet(answer)} />
    </>
  );
};

const Diagnose: Body = ({ answer }) => (
  <>
    <Section title={textAt(answer, "source")}>
      <Readings>
        <Reading
          big
          name="would be saved at the ceilings"
          value={numberAt(answer, "saved_us")}
          unit="us"
          more={<span class="interval">of {quantity(numberAt(answer, "time_us"), "us")}</span>}
        />
        <Reading name="quantile of the ceiling" value={numberAt(answer, "quantile")} unit="plain" />
      </Readings>
      <Plots plots={[savingsPlot(answer)]} />
    </Section>
    <Table title="Expected gain" sheet={changesSheet(answer)} />
    <Table title="Kernels and causes" sheet={diagnoseSheet(answer)} />
    <Table title="Left out" sheet={sheetOf(objectsAt(answer, "left_out"))} />
  </>
);

const TuneShow: Body = ({ answer }) => (
  <>
    <Section title={`${textAt(answer, "kernel")} on ${textAt(answer, "gpu")}`}>
      <Plots plots={[choicesPlot(answer)]} />
    </Section>
    <Table title="Chosen configurations" sheet={chosenSheet(answer)} />
  </>
);

const TuneRegret: Body = ({ answer }) => (
  <Section title="Regret">
    <RegretFigures document={answer} />
  </Section>
);

const TuneFit: Body = ({ answer }) => (
  <>
    <Section title={`${textAt(answer, "kernel")} on ${textAt(answer, "gpu")}`}>
      <FitReadings document={answer} />
      <Plots plots={[fitPlot(answer)]} />
    </Section>
    <Table title="Configurations" sheet={fittedSheet(answer)} />
  </>
);

const Leaderboard: Body = ({ answer }) => <LeaderboardFigures document={answer} />;

const Serving: Body = ({ answer }) => {
  const rows = servingCompared(answer);
  return (
    <>
      <Section title={`${textAt(answer, "model")} on ${textAt(answer, "gpu")}, ${textAt(answer, "engine")}`}>
        <Plots plots={[comparedPlot(rows, "Latencies, predicted against measured")]} />
      </Section>
      <Table title="Figures" sheet={comparedSheet(rows)} />
      <Table title="Kernel time" sheet={kernelTimeSheet(answer)} />
    </>
  );
};

const Batches: Body = ({ answer }) => (
  <>
    <Plots plots={[comparedPlot(batchesCompared(answer), "Batches, predicted against measured")]} />
    <Anything answer={answer} />
  </>
);

const Kernels: Body = ({ answer }) => (
  <>
    <Section title="Kernels">
      <Scalars document={isObject(answer["overall"]) ? answer["overall"] : answer} />
      <Plots plots={[errorsPlot(answer)]} />
    </Section>
    {["families", "gpus", "tiers"].map((by) => (
      <Table key={by} title={words(by)} sheet={errorsSheet(answer, by)} />
    ))}
    <Table title="Cells" sheet={sheetOf(objectsAt(answer, "cells"))} />
    <Table title="Not judged" sheet={sheetOf(objectsAt(answer, "skipped"))} />
    {textAt(answer, "split") === "" ? null : <p class="note">{textAt(answer, "split")}</p>}
  </>
);

const Ceilings: Body = ({ answer }) => (
  <>
    <Section title={`Ceilings at quantile ${quantity(numberAt(answer, "quantile"), "plain")}`}>
      <p class="note">{textAt(answer, "split")}</p>
      <Plots plots={[ceilingsPlot(answer, "families"), ceilingsPlot(answer, "gpus")]} />
    </Section>
    <Table title="Families" sheet={ceilingsSheet(answer, "families")} />
    <Table title="GPUs" sheet={ceilingsSheet(answer, "gpus")} />
    {objectsAt(answer, "tuned").map((one) => (
      <Table key={textAt(one, "source")} title={textAt(one, "source")} sheet={tunedSheet(one)} />
    ))}
    <Table title="Not judged" sheet={sheetOf(objectsAt(answer, "skipped"))} />
  </>
);

// Means and biases of errors say so in the name above them alone.
const ERRORS = new Set(["mean", "bias", "median"]);

function Scalars({ document, of = "" }: { document: JsonObject; of?: string }) {
  return (
    <Readings>
      {Object.entries(document)
        .filter(([, value]) => typeof value === "number")
        .map(([key, value]) => (
          <Reading
            key={key}
            name={words(key)}
            value={value as number}
            unit={ERRORS.has(of) ? "share" : (unitOf(key) ?? "plain")}
          />
        ))}
    </Readings>
  );
}

// A document without charts of its own: its figures, and its lists as tables.
const Anything: Body = ({ answer }) => (
  <>
    <Scalars document={answer} />
    {Object.entries(answer).map(([key, value]) => {
      if (isObject(value))
        return Object.values(value).some((one) => typeof one === "number") ? (
          <Section key={key} title={words(key)}>
            <Scalars document={value} of={key} />
          </Section>
        ) : (
          <Table
            key={key}
            title={words(key)}
            sheet={sheetOf(
              Object.entries(value)
                .filter((one) => isObject(one[1]))
                .map(([name, one]) => ({ name, ...(one as JsonObject) })),
            )}
          />
        );
      return <Table key={key} title={words(key)} sheet={sheetOf(objectsAt(answer, key))} />;
    })}
  </>
);

const BODIES: Record<string, Body> = {
  predict: Predict,
  step: Step,
  static: StaticReport,
  simulate: Simulate,
  plan: Plan,
  diagnose: Diagnose,
  tune_show: TuneShow,
  tune_regret: TuneRegret,
  tune_fit: TuneFit,
  leaderboard: Leaderboard,
  validate_serving: Serving,
  validate_static: Batches,
  validate_concurrency: Batches,
  validate_kernels: Kernels,
  validate_leave_out: Kernels,
  validate_ceilings: Ceilings,
};

// `validate` without saying which, as older programs wrote it: told by the keys.
function bodyOf(request: string, answer: JsonObject): Body {
  if (BODIES[request] !== undefined) return BODIES[request];
  if (request === "tune") return answer["points"] === undefined ? TuneRegret : TuneShow;
  if (request !== "validate") return Anything;
  return answer["metrics"] !== undefined ? Serving : answer["families"] !== undefined ? Kernels : Batches;
}

export function ReportBody({ request, answer }: { request: string; answer: JsonObject }) {
  const Chosen = bodyOf(request, answer);
  return <Chosen answer={answer} />;
}
