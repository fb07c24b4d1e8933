// The leaderboard, for the page and the report.
import { useMemo } from "preact/hooks";
import { Figure } from "../charts/figure";
import { noModelSheet, plainSheet, splitPlot, splitSheet } from "../charts/leaderboard_plots";
import { objectsAt, textAt, type JsonObject } from "../core/json";
import { Section } from "../parts/section";
import { SheetTable } from "../parts/sheet_table";

export function LeaderboardFigures({ document }: { document: JsonObject }) {
  return (
    <>
      <Section title="Leaderboard">
        <p class="note">{textAt(document, "about")}</p>
        <p class="note">{textAt(document, "made_with")}</p>
      </Section>
      {objectsAt(document, "splits").map((split) => (
        <Split key={textAt(split, "title")} split={split} />
      ))}
      {objectsAt(document, "tables").map((table) => (
        <Section key={textAt(table, "title")} title={textAt(table, "title")}>
          <p class="note">{textAt(table, "about")}</p>
          <SheetTable sheet={plainSheet(table)} caption={textAt(table, "title")} />
        </Section>
      ))}
    </>
  );
}

function Split({ split }: { split: JsonObject }) {
  const plot = useMemo(() => splitPlot(split), [split]);
  const title = textAt(split, "title");
  const reasons = objectsAt(split, "no_model");
  return (
    <Section title={title}>
      <p class="note">{textAt(split, "about")}</p>
      {plot === null ? null : <Figure plot={{ ...plot, title: `Mean error: ${title}` }} />}
      <details class="more">
        <summary>Figures of each family and method</summary>
        <SheetTable sheet={splitSheet(split)} caption={`errors: ${title}`} />
      </details>
      {reasons.length === 0 ? null : (
        <details class="more">
          <summary>Rows without a model</summary>
          <SheetTable sheet={noModelSheet(split)} caption={`rows without a model: ${title}`} />
        </details>
      )}
      <details class="more">
        <summary>The command</summary>
        <div class="command">
          <pre role="group" tabIndex={0} aria-label={`command of: ${title}`}>
            <code>{textAt(split, "command")}</code>
          </pre>
        </div>
      </details>
    </Section>
  );
}
