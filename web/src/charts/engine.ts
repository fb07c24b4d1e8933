// The parts of Apache ECharts that this page draws with; the rest is left out of the build.
import { BarChart, CustomChart, LineChart, ScatterChart, TreemapChart } from "echarts/charts";
import { GridComponent, MarkLineComponent, TooltipComponent } from "echarts/components";
import { init, use, type EChartsCoreOption } from "echarts/core";
import { CanvasRenderer, SVGRenderer } from "echarts/renderers";

use([
  BarChart,
  CustomChart,
  LineChart,
  ScatterChart,
  TreemapChart,
  GridComponent,
  MarkLineComponent,
  TooltipComponent,
  CanvasRenderer,
  SVGRenderer,
]);

export type Option = EChartsCoreOption;
export type Drawing = ReturnType<typeof init>;

// A served page draws on a canvas: the policy of the page forbids the style attributes of ECharts's SVG. A
// report is a file of its own and draws SVG, which prints sharp.
export function draw(place: HTMLElement, renderer: "canvas" | "svg"): Drawing {
  return init(place, null, { renderer });
}

// The chart as the text of an SVG file, never put into the page.
export function svgText(option: Option, width: number, height: number, ground: string): string {
  const drawing = init(null, null, { renderer: "svg", ssr: true, width, height });
  drawing.setOption({ ...option, backgroundColor: ground });
  const text = drawing.renderToSVGString();
  drawing.dispose();
  return text;
}

export function pngUrl(option: Option, width: number, height: number, ground: string): string {
  const place = document.createElement("div");
  const drawing = init(place, null, { renderer: "canvas", width, height, devicePixelRatio: 2 });
  drawing.setOption({ ...option, backgroundColor: ground });
  const url = drawing.getDataURL({ type: "png", pixelRatio: 2, backgroundColor: ground });
  drawing.dispose();
  return url;
}
