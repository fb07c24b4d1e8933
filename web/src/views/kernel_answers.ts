// What the Kernel view asks: a point on every GPU, and 200 sizes on every GPU.
import { isObject, textAt, type JsonObject } from "../core/json";
import { gpuRecord, type Known } from "../core/known";
import { sweepValues, withSize } from "../core/operators";
import { askAll, upload, type Answered, type Question } from "../core/server";
import { moved, whatIf, type Factors } from "../core/what_if";

export interface KernelQuestion {
  gpus: string[];
  asked: JsonObject; // a predict request without its GPU
  factors: Factors; // of the first GPU
}

export interface GpuAnswer {
  name: string;
  answered: Answered;
}

export interface Points {
  gpus: GpuAnswer[];
  same: Answered | null; // the what-if record with nothing changed: what the change is compared with
  record: JsonObject | null;
  stored: string; // "upload:ID" of that record; empty without one
}

const uploads = new Map<string, Promise<string>>();

// Equal records are sent once.
function stored(record: JsonObject): Promise<string> {
  const text = JSON.stringify(record);
  const known = uploads.get(text);
  if (known !== undefined) return known;
  const sent = upload(`${textAt(record, "name")}.json`, text);
  uploads.set(text, sent);
  sent.catch(() => uploads.delete(text));
  // the server forgets old files too
  if (uploads.size > 64) uploads.delete(uploads.keys().next().value as string);
  return sent;
}

export function changedRecord(known: Known, { gpus, factors }: KernelQuestion): JsonObject | null {
  const record = gpus[0] === undefined ? null : gpuRecord(known, gpus[0]);
  return record === null || Object.keys(moved(factors)).length === 0 ? null : whatIf(record, moved(factors));
}

const question = (asked: JsonObject, gpu: string): Question => ({
  request: "predict",
  asked: { ...asked, gpu },
});

export async function askPoints(known: Known, from: KernelQuestion, signal: AbortSignal): Promise<Points> {
  const record = changedRecord(known, from);
  const names = [...from.gpus];
  const questions = from.gpus.map((gpu) => question(from.asked, gpu));
  let kept = "";
  if (record !== null) {
    const base = gpuRecord(known, from.gpus[0] as string) as JsonObject;
    const [changed, same] = await Promise.all([stored(record), stored(whatIf(base, {}))]);
    kept = changed;
    names.push(`${from.gpus[0]} what if`);
    questions.push(question(from.asked, changed), question(from.asked, same));
  }
  const answers = await askAll(questions, signal);
  return {
    gpus: names.map((name, index) => ({ name, answered: answers[index] as Answered })),
    record,
    stored: kept,
    same: record === null ? null : (answers[names.length] ?? null),
  };
}

export interface SweepAnswer {
  name: string;
  points: { x: number; document: JsonObject }[];
}

export async function askSweeps(
  known: Known,
  from: KernelQuestion,
  path: string[],
  values: number[],
  signal: AbortSignal,
): Promise<SweepAnswer[]> {
  const record = changedRecord(known, from);
  const gpus = [
    ...from.gpus.map((gpu) => ({ name: gpu, gpu })),
    ...(record === null ? [] : [{ name: `${from.gpus[0]} what if`, gpu: await stored(record) }]),
  ];
  const operator = isObject(from.asked["operator"]) ? from.asked["operator"] : {};
  const questions = gpus.flatMap(({ gpu }) =>
    values.map((value) => question({ ...from.asked, operator: withSize(operator, path, value) }, gpu)),
  );
  const answers = await askAll(questions, signal);
  return gpus
    .map(({ name }, index) => ({
      name,
      points: values.flatMap((x, at) => {
        const answered = answers[index * values.length + at];
        return answered !== undefined && "answer" in answered ? [{ x, document: answered.answer }] : [];
      }),
    }))
    .filter((sweep) => sweep.points.length > 0);
}

export { sweepValues };
