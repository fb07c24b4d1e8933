// What a view hands to a figure: the chart, its words, and the same figures as a table.
import type { Sheet } from "../core/sheet";
import type { Option } from "./engine";
import type { Palette } from "./palette";

export interface LegendEntry {
  name: string;
  color: string;
  mark?: "line" | "dash" | "band" | "dot" | "tile";
}

export interface Plot {
  title: string;
  says: string; // one sentence for who cannot see the chart
  option(colors: Palette): Option;
  legend?(colors: Palette): LegendEntry[];
  sheet: Sheet;
  height?: number; // px
  note?: string;
}
