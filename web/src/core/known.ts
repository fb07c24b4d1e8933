// What the server knows: schemas, GPUs, models. Asked once.
import { useEffect, useState } from "preact/hooks";
import { isObject, objectsAt, textAt, type JsonObject } from "./json";
import { ask, get } from "./server";

export interface Known {
  version: string;
  schemas: Record<string, JsonObject>;
  gpus: JsonObject[]; // records
  models: string[];
}

async function load(): Promise<Known> {
  const [version, schemas, gpus, models] = await Promise.all([
    get("/version"),
    get("/schemas"),
    ask("gpus", {}),
    ask("models", {}),
  ]);
  return {
    version: textAt(version, "version"),
    schemas: Object.fromEntries(
      Object.entries(schemas).filter((one): one is [string, JsonObject] => isObject(one[1])),
    ),
    gpus: objectsAt(gpus, "gpus"),
    models: objectsAt(models, "models").map((one) => textAt(one, "name")),
  };
}

export function useKnown(): { known: Known | null; problem: Error | null } {
  const [state, setState] = useState<{ known: Known | null; problem: Error | null }>({
    known: null,
    problem: null,
  });
  useEffect(() => {
    load()
      .then((known) => setState({ known, problem: null }))
      .catch((problem: Error) => setState({ known: null, problem }));
  }, []);
  return state;
}

// A record by its name or any alias, however it is spelled.
export function gpuRecord(known: Known, name: string): JsonObject | null {
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, "");
  return (
    known.gpus.find((gpu) =>
      [
        textAt(gpu, "name"),
        textAt(gpu, "title"),
        ...(Array.isArray(gpu["aliases"]) ? gpu["aliases"] : []).map(String),
      ].some((one) => plain(one) === plain(name)),
    ) ?? null
  );
}

// The alias that reads best in a list: the first, else the name.
export function gpuName(gpu: JsonObject): string {
  const aliases = Array.isArray(gpu["aliases"]) ? gpu["aliases"].map(String) : [];
  return aliases.find((one) => /-/.test(one)) ?? aliases[0] ?? textAt(gpu, "name");
}
