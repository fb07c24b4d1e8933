// Serve: a whole serving run, alone, against another, against a measured one.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Run } from "../charts/serve_plots";
import { isObject, textAt, type JsonObject } from "../core/json";
import { useJob } from "../core/live";
import { readBenchmark, servedRequests } from "../core/requests_of_run";
import { nestedByName } from "../core/schema";
import { download, post, upload, type ServerError } from "../core/server";
import { askedOf, filled, SchemaForm, type First } from "../forms/schema_form";
import { CommandLine, Takeaways } from "../parts/command";
import { useDrop } from "../parts/drop";
import { JobButton, JobState } from "../parts/job";
import { Problem } from "../parts/notices";
import { Section, View } from "../parts/section";
import { StartCommand } from "../parts/start_command";
import { SheetTable } from "../parts/sheet_table";
import { ServeReadings } from "./serve_readings";
import { latencySheet, kernelTimeSheet } from "../charts/serve_sheets";
import { RunFigures } from "./run_figures";
import { PARALLEL } from "./step";
import type { ViewProps } from "./view_props";

const START: JsonObject = {
  setup: { model: "Llama-3.1-8B", gpu: "H100-SXM" },
  source: { workload: "conversation", requests: 1000 },
};
const FIRST: First[] = [
  ...PARALLEL.filter((one) => !one.path.endsWith("pipeline_parallel_size")),
  { path: "setup.config.max_num_seqs" },
  { path: "setup.config.max_num_batched_tokens" },
  { path: "source.workload" },
  { path: "source.trace" },
  { path: "source.requests" },
  { path: "source.rate" },
  { path: "source.concurrency" },
];

// A workload that was only assumed gives way to one that is named.
function cleaned(asked: JsonObject): JsonObject {
  const source = isObject(asked["source"]) ? asked["source"] : {};
  const named = ["trace", "sessions", "random"].some(
    (key) => source[key] !== undefined && source[key] !== "",
  );
  if (!named || source["workload"] !== "conversation") return asked;
  const { workload: _, ...rest } = source;
  return { ...asked, source: rest };
}

// The requests of a file in place of the workload.
function replayed(asked: JsonObject, trace: string): JsonObject {
  return { ...asked, source: { trace } };
}

function asRun(name: string, document: JsonObject, measured = false): Run {
  return { name, document, requests: servedRequests(document), measured };
}

export function Serve({ known, state, change }: ViewProps) {
  const asked = cleaned(askedOf(state, START));
  const other = isObject(state["other"]) ? state["other"] : null;
  const [runs, setRuns] = useState<{ a: Run | null; b: Run | null; askedA: JsonObject | null }>({
    a: null,
    b: null,
    askedA: null,
  });
  const [measured, setMeasured] = useState<Run | null>(null);
  const latest = useRef(state);
  latest.current = state;
  const job = useJob((answer, what) =>
    setRuns((now) =>
      what["_as"] === "b"
        ? { ...now, b: asRun("B", answer) }
        : { ...now, a: asRun("A", answer), askedA: what },
    ),
  );
  const run = (as: "a" | "b", what: JsonObject) => job.run("simulate", { ...what, details: true, _as: as });
  useEffect(() => {
    // a permalink runs what it says; a bare address, the default
    if (state["ran"] === true || Object.keys(state).length === 0) run("a", asked);
  }, []);
  useEffect(() => {
    if (other !== null && runs.a !== null && runs.b === null && job.progress === null && job.problem === null)
      run("b", other);
  }, [runs.a, other]);
  const set = (more: JsonObject) => change({ ...latest.current, ...more });
  const shown = [runs.a, other === null ? null : runs.b, measured].filter((one): one is Run => one !== null);
  const keep = () => {
    if (runs.a === null || runs.askedA === null) return;
    const { details: _d, _as: _a, ...plain } = runs.askedA;
    setRuns({ ...runs, b: { ...runs.a, name: "B" } });
    set({ other: plain });
  };
  return (
    <View
      running={job.progress !== null}
      title="Serve"
      about="A whole serving run: engine, workload, every request."
      inputs={
        <>
          <div class="run">
            <JobButton
              job={job}
              start={() => {
                set({ ran: true, asked, whole: true });
                run("a", asked);
              }}
            >
              Run
            </JobButton>
            <button
              type="button"
              disabled={runs.a === null || job.progress !== null}
              onClick={keep}
              title="keep this run as B and compare the next with it"
            >
              Keep as B
            </button>
            {other === null ? null : (
              <button
                type="button"
                onClick={() => {
                  const { other: _, ...rest } = latest.current;
                  change(rest);
                  setRuns({ ...runs, b: null });
                }}
              >
                Drop B
              </button>
            )}
          </div>
          <EngineCommand
            take={(parsed) =>
              set({
                asked: filled(nestedByName(known.schemas["simulate"] ?? {}, parsed), asked),
                whole: true,
              })
            }
          />
          <Measured
            run={measured}
            set={setMeasured}
            link={textAt(state, "measured")}
            setLink={(file) => {
              const { measured: _, ...rest } = latest.current;
              change(file === null ? rest : { ...rest, measured: file });
            }}
            replay={(trace) => set({ asked: replayed(asked, trace), whole: true })}
          />
          <SchemaForm
            schema={known.schemas["simulate"] ?? {}}
            value={asked}
            change={(next) => set({ asked: next, whole: true })}
            first={FIRST}
            engine={textAt(asked, "setup", "config", "engine") || "vllm"}
          />
        </>
      }
    >
      <JobState job={job} />
      {runs.a === null && job.progress === null && measured === null ? <Empty asked={asked} /> : null}
      {shown.length === 0 ? null : <RunResults runs={shown} asked={runs.askedA ?? asked} other={other} />}
    </View>
  );
}

function Empty({ asked }: { asked: JsonObject }) {
  return (
    <Section title="Not run yet">
      <p class="note">Run simulates every request of the workload. What it will run is this:</p>
      <CommandLine request="simulate" asked={asked} />
    </Section>
  );
}

function RunResults({ runs, asked, other }: { runs: Run[]; asked: JsonObject; other: JsonObject | null }) {
  const { details: _d, _as: _a, ...plain } = asked;
  const first = runs[0] as Run;
  const sheet = useMemo(
    () => latencySheet(runs),
    [runs.map((run) => run.name).join(), ...runs.map((run) => run.document)],
  );
  return (
    <>
      <Section
        title={
          runs.length > 1
            ? `${runs.map((run) => run.name).join(" against ")}`
            : `${textAt(first.document, "model")} on ${textAt(first.document, "gpu")}`
        }
        tools={
          <Takeaways
            name="serve"
            document={{ asked: plain, answers: runs.map((run) => ({ run: run.name, answer: run.document })) }}
          />
        }
      >
        {runs
          .filter((run) => !run.measured)
          .map((run) => (
            <div key={run.name}>
              {runs.length > 1 ? (
                <h3>
                  {run.name}: {textAt(run.document, "model")} on {textAt(run.document, "gpu")},{" "}
                  {textAt(run.document, "engine")}
                </h3>
              ) : null}
              <ServeReadings document={run.document} />
            </div>
          ))}
        {first.measured ? null : (
          <CommandLine request="simulate" asked={plain} note={runs.length > 1 ? "of A" : undefined} />
        )}
        {other === null ? null : <CommandLine request="simulate" asked={other} note="of B" />}
        {first.measured || isObject(plain["disaggregation"]) ? null : <StartOf asked={plain} />}
        <SheetTable sheet={sheet} caption="Latency" visibleCaption />
      </Section>
      <RunFigures runs={runs} />
      {first.measured ? null : (
        <Section title="Kernel time">
          <SheetTable sheet={kernelTimeSheet(first.document)} caption={`kernel time of ${first.name}`} />
        </Section>
      )}
    </>
  );
}

function StartOf({ asked }: { asked: JsonObject }) {
  const [open, setOpen] = useState(false);
  return (
    <details class="more" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Start this engine</summary>
      {open ? <StartCommand asked={asked} /> : null}
    </details>
  );
}

function EngineCommand({ take }: { take(asked: JsonObject): void }) {
  const [line, setLine] = useState("");
  const [said, setSaid] = useState<{ problem: Error | null; ignored: string[]; taken: boolean }>({
    problem: null,
    ignored: [],
    taken: false,
  });
  const parse = () =>
    void post("/engine-command", { line })
      .then((reply) => {
        take(isObject(reply["asked"]) ? reply["asked"] : {});
        setSaid({
          problem: null,
          ignored: Array.isArray(reply["ignored"]) ? reply["ignored"].map(String) : [],
          taken: true,
        });
      })
      .catch((problem: ServerError) => setSaid({ problem, ignored: [], taken: false }));
  return (
    <details class="more">
      <summary>Paste an engine's command line</summary>
      <div class="field">
        <label for="engine-command">command</label>
        <textarea
          id="engine-command"
          rows={3}
          value={line}
          spellcheck={false}
          placeholder="vllm serve meta-llama/Llama-3.1-8B --max-num-seqs 128"
          onInput={(event) => setLine(event.currentTarget.value)}
        />
        <button type="button" onClick={parse} disabled={line.trim() === ""}>
          Take over
        </button>
        <Problem error={said.problem} />
        {said.taken ? (
          <p class="hint" role="status">
            {said.ignored.length === 0
              ? "Taken over."
              : `Taken over; without effect: ${said.ignored.join(" ")}`}
          </p>
        ) : null}
      </div>
    </details>
  );
}

// A measured result stays in the browser; it is sent only where its requests are to be replayed, or where it
// is to be in the link.
function Measured({
  run,
  set,
  link,
  setLink,
  replay,
}: {
  run: Run | null;
  set(run: Run | null): void;
  link: string; // "upload:ID" where the reader put the run into the link
  setLink(link: string | null): void;
  replay(trace: string): void;
}) {
  const [problem, setProblem] = useState<Error | null>(null);
  useEffect(() => {
    if (!link.startsWith("upload:")) return;
    void download(link)
      .then((blob) => blob.text())
      .then((text) => set(asRun("measured", readBenchmark(text, link), true)))
      .catch((error: Error) => setProblem(new Error(`measured run of the link: ${error.message}`)));
  }, []);
  const sent = () => upload("measured.json", JSON.stringify(run?.document));
  const take = (file: File | undefined) => {
    if (file === undefined) return;
    void file
      .text()
      .then((text) => {
        set(asRun("measured", readBenchmark(text, file.name), true));
        setProblem(null);
        setLink(null);
      })
      .catch(setProblem);
  };
  const drop = useDrop(take);
  return (
    <div class={drop.over ? "drop over" : "drop"} data-drop="measured" {...drop.handlers}>
      <label>
        Lay a measured run over: drop the JSON that <code>vllm bench serve --save-result</code> wrote (
        <code>--save-detailed</code> for its requests), or
        <input
          type="file"
          accept=".json,application/json"
          aria-label="measured result"
          onChange={(event) => take(event.currentTarget.files?.[0])}
        />
      </label>
      {run === null ? null : (
        <p class="hint">
          {run.requests.length} measured requests.{" "}
          <button
            type="button"
            class="small"
            title="simulate the same requests at the same times"
            onClick={() => void sent().then(replay).catch(setProblem)}
          >
            Replay
          </button>{" "}
          <button
            type="button"
            class="small"
            title="sends it to the server, so that the link opens it there too for as long as the server runs"
            disabled={link !== ""}
            onClick={() => void sent().then(setLink).catch(setProblem)}
          >
            {link === "" ? "Put into the link" : "In the link"}
          </button>{" "}
          <button
            type="button"
            class="small"
            onClick={() => {
              set(null);
              setLink(null);
            }}
          >
            Take away
          </button>
        </p>
      )}
      <Problem error={problem} />
    </div>
  );
}
