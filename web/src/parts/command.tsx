// The equivalent command line, as the server makes it, and downloads of the documents.
import { useEffect, useState } from "preact/hooks";
import type { Json, JsonObject } from "../core/json";
import { post, type ServerError } from "../core/server";
import { textAt } from "../core/json";
import { fileName, save } from "./save";

export function Copy({ text, name }: { text: string; name: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <button type="button" class="small" onClick={() => void copy(text).then(() => setCopied(true))}>
      <span aria-live="polite">{copied ? "Copied" : name}</span>
    </button>
  );
}

async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // no clipboard without a secure origin: a selected text field does it the old way
    const place = document.createElement("textarea");
    place.value = text;
    document.body.append(place);
    place.select();
    document.execCommand("copy");
    place.remove();
  }
}

export function CommandText({ command, note, label }: { command: string; note?: string; label?: string }) {
  return (
    <div class="command">
      <pre role="group" tabIndex={0} aria-label={label ?? "equivalent command line"}>
        <code>{command}</code>
      </pre>
      <Copy text={command} name="Copy" />
      {note === undefined ? null : <p class="note">{note}</p>}
    </div>
  );
}

const PAUSE = 150; // ms without a change before the server is asked

export function CommandLine({ request, asked, note }: { request: string; asked: JsonObject; note?: string }) {
  const [line, setLine] = useState<{ command: string; problem: string }>({ command: "", problem: "" });
  const key = JSON.stringify(asked);
  useEffect(() => {
    const gone = new AbortController();
    const timer = setTimeout(() => {
      post("/command-line", { request, asked }, gone.signal)
        .then((reply) => setLine({ command: textAt(reply, "command"), problem: "" }))
        .catch(
          (error: ServerError) => gone.signal.aborted || setLine({ command: "", problem: error.message }),
        );
    }, PAUSE);
    return () => {
      clearTimeout(timer);
      gone.abort();
    };
  }, [request, key]);
  if (line.command === "")
    return line.problem === "" ? null : <p class="note">No command line: {line.problem}</p>;
  return <CommandText command={line.command} note={note} />;
}

export function Takeaways({ name, document }: { name: string; document: Json }) {
  return (
    <div class="tools" role="group" aria-label="downloads and link">
      <Copy text={location.href} name="Copy link" />
      <button
        type="button"
        onClick={() =>
          save(fileName(name, "json"), `${JSON.stringify(document, null, 2)}\n`, "application/json")
        }
      >
        JSON
      </button>
      <button type="button" onClick={() => print()}>
        Print
      </button>
    </div>
  );
}
