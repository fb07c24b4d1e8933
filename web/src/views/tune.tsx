// Tune: measured samples into a table, what it chooses as m grows, and how near the best it is.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Figure } from "../charts/figure";
import { fitPlot } from "../charts/fit_plots";
import { choicesPlot, chosenSheet } from "../charts/tune_plots";
import { isObject, listAt, numberAt, textAt, type Json, type JsonObject } from "../core/json";
import { useJob, useLive } from "../core/live";
import { ask, download } from "../core/server";
import { readFields } from "../core/schema";
import { FieldRow } from "../forms/field_row";
import { SchemaForm } from "../forms/schema_form";
import { CommandLine, Takeaways } from "../parts/command";
import { Tier } from "../parts/marks";
import { JobButton, JobState } from "../parts/job";
import { Problem } from "../parts/notices";
import { Section, View } from "../parts/section";
import { SheetTable } from "../parts/sheet_table";
import { save } from "../parts/save";
import { FitReadings } from "./fit_readings";
import { RegretFigures } from "./regret_figures";
import type { ViewProps } from "./view_props";

const NEW_FILE = "upload:new"; // the server keeps what it writes and says where

export function Tune({ known, state, change }: ViewProps) {
  const fit = isObject(state["fit"]) ? state["fit"] : {};
  const table = textAt(state, "table");
  const judge = isObject(state["judge"]) ? state["judge"] : {};
  const oracle = listAt(judge, "oracle").map(String);
  const shape = {
    n: numberAt(state, "n") ?? 4096,
    k: numberAt(state, "k") ?? 4096,
    m: numberAt(state, "m") ?? 4096,
  };
  const gpu = textAt(fit, "gpu") || "H100-SXM";
  const [fitted, setFitted] = useState<JsonObject | null>(null);
  const [regret, setRegret] = useState<JsonObject | null>(null);
  const latest = useRef(state);
  latest.current = state;
  const set = (more: JsonObject) => change({ ...latest.current, ...more });
  const fitting = useJob((answer) => {
    setFitted(answer);
    const made = textAt(answer, "files", "output");
    if (made !== "") set({ table: made });
  });
  // Without a sample: other GPUs' formulas make a table too.
  const untimed = useJob((answer) => {
    const made = textAt(answer, "files", "output");
    if (made !== "") set({ table: made });
  });
  const judging = useJob((answer) => setRegret(answer));
  const regretAsked: JsonObject = {
    ...judge,
    table,
    ...(listAt(fit, "samples").length > 0 ? { samples: fit["samples"] as Json } : {}),
  };
  useEffect(() => {
    if (state["judged"] === true && table !== "" && oracle.length > 0)
      judging.run("tune_regret", regretAsked);
  }, []);
  return (
    <View
      title="Tune"
      about="Which tile configuration for which shape, from a few measured anchors."
      inputs={
        <>
          <h2>Fit</h2>
          <SchemaForm
            schema={known.schemas["tune_fit"] ?? {}}
            value={fit}
            change={(next) => set({ fit: next })}
            first={[{ path: "samples" }, { path: "gpu" }]}
            hidden={["output"]}
          />
          <div class="run">
            <JobButton
              job={fitting}
              ready={listAt(fit, "samples").length > 0}
              start={() => fitting.run("tune_fit", { ...fit, output: NEW_FILE })}
            >
              Fit a table
            </JobButton>
          </div>
          <h2>Table</h2>
          <TableField known={known} table={table} set={(next) => set({ table: next })} />
          <SchemaForm
            schema={known.schemas["tune_regret"] ?? {}}
            value={judge}
            change={(next) => set({ judge: next })}
            first={[{ path: "oracle" }, { path: "with_baselines" }]}
            hidden={["table", "samples"]}
          />
          <div class="run">
            <JobButton
              job={judging}
              ready={table !== "" && oracle.length > 0}
              start={() => {
                set({ judged: true });
                judging.run("tune_regret", regretAsked);
              }}
            >
              Judge
            </JobButton>
          </div>
          <h2>Shape</h2>
          {(["n", "k", "m"] as const).map((key) => (
            <ShapeField key={key} name={key} value={shape[key]} set={(value) => set({ [key]: value })} />
          ))}
        </>
      }
    >
      {[fitting, untimed, judging].map((job, index) => (
        <JobState key={index} job={job} />
      ))}
      {table === "" ? (
        <Section title="No table yet">
          <p class="note">
            Drop samples (CSV, also .gz) on the field and fit a table, or drop a table (.wlt) that{" "}
            <code>warploom tune fit</code> wrote. Nothing was timed yet? What other GPUs tell of this kernel
            makes a table for {gpu}, which <code>warploom tune fit --cross-gpu</code> makes too.
          </p>
          <JobButton job={untimed} start={() => untimed.run("tune_fit_cross_gpu", { gpu, output: NEW_FILE })}>
            Make a table without samples
          </JobButton>
        </Section>
      ) : null}
      {fitted === null ? null : <Fitted document={fitted} asked={fit} />}
      {table === "" ? null : <Choices table={table} shape={shape} />}
      {regret === null ? null : (
        <Section
          title="Regret"
          tools={<Takeaways name="regret" document={{ asked: regretAsked, answer: regret }} />}
        >
          <CommandLine request="tune_regret" asked={regretAsked} />
          <RegretFigures document={regret} />
        </Section>
      )}
    </View>
  );
}

const ABOUT = { n: "columns (keys)", k: "depth (batch x heads)", m: "the largest m" };

function ShapeField({
  name,
  value,
  set,
}: {
  name: "n" | "k" | "m";
  value: number;
  set(value: number): void;
}) {
  const field = {
    path: [name],
    name,
    kind: "integer" as const,
    nullable: false,
    about: ABOUT[name],
    unit: "",
    group: "",
    owners: [],
    options: [],
    examples: [],
    standard: 4096,
    least: 1,
    most: 1_000_000,
    required: false,
    items: undefined,
    inner: [],
  };
  return (
    <FieldRow
      field={field}
      value={value}
      set={(given) => set(typeof given === "number" ? given : 4096)}
      slider={{ least: name === "m" ? 64 : 64, most: 65_536, log: true }}
    />
  );
}

function TableField({
  known,
  table,
  set,
}: {
  known: ViewProps["known"];
  table: string;
  set(table: string): void;
}) {
  const field = useMemo(
    () => readFields(known.schemas["tune_regret"] ?? {}).find((one) => one.name === "table"),
    [known],
  );
  return field === undefined ? null : (
    <FieldRow
      field={{ ...field, required: false }}
      value={table || undefined}
      set={(value) => set(typeof value === "string" ? value : "")}
    />
  );
}

function Fitted({ document, asked }: { document: JsonObject; asked: JsonObject }) {
  const plot = useMemo(() => fitPlot(document), [document]);
  const [open, setOpen] = useState(false); // a chart needs its width, which a closed place has none of
  const made = textAt(document, "files", "output");
  return (
    <Section
      title={`Table of ${textAt(document, "kernel")} on ${textAt(document, "gpu")}`}
      tools={<Takeaways name="fit" document={{ asked, answer: document }} />}
    >
      <FitReadings document={document} />
      <CommandLine request="tune_fit" asked={{ ...asked, output: "table.wlt" }} />
      {plot === null ? null : (
        <details class="more" onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>How well each configuration was fitted</summary>
          {open ? <Figure plot={plot} /> : null}
        </details>
      )}
      {made === "" ? null : (
        <div class="tools">
          <button type="button" onClick={() => void download(made).then((blob) => save("table.wlt", blob))}>
            Download the table
          </button>
        </div>
      )}
    </Section>
  );
}

function Choices({ table, shape }: { table: string; shape: { n: number; k: number; m: number } }) {
  const asked = { table, ...shape };
  const shown = useLive(JSON.stringify(asked), (signal) => ask("tune_show", asked, signal));
  const plot = useMemo(
    () =>
      shown.value === null || listAt(shown.value, "points").length === 0 ? null : choicesPlot(shown.value),
    [shown.value],
  );
  return (
    <Section
      title="Staircase"
      tools={
        shown.value === null ? undefined : (
          <Takeaways name="staircase" document={{ asked, answer: shown.value }} />
        )
      }
    >
      <Problem error={shown.problem} />
      {shown.value === null || plot === null ? null : (
        <>
          <p class="note">
            {textAt(shown.value, "kernel")} on {textAt(shown.value, "gpu")},{" "}
            <Tier tier={textAt(shown.value, "tier")} />, default {textAt(shown.value, "default")}
          </p>
          <CommandLine request="tune_show" asked={asked} />
          <Figure plot={plot} />
          <SheetTable sheet={chosenSheet(shown.value)} caption="chosen configurations" />
        </>
      )}
    </Section>
  );
}
