// A chart with its title, legend, table alternative and downloads.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { csv } from "../core/sheet";
import { fileName, save, saveUrl } from "../parts/save";
import { SheetTable } from "../parts/sheet_table";
import { drawSoon, forget } from "./draw_queue";
import type { Drawing } from "./engine";
import { palette } from "./palette";
import type { LegendEntry, Plot } from "./plot";
import { theme, useTheme } from "./theme";

// ECharts is most of the page's script; figures in words do not wait for it.
const loading = import("./engine");

let renderer: "canvas" | "svg" = "canvas";
export function drawWith(chosen: "canvas" | "svg"): void {
  renderer = chosen;
}

const HEIGHT = 280; // px

function useDrawing(plot: Plot) {
  const place = useRef<HTMLDivElement>(null);
  const [drawing, setDrawing] = useState<Drawing | null>(null);
  const shade = useTheme();
  useEffect(() => {
    let made: Drawing | null = null;
    let left = false;
    const watch = new ResizeObserver(() => made?.resize());
    void loading.then(({ draw }) => {
      if (left || place.current === null) return;
      made = draw(place.current, renderer);
      watch.observe(place.current);
      setDrawing(made);
    });
    return () => {
      left = true;
      watch.disconnect();
      if (made !== null) forget(made);
      made?.dispose();
    };
  }, []);
  useLayoutEffect(() => {
    if (drawing === null || drawing.isDisposed()) return;
    drawSoon(drawing, () => {
      const started = performance.now();
      drawing.setOption(plot.option(palette(shade)), { notMerge: true, silent: true });
      drawing.getZr().flush();
      performance.measure("warploom-redraw", { start: started, detail: plot.title });
    });
  }, [drawing, plot, shade]);
  return place;
}

function Legend({ entries }: { entries: LegendEntry[] }) {
  return (
    <ul class="legend">
      {entries.map((entry) => (
        <li key={entry.name}>
          <svg class={`mark mark-${entry.mark ?? "line"}`} width="18" height="10" aria-hidden="true">
            <Mark entry={entry} />
          </svg>
          {entry.name}
        </li>
      ))}
    </ul>
  );
}

function Mark({ entry: { color, mark } }: { entry: LegendEntry }) {
  if (mark === "band") return <rect width="18" height="10" fill={color} opacity="0.25" />;
  if (mark === "tile") return <rect x="4" width="10" height="10" fill={color} />;
  if (mark === "dot") return <circle cx="9" cy="5" r="4" fill={color} />;
  return (
    <line
      x1="0"
      x2="18"
      y1="5"
      y2="5"
      stroke={color}
      stroke-width="2"
      stroke-dasharray={mark === "dash" ? "4 3" : undefined}
    />
  );
}

export function Figure({ plot }: { plot: Plot }) {
  const [tabular, setTabular] = useState(false);
  const shade = useTheme();
  const legend = useMemo(() => plot.legend?.(palette(shade)) ?? [], [plot, shade]);
  return (
    <figure class="figure">
      <figcaption>
        <h3>{plot.title}</h3>
        <FigureTools plot={plot} tabular={tabular} toggle={() => setTabular(!tabular)} />
      </figcaption>
      {legend.length > 0 && !tabular ? <Legend entries={legend} /> : null}
      {tabular ? <SheetTable sheet={plot.sheet} caption={plot.title} ofFigure /> : <Chart plot={plot} />}
      {plot.note === undefined ? null : <p class="note">{plot.note}</p>}
    </figure>
  );
}

function Chart({ plot }: { plot: Plot }) {
  const place = useDrawing(plot);
  const height = `${plot.height ?? HEIGHT}px`;
  useEffect(() => {
    if (place.current !== null) place.current.style.height = height;
  }, [height]);
  return <div ref={place} class="chart" role="img" aria-label={plot.says} style={{ height }} />;
}

function FigureTools({ plot, tabular, toggle }: { plot: Plot; tabular: boolean; toggle(): void }) {
  const size: [number, number] = [900, Math.max(360, plot.height ?? HEIGHT)];
  const saveSvg = async () => {
    const { svgText } = await loading;
    const colors = palette(theme());
    save(fileName(plot.title, "svg"), svgText(plot.option(colors), ...size, colors.ground), "image/svg+xml");
  };
  const savePng = async () => {
    const { pngUrl } = await loading;
    const colors = palette(theme());
    saveUrl(fileName(plot.title, "png"), pngUrl(plot.option(colors), ...size, colors.ground));
  };
  return (
    <div class="tools" role="group" aria-label={`${plot.title}: other forms`}>
      <button type="button" aria-pressed={tabular} onClick={toggle}>
        Table
      </button>
      <button type="button" onClick={() => save(fileName(plot.title, "csv"), csv(plot.sheet), "text/csv")}>
        CSV
      </button>
      <button type="button" onClick={() => void saveSvg()}>
        SVG
      </button>
      <button type="button" onClick={() => void savePng()}>
        PNG
      </button>
    </div>
  );
}
