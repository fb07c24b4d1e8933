// A job of a view: what starts it, how far it is, what went wrong.
import type { ComponentChildren } from "preact";
import type { Running } from "../core/live";
import { Problem, Working } from "./notices";

export function JobButton({
  job,
  start,
  ready,
  children,
}: {
  job: Running;
  start(): void;
  ready?: boolean;
  children: ComponentChildren;
}) {
  return (
    <button type="button" class="primary" disabled={job.progress !== null || ready === false} onClick={start}>
      {children}
    </button>
  );
}

export function JobState({ job }: { job: Running }) {
  return (
    <>
      {job.progress === null ? null : (
        <Working progress={job.progress} cancel={job.cancel} cancelling={job.cancelling} />
      )}
      <Problem error={job.problem} />
      {job.cancelled ? (
        <p class="note" role="status">
          Cancelled.
        </p>
      ) : null}
    </>
  );
}
