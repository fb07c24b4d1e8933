// Answers that follow the inputs: the newest question counts, older ones are given up.
import { useEffect, useRef, useState } from "preact/hooks";
import { start, type Job, type Progress } from "./server";
import type { JsonObject } from "./json";

export interface Live<T> {
  value: T | null;
  problem: Error | null;
  busy: boolean;
}

// At most one question is under way; while it is, only the newest of those that follow is kept.
export function useLive<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Live<T> {
  const [state, setState] = useState<Live<T>>({ value: null, problem: null, busy: true });
  const waiting = useRef<(() => void) | null>(null);
  const running = useRef(false);
  const left = useRef(new AbortController());
  useEffect(() => () => left.current.abort(), []);
  useEffect(() => {
    const run = () => {
      running.current = true;
      setState((before) => ({ ...before, busy: true }));
      load(left.current.signal)
        .then(
          (value) => ({ value, problem: null }),
          (problem: Error) => ({ value: null, problem }),
        )
        .then((done) => {
          if (left.current.signal.aborted) return;
          running.current = false;
          const next = waiting.current;
          waiting.current = null;
          setState((before) => ({
            value: done.value ?? (done.problem === null ? null : before.value),
            problem: done.problem,
            busy: next !== null,
          }));
          next?.();
        });
    };
    if (running.current) waiting.current = run;
    else run();
  }, [key]);
  return state;
}

export interface Running {
  progress: Progress | null; // null: no job
  cancelling: boolean;
  problem: Error | null;
  cancelled: boolean;
  run(request: string, asked: JsonObject): void;
  cancel(): void;
}

const NOTHING = { progress: null, cancelling: false, problem: null, cancelled: false };

// One job at a time; `done` gets the answer and what was asked.
export function useJob(done: (answer: JsonObject, asked: JsonObject) => void): Running {
  const [state, setState] = useState<Omit<Running, "run" | "cancel">>(NOTHING);
  const job = useRef<Job | null>(null);
  const number = useRef(0);
  useEffect(() => () => void job.current?.cancel().catch(() => undefined), []);
  const run = async (request: string, asked: JsonObject) => {
    const mine = ++number.current;
    setState({ ...NOTHING, progress: { done: 0, total: 0, said: "" } });
    try {
      job.current = await start(
        request,
        asked,
        (progress) => mine === number.current && setState((before) => ({ ...before, progress })),
      );
      const answer = await job.current.answer;
      setState({ ...NOTHING, cancelled: answer === null });
      if (answer !== null) done(answer, asked);
    } catch (problem) {
      setState({ ...NOTHING, problem: problem as Error });
    } finally {
      job.current = null;
    }
  };
  return {
    ...state,
    run: (request, asked) => void (state.progress === null && run(request, asked)),
    cancel() {
      setState((before) => ({ ...before, cancelling: true }));
      job.current
        ?.cancel()
        .catch((problem: Error) => setState((before) => ({ ...before, cancelling: false, problem })));
    },
  };
}
