// A table of figures, sortable by its headings.
import { useMemo, useState } from "preact/hooks";
import { cellText, csv, type Cell, type Sheet } from "../core/sheet";
import { fileName, save } from "./save";

const SHOWN = 100; // rows at once; the CSV has all

function compare(one: Cell | undefined, other: Cell | undefined): number {
  if (one === other) return 0;
  if (one === null || one === undefined) return 1;
  if (other === null || other === undefined) return -1;
  return one < other ? -1 : 1;
}

export interface SheetTableProps {
  sheet: Sheet;
  caption: string;
  marked?: (row: number) => string | undefined; // a class for a row
  action?: { name: string; run(row: number): void };
  visibleCaption?: boolean;
  ofFigure?: boolean; // the figure around it has its own downloads
}

export function SheetTable({ sheet, caption, marked, action, visibleCaption, ofFigure }: SheetTableProps) {
  const [order, setOrder] = useState<{ column: number; down: boolean } | null>(null);
  const [all, setAll] = useState(false);
  const rows = useMemo(() => {
    const indices = sheet.rows.map((_, index) => index);
    if (order === null) return indices;
    const sign = order.down ? -1 : 1;
    return indices.sort(
      (a, b) => sign * compare(sheet.rows[a]?.[order.column], sheet.rows[b]?.[order.column]),
    );
  }, [sheet, order]);
  const shown = all ? rows : rows.slice(0, SHOWN);
  return (
    <div class="table-frame" tabIndex={0} role="region" aria-label={caption}>
      <table>
        <caption class={visibleCaption ? "" : "unseen"}>{caption}</caption>
        <thead>
          <tr>
            {sheet.columns.map((column, index) => (
              <th
                key={column.name}
                scope="col"
                class={column.unit === undefined ? "" : "figure-cell"}
                title={column.hint}
                aria-sort={order?.column === index ? (order.down ? "descending" : "ascending") : "none"}
              >
                <button
                  type="button"
                  onClick={() =>
                    setOrder({
                      column: index,
                      down: order?.column === index ? !order.down : column.unit !== undefined,
                    })
                  }
                >
                  {column.name}
                  <span aria-hidden="true">{order?.column === index ? (order.down ? " ▾" : " ▴") : ""}</span>
                </button>
              </th>
            ))}
            {action === undefined ? null : (
              <th scope="col">
                <span class="unseen">{action.name}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr key={row} class={marked?.(row) ?? ""}>
              {sheet.columns.map((column, index) => (
                <TableCell
                  key={column.name}
                  text={cellText(sheet.rows[row]?.[index], column)}
                  first={index === 0}
                  figure={column.unit !== undefined}
                />
              ))}
              {action === undefined ? null : (
                <td>
                  <button type="button" class="small" onClick={() => action.run(row)}>
                    {action.name}
                  </button>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > shown.length ? (
        <button type="button" class="small" onClick={() => setAll(true)}>
          Show all {rows.length} rows
        </button>
      ) : null}
      {ofFigure === true || rows.length === 0 ? null : (
        <button
          type="button"
          class="small csv"
          aria-label={`CSV of ${caption}`}
          onClick={() => save(fileName(caption, "csv"), csv(sheet), "text/csv")}
        >
          CSV
        </button>
      )}
    </div>
  );
}

function TableCell({ text, first, figure }: { text: string; first: boolean; figure: boolean }) {
  if (first)
    return (
      <th scope="row" class={figure ? "figure-cell" : ""}>
        {text}
      </th>
    );
  return <td class={figure ? "figure-cell" : ""}>{text}</td>;
}
