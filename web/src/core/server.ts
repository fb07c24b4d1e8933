// The API of `warploom web` (/api/v1): questions, jobs with progress, uploads. Every failure is a ServerError
// with one sentence for the reader.
import { isObject, textAt, type Json, type JsonObject } from "./json";
import { eventsOf, type ServerEvent } from "./events";

export class ServerError extends Error {
  constructor(
    message: string,
    readonly kind: string,
    readonly status: number,
  ) {
    super(message);
  }
}

export interface Question {
  request: string;
  asked: JsonObject;
}
export type Answered = { answer: JsonObject } | { problem: ServerError };

export interface Progress {
  done: number;
  total: number;
  said: string;
}

const TOKEN_KEY = "warploom-token";
let token: string | null = null;

export function keepToken(given: string | null): void {
  try {
    if (given !== null) sessionStorage.setItem(TOKEN_KEY, given);
    token = given ?? sessionStorage.getItem(TOKEN_KEY);
  } catch {
    token = given; // storage may be forbidden; the token then lasts until the page is left
  }
}

function headers(more: Record<string, string> = {}): Record<string, string> {
  return token === null ? more : { ...more, Authorization: `Bearer ${token}` };
}

function problemOf(document: unknown, status: number): ServerError {
  const inner = isObject(document) ? document["error"] : undefined;
  const message = textAt(inner, "message");
  return new ServerError(
    message === "" ? `the server answered with status ${status}` : message,
    textAt(inner, "kind"),
    status,
  );
}

async function request(path: string, options: RequestInit): Promise<Response> {
  try {
    return await fetch(`api/v1${path}`, options);
  } catch (error) {
    if (options.signal?.aborted === true) throw error;
    throw new ServerError("the server does not answer: is `warploom web` still running?", "unreachable", 0);
  }
}

async function documentOf(response: Response): Promise<Json> {
  const text = await response.text();
  try {
    const document = JSON.parse(text) as Json;
    if (!response.ok) throw problemOf(document, response.status);
    return document;
  } catch (error) {
    if (error instanceof ServerError) throw error;
    throw new ServerError(
      `the server answered with status ${response.status} and no JSON`,
      "",
      response.status,
    );
  }
}

export async function get(path: string, signal?: AbortSignal): Promise<JsonObject> {
  return (await documentOf(await request(path, { headers: headers(), signal }))) as JsonObject;
}

export async function post(path: string, body: Json, signal?: AbortSignal): Promise<JsonObject> {
  const options = {
    method: "POST",
    headers: headers({ "Content-Type": "application/json" }),
    body: JSON.stringify(body),
    signal,
  };
  return (await documentOf(await request(path, options))) as JsonObject;
}

export function ask(name: string, asked: JsonObject, signal?: AbortSignal): Promise<JsonObject> {
  return post(`/answers/${name}`, asked, signal);
}

const MOST_QUESTIONS = 1000; // of one request to /answers

export async function askAll(questions: Question[], signal?: AbortSignal): Promise<Answered[]> {
  const parts: Question[][] = [];
  for (let from = 0; from < questions.length; from += MOST_QUESTIONS)
    parts.push(questions.slice(from, from + MOST_QUESTIONS));
  const replies = await Promise.all(
    parts.map((part) => post("/answers", { questions: part as unknown as Json }, signal)),
  );
  return replies
    .flatMap((reply) => (Array.isArray(reply["answers"]) ? reply["answers"] : []))
    .map((one) =>
      isObject(one) && isObject(one["answer"]) ? { answer: one["answer"] } : { problem: problemOf(one, 422) },
    );
}

export async function upload(name: string, content: Blob | string, signal?: AbortSignal): Promise<string> {
  const options = {
    method: "POST",
    headers: headers({ "Content-Type": "application/octet-stream" }),
    body: content,
    signal,
  };
  const reply = await documentOf(await request(`/files?name=${encodeURIComponent(name)}`, options));
  return textAt(reply, "file");
}

// `file`: "upload:ID", as upload() and an answer's `files` name it.
export async function download(file: string): Promise<Blob> {
  const id = encodeURIComponent(file.replace(/^upload:/, ""));
  const response = await request(`/files/${id}`, { headers: headers() });
  if (!response.ok) await documentOf(response);
  return response.blob();
}

export interface Job {
  answer: Promise<JsonObject | null>; // null: cancelled before anything was known
  cancel(): Promise<void>;
}

// Starts a job and reads its events until it ends.
export async function start(
  name: string,
  asked: JsonObject,
  progress: (now: Progress) => void,
): Promise<Job> {
  const id = textAt(await post(`/jobs/${name}`, asked), "job");
  return {
    answer: follow(id, progress),
    async cancel() {
      await documentOf(await request(`/jobs/${id}`, { method: "DELETE", headers: headers() })).catch(
        (error) => {
          if (!(error instanceof ServerError) || error.status >= 400) throw error;
        },
      );
    },
  };
}

async function follow(id: string, progress: (now: Progress) => void): Promise<JsonObject | null> {
  const response = await request(`/jobs/${id}/events`, { headers: headers({ Accept: "text/event-stream" }) });
  if (!response.ok || response.body === null) {
    await documentOf(response);
    throw new ServerError("the server sent no events", "", response.status);
  }
  const now: Progress = { done: 0, total: 0, said: "" };
  for await (const event of eventsOf(response.body)) {
    const end = ended(event);
    if (end !== undefined) return end;
    const data = JSON.parse(event.data) as Json;
    if (event.name === "said") now.said = textAt(data, "line");
    if (event.name === "progress" && isObject(data))
      Object.assign(now, { done: data["done"], total: data["total"] });
    progress({ ...now });
  }
  throw new ServerError("the server closed the connection before the answer", "unreachable", 0);
}

function ended(event: ServerEvent): JsonObject | null | undefined {
  if (event.name === "answer") return JSON.parse(event.data) as JsonObject;
  if (event.name === "failed") throw problemOf(JSON.parse(event.data), 422);
  if (event.name !== "cancelled") return undefined;
  const data = JSON.parse(event.data === "" ? "{}" : event.data) as JsonObject;
  return isObject(data["answer"]) ? data["answer"] : null;
}
