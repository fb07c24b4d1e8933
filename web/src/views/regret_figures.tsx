// Regret of a table, for the page and the report.
import { useMemo } from "preact/hooks";
import { Figure } from "../charts/figure";
import { regretCurve, regretPlot, regretSheet } from "../charts/tune_plots";
import { numberAt, type JsonObject } from "../core/json";
import { Reading, Readings } from "../parts/marks";
import { SheetTable } from "../parts/sheet_table";

export function RegretFigures({ document }: { document: JsonObject }) {
  const plots = useMemo(() => [regretPlot(document), regretCurve(document)], [document]);
  const share = numberAt(document, "geo_mean_share");
  return (
    <>
      <Readings>
        <Reading
          big
          name="mean regret"
          value={share === null ? null : 1 / share - 1}
          unit="share"
          hint="time of the pick over the time of the best configuration, less one; geometric mean"
        />
        <Reading
          name="worst regret"
          value={1 / (numberAt(document, "worst_share") ?? NaN) - 1}
          unit="share"
        />
        <Reading
          name="mean speed-up"
          value={numberAt(document, "geo_mean_speedup")}
          unit="factor"
          hint="over the default configuration"
        />
        <Reading name="shapes" value={numberAt(document, "shapes")} unit="count" />
        <Reading
          name="error of predicted times"
          value={numberAt(document, "pick_error_median")}
          unit="share"
          hint="median, of the picks"
        />
      </Readings>
      {plots.map((plot) => (plot === null ? null : <Figure key={plot.title} plot={plot} />))}
      <SheetTable sheet={regretSheet(document)} caption="ways to choose" />
    </>
  );
}
