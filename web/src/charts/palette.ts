// Colours of charts, for light and dark. A pipeline has one colour everywhere; its name stands with it.

export interface Palette {
  ink: string;
  quiet: string; // axes, labels
  line: string; // grid
  ground: string;
  accent: string;
  series: readonly string[]; // GPUs, runs
  bounds: Readonly<Record<string, string>>;
}

const TILE_BOUNDS = {
  tensor: "#2f6fb0",
  fma: "#5b57c7",
  xu: "#8a4aa3",
  shared: "#0f7a6c",
  l2: "#4f7d1c",
  dram: "#b0580a",
  network: "#b0345f",
  launch: "#69717d",
  host: "#4a4f57",
};
const LIGHT: Palette = {
  ink: "#1b1e22",
  quiet: "#5a616b",
  line: "#e4e3de",
  ground: "#ffffff",
  accent: "#0b6b6b",
  series: ["#0b6b6b", "#b0580a", "#5b57c7", "#b0345f", "#4f7d1c", "#1d6fb8", "#806000", "#5b6675"],
  bounds: TILE_BOUNDS,
};
const DARK: Palette = {
  ink: "#e6e7e9",
  quiet: "#a3aab4",
  line: "#31363d",
  ground: "#1a1d21",
  accent: "#53c4ba",
  series: ["#53c4ba", "#f0a050", "#a5a2ff", "#f07ca3", "#a4cc66", "#6cb8f0", "#d9c04e", "#b6bec9"],
  bounds: {
    ...TILE_BOUNDS,
    tensor: "#4a8fd6",
    fma: "#7d79e8",
    xu: "#ab69c6",
    shared: "#229e8c",
    l2: "#6d9f35",
    dram: "#d0761e",
    network: "#d65283",
    launch: "#868e9a",
    host: "#6d737d",
  },
};

export type Theme = "light" | "dark";

export function palette(theme: Theme): Palette {
  return theme === "dark" ? DARK : LIGHT;
}

export function boundColor(colors: Palette, bound: string): string {
  return colors.bounds[bound] ?? colors.quiet;
}

export function seriesColor(colors: Palette, index: number): string {
  return colors.series[index % colors.series.length] as string;
}

// "#rrggbb" with an alpha of 0 to 1, for bands.
export function faded(color: string, alpha: number): string {
  return (
    color +
    Math.round(alpha * 255)
      .toString(16)
      .padStart(2, "0")
  );
}
