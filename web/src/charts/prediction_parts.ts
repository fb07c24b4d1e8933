// What the charts of one operator share.
import { numberAt, objectsAt, textAt, type JsonObject } from "../core/json";

export interface Named {
  name: string;
  document: JsonObject;
}

export function us(document: JsonObject, key: string): number {
  return numberAt(document, key) ?? 0;
}

const PIPELINE_UNITS: Record<string, "FLOP" | "B" | "count"> = {
  tensor: "FLOP",
  fma: "FLOP",
  launch: "count",
  xu: "count",
};

export function pipelineRows(document: JsonObject) {
  return objectsAt(document, "pipelines").map((one) => {
    const name = textAt(one, "pipeline");
    return {
      name,
      demand: numberAt(one, "demand") ?? 0,
      time: numberAt(one, "time_us") ?? 0,
      share: numberAt(one, "share") ?? 0,
      unit: PIPELINE_UNITS[name] ?? ("B" as const),
    };
  });
}

export function tierWords(document: JsonObject): string {
  const marks = [
    document["extrapolated"] === true ? "outside" : "",
    document["stands_in"] === true ? "stands in" : "",
  ];
  return [textAt(document, "tier"), ...marks.filter((mark) => mark !== "")].join(", ");
}

export function kernelWords(document: JsonObject): string {
  const version = textAt(document, "framework_version") || textAt(document, "version");
  return [textAt(document, "framework"), version, textAt(document, "kernel")]
    .filter((part) => part !== "")
    .join(" ");
}
