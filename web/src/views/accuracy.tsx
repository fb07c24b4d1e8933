// Accuracy: how far predictions are from measurements, per family and GPU, and the leaderboard.
import { useEffect, useMemo, useState } from "preact/hooks";
import {
  cellsOf,
  cellsPlot,
  cellsSheet,
  groupOf,
  MARKS,
  overallOf,
  type Judged,
  type Mark,
} from "../charts/accuracy_plots";
import { Figure } from "../charts/figure";
import { errorsPlot, errorsSheet } from "../charts/error_plots";
import { listAt, textAt, type JsonObject } from "../core/json";
import { get } from "../core/server";
import { CommandText, Takeaways } from "../parts/command";
import { Reading, Readings } from "../parts/marks";
import { Problem } from "../parts/notices";
import { Section, View } from "../parts/section";
import { SheetTable } from "../parts/sheet_table";
import { LeaderboardFigures } from "./leaderboard_figures";
import type { ViewProps } from "./view_props";

const KEYS = ["family", "gpu", "dtype", "framework"] as const;
type Key = (typeof KEYS)[number];

export function Accuracy({ state, change }: ViewProps) {
  const [document, setDocument] = useState<JsonObject | null>(null);
  const [problem, setProblem] = useState<Error | null>(null);
  const [leaderboard, setLeaderboard] = useState<JsonObject | null>(null);
  useEffect(() => {
    void get("/accuracy").then(setDocument).catch(setProblem);
    void get("/leaderboard").then(setLeaderboard).catch(setProblem);
  }, []);
  const all = useMemo(() => (document === null ? [] : cellsOf(document)), [document]);
  const chosen = Object.fromEntries(KEYS.map((key) => [key, textAt(state, key)])) as Record<Key, string>;
  const cells = useMemo(
    () => all.filter((one) => KEYS.every((key) => chosen[key] === "" || one[key] === chosen[key])),
    [all, ...Object.values(chosen)],
  );
  const mark = (Object.keys(MARKS) as Mark[]).find((one) => one === textAt(state, "mark")) ?? "median";
  return (
    <View
      live
      title="Accuracy"
      about="Kernels that were measured and that no training saw, against what is predicted for them."
      inputs={
        <>
          {KEYS.map((key) => (
            <Filter
              key={key}
              name={key}
              cells={all}
              value={chosen[key]}
              set={(value) => change({ ...state, [key]: value })}
            />
          ))}
          <div class="field">
            <label for="mark">shown</label>
            <select
              id="mark"
              value={mark}
              onChange={(event) => change({ ...state, mark: event.currentTarget.value })}
            >
              {Object.entries(MARKS).map(([key, { name }]) => (
                <option key={key} value={key}>
                  {name}
                </option>
              ))}
            </select>
          </div>
        </>
      }
    >
      <Problem error={problem} />
      {document === null ? null : (
        <Judgements document={document} cells={cells} all={all} chosen={chosen} mark={mark} />
      )}
      {leaderboard === null ? null : <LeaderboardFigures document={leaderboard} />}
    </View>
  );
}

// What the document says of the choice: of everything, one family, or one GPU; the cells say the rest.
function summary(document: JsonObject, chosen: Record<Key, string>): Judged | null {
  const set = KEYS.filter((key) => chosen[key] !== "");
  if (set.length === 0) return overallOf(document);
  if (set.length > 1) return null;
  if (set[0] === "family") return groupOf(document, "families", chosen.family);
  return set[0] === "gpu" ? groupOf(document, "gpus", chosen.gpu) : null;
}

function Judgements({
  document,
  cells,
  all,
  chosen,
  mark,
}: {
  document: JsonObject;
  cells: Judged[];
  all: Judged[];
  chosen: Record<Key, string>;
  mark: Mark;
}) {
  const whole = summary(document, chosen);
  const plot = useMemo(() => (cells.length === 0 ? null : cellsPlot(cells, mark)), [cells, mark]);
  const families = useMemo(() => errorsPlot(document), [document]);
  return (
    <>
      <Section
        title={`${cells.length} of ${all.length} cells`}
        tools={<Takeaways name="accuracy" document={document} />}
      >
        {whole === null ? null : <Figures judged={whole} />}
        {textAt(document, "command") === "" ? null : (
          <CommandText command={textAt(document, "command")} note={textAt(document, "about")} />
        )}
        {plot === null ? <p class="note">No cells for this choice.</p> : <Figure plot={plot} />}
        <SheetTable sheet={cellsSheet(cells)} caption="error and coverage of each cell" />
      </Section>
      <Section title="Families and GPUs">
        {families === null ? null : <Figure plot={families} />}
        <SheetTable sheet={errorsSheet(document, "gpus")} caption="error and coverage of each GPU" />
        {listAt(document, "sources").map((source) => (
          <p class="note" key={String(source)}>
            {String(source)}
          </p>
        ))}
      </Section>
    </>
  );
}

function Figures({ judged }: { judged: Judged }) {
  return (
    <Readings>
      <Reading
        big
        name="mean error"
        value={judged.mean}
        unit="share"
        hint="|predicted - measured| / measured"
      />
      <Reading name="median error" value={judged.median} unit="share" />
      <Reading name="p90 of the error" value={judged.p90} unit="share" />
      <Reading name="bias" value={judged.bias} unit="share" hint="below zero is too fast" />
      <Reading
        name="coverage"
        value={judged.coverage}
        unit="share"
        hint="measured inside p10 … p90; 80 % is right"
      />
      <Reading name="roofline, mean error" value={judged.roofline} unit="share" />
      <Reading name="rows" value={judged.rows} unit="count" />
    </Readings>
  );
}

function Filter({
  name,
  cells,
  value,
  set,
}: {
  name: Key;
  cells: Judged[];
  value: string;
  set(value: string): void;
}) {
  const options = [...new Set(cells.map((one) => one[name]))].filter((one) => one !== "").sort();
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
