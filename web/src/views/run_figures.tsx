// The charts of serving runs, with one window in time for the timeline and the requests.
import { useMemo, useState } from "preact/hooks";
import { Figure } from "../charts/figure";
import { waterfallPlot } from "../charts/request_plots";
import { distributionPlot, timelinePlot, type Run, type Span } from "../charts/serve_plots";
import { numberAt } from "../core/json";
import { quantity } from "../core/quantity";
import { Section } from "../parts/section";

const STEPS = 1000; // places of the window's sliders

export function RunFigures({ runs, still }: { runs: Run[]; still?: boolean }) {
  const [ends, setEnds] = useState<[number, number]>([0, STEPS]);
  const duration = Math.max(...runs.map((run) => numberAt(run.document, "duration") ?? 0), 1e-9);
  const span = useMemo(
    (): Span | null =>
      ends[0] === 0 && ends[1] === STEPS
        ? null
        : { from: (ends[0] / STEPS) * duration, to: (ends[1] / STEPS) * duration },
    [ends, duration],
  );
  const key = runs.map((run) => run.document);
  const distributions = useMemo(
    () => (["ttft", "tpot", "e2el"] as const).map((which) => distributionPlot(runs, which)),
    key,
  );
  const timeline = useMemo(() => timelinePlot(runs, span), [...key, span]);
  const waterfall = useMemo(
    () => (runs[0] === undefined ? null : waterfallPlot(runs[0], span)),
    [...key, span],
  );
  return (
    <>
      {distributions.every((plot) => plot === null) ? null : (
        <Section title="Distributions">
          <div class="triple">
            {distributions.map((plot) => (plot === null ? null : <Figure key={plot.title} plot={plot} />))}
          </div>
        </Section>
      )}
      {timeline === null && waterfall === null ? null : (
        <Section
          title="Over time"
          tools={still ? undefined : <Window ends={ends} set={setEnds} duration={duration} />}
        >
          {timeline === null ? null : <Figure plot={timeline} />}
          {waterfall === null ? null : <Figure plot={waterfall} />}
        </Section>
      )}
    </>
  );
}

function Window({
  ends,
  set,
  duration,
}: {
  ends: [number, number];
  set(ends: [number, number]): void;
  duration: number;
}) {
  const said = (end: number) => quantity((end / STEPS) * duration, "s");
  return (
    <div class="tools window" role="group" aria-label="window in time">
      <span class="quiet">
        {said(ends[0])} … {said(ends[1])}
      </span>
      <input
        type="range"
        aria-label="from"
        aria-valuetext={said(ends[0])}
        min={0}
        max={STEPS}
        value={ends[0]}
        onInput={(event) => set([Math.min(event.currentTarget.valueAsNumber, ends[1] - 5), ends[1]])}
      />
      <input
        type="range"
        aria-label="to"
        aria-valuetext={said(ends[1])}
        min={0}
        max={STEPS}
        value={ends[1]}
        onInput={(event) => set([ends[0], Math.max(event.currentTarget.valueAsNumber, ends[0] + 5)])}
      />
      <button type="button" onClick={() => set([0, STEPS])}>
        All
      </button>
    </div>
  );
}
