// Accuracy: predicted against measured, per family and GPU, and the leaderboard.
import { useEffect, useMemo, useState } from "preact/hooks";
import { judge, judgedRows, judgementSheet, scatterPlot, type JudgedRow } from "../charts/accuracy_plots";
import { Figure } from "../charts/figure";
import { objectsAt, textAt, type JsonObject } from "../core/json";
import { get } from "../core/server";
import { sheetOf } from "../core/sheet";
import { CommandText, Takeaways } from "../parts/command";
import { Reading, Readings } from "../parts/marks";
import { Problem } from "../parts/notices";
import { Section, View } from "../parts/section";
import { SheetTable } from "../parts/sheet_table";
import type { ViewProps } from "./view_props";

export function Accuracy({ state, change }: ViewProps) {
  const [document, setDocument] = useState<JsonObject | null>(null);
  const [problem, setProblem] = useState<Error | null>(null);
  useEffect(() => void get("/accuracy").then(setDocument).catch(setProblem), []);
  const all = useMemo(() => (document === null ? [] : judgedRows(document)), [document]);
  const chosen = (key: "family" | "gpu" | "split") => textAt(state, key);
  const rows = useMemo(
    () =>
      all.filter((row) =>
        (["family", "gpu", "split"] as const).every((key) => chosen(key) === "" || row[key] === chosen(key)),
      ),
    [all, chosen("family"), chosen("gpu"), chosen("split")],
  );
  const by = textAt(state, "by") === "gpu" ? "gpu" : "family";
  const plot = useMemo(() => (rows.length === 0 ? null : scatterPlot(rows, by)), [rows, by]);
  const sheet = useMemo(() => judgementSheet(rows), [rows]);
  return (
    <View
      live
      title="Accuracy"
      about="Kernels that were measured, beside what is predicted for them."
      inputs={
        <>
          {(["family", "gpu", "split"] as const).map((key) => (
            <Filter
              key={key}
              name={key}
              rows={all}
              value={chosen(key)}
              set={(value) => change({ ...state, [key]: value })}
            />
          ))}
          <div class="field">
            <label for="by">colour by</label>
            <select
              id="by"
              value={by}
              onChange={(event) => change({ ...state, by: event.currentTarget.value })}
            >
              <option value="family">family</option>
              <option value="gpu">GPU</option>
            </select>
          </div>
        </>
      }
    >
      <Problem error={problem} />
      {document === null ? null : (
        <Section
          title={`${rows.length} of ${all.length} measured kernels`}
          tools={<Takeaways name="accuracy" document={document} />}
        >
          {rows.length === 0 ? <p class="note">No rows for this choice.</p> : <Judged rows={rows} />}
          {textAt(document, "command") === "" ? null : <CommandText command={textAt(document, "command")} />}
          {textAt(document, "about") === "" ? null : <p class="note">{textAt(document, "about")}</p>}
          {plot === null ? null : <Figure plot={plot} />}
          <SheetTable sheet={sheet} caption="error and coverage by family and GPU" />
        </Section>
      )}
      {document === null ? null : <Leaderboard document={document} />}
    </View>
  );
}

function Judged({ rows }: { rows: JudgedRow[] }) {
  const { mean, median, bias, coverage } = judge(rows);
  return (
    <Readings>
      <Reading big name="mean error" value={mean} unit="share" hint="|predicted - measured| / measured" />
      <Reading name="median error" value={median} unit="share" />
      <Reading name="bias" value={bias} unit="share" hint="below zero is too fast" />
      <Reading
        name="coverage"
        value={coverage}
        unit="share"
        hint="measured inside p10 … p90; 80 % is right"
      />
    </Readings>
  );
}

function Filter({
  name,
  rows,
  value,
  set,
}: {
  name: "family" | "gpu" | "split";
  rows: JudgedRow[];
  value: string;
  set(value: string): void;
}) {
  const options = [...new Set(rows.map((row) => row[name]))].filter((one) => one !== "").sort();
  if (options.length === 0) return null;
  return (
    <div class="field">
      <label for={`filter-${name}`}>{name}</label>
      <select id={`filter-${name}`} value={value} onChange={(event) => set(event.currentTarget.value)}>
        <option value="">all</option>
        {options.map((option) => (
          <option key={option} value={option}>
            {option}
          </option>
        ))}
      </select>
    </div>
  );
}

function Leaderboard({ document }: { document: JsonObject }) {
  const rows = objectsAt(document, "leaderboard");
  if (rows.length === 0)
    return (
      <Section title="Leaderboard">
        <p class="note">This version ships no leaderboard.</p>
      </Section>
    );
  return (
    <Section title="Leaderboard">
      <SheetTable sheet={sheetOf(rows)} caption="leaderboard" />
    </Section>
  );
}
