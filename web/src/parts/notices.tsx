// What goes on and what went wrong, in words that screen readers hear.
import type { Progress } from "../core/server";

export function Problem({ error, about }: { error: Error | null; about?: string }) {
  if (error === null) return null;
  return (
    <p class="problem" role="alert">
      {about === undefined ? "" : `${about}: `}
      {error.message}
    </p>
  );
}

export function Working({
  progress,
  cancel,
  cancelling,
}: {
  progress: Progress;
  cancel(): void;
  cancelling: boolean;
}) {
  const known = progress.total > 0;
  const share = known ? Math.round((100 * progress.done) / progress.total) : 0;
  return (
    <div class="working" role="status">
      <progress aria-label="progress" max={100} value={known ? share : undefined} />
      <span>
        {cancelling
          ? "cancelling…"
          : known
            ? `${progress.done.toLocaleString("en")} of ${progress.total.toLocaleString("en")} (${share} %)`
            : "running…"}
      </span>
      <button type="button" onClick={cancel} disabled={cancelling}>
        Cancel
      </button>
      {progress.said === "" ? null : <span class="quiet said">{progress.said}</span>}
    </div>
  );
}
