// One document as a file to share: the same charts, no server.
import { render } from "preact";
import { drawWith } from "../charts/figure";
import { watchTheme } from "../charts/theme";
import { isObject, textAt, type Json, type JsonObject } from "../core/json";
import { valueText, flattened } from "../core/link";
import { SheetTable } from "../parts/sheet_table";
import { sheet } from "../core/sheet";
import { ReportBody } from "./report_body";
import "../styles/base.css";
import "../styles/parts.css";
import "../styles/figures.css";
import "../styles/report.css";

interface Given {
  request: string;
  asked: JsonObject | null;
  answer: JsonObject;
  command: string;
}

function given(): Given | null {
  const text = document.getElementById("warploom-report")?.textContent ?? "null";
  const value = JSON.parse(text) as Json;
  return isObject(value) && isObject(value["answer"])
    ? {
        request: textAt(value, "request"),
        asked: isObject(value["asked"]) ? value["asked"] : null,
        answer: value["answer"],
        command: textAt(value, "command"),
      }
    : null;
}

function Asked({ asked }: { asked: JsonObject }) {
  const rows = flattened(asked).map(([name, value]) => [name, valueText(value)]);
  return rows.length === 0 ? null : (
    <details class="more">
      <summary>What was asked</summary>
      <SheetTable sheet={sheet([["field"], ["value"]], rows)} caption="what was asked" />
    </details>
  );
}

function Report({ request, asked, answer, command }: Given) {
  return (
    <main class="report">
      <header>
        <h1>Warploom: {request.replace(/_/g, " ")}</h1>
        {command === "" ? null : (
          <div class="command">
            <pre role="group" aria-label="command" tabIndex={0}>
              <code>{command}</code>
            </pre>
          </div>
        )}
        {asked === null ? null : <Asked asked={asked} />}
      </header>
      <ReportBody request={request} answer={answer} />
    </main>
  );
}

drawWith("svg");
watchTheme();
const place = document.getElementById("page") as HTMLElement;
const report = given();
if (report === null)
  place.textContent = "This report holds no document. `warploom COMMAND --html FILE` writes one that does.";
else {
  document.title = `Warploom: ${report.request.replace(/_/g, " ")}`;
  render(<Report {...report} />, place);
}
