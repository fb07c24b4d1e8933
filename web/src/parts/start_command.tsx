// What starts an engine as fields of `simulate` describe it.
import { useEffect, useState } from "preact/hooks";
import { isObject, textAt, type JsonObject } from "../core/json";
import { post, type ServerError } from "../core/server";
import { CommandText } from "./command";
import { Problem } from "./notices";

interface Start {
  command: string;
  options: JsonObject | null; // its file of options
  problem: Error | null;
}

export function StartCommand({ asked }: { asked: JsonObject }) {
  const [start, setStart] = useState<Start>({ command: "", options: null, problem: null });
  const key = JSON.stringify(asked);
  useEffect(() => {
    const gone = new AbortController();
    post("/start-command", { asked }, gone.signal)
      .then((reply) => {
        const options = isObject(reply["options"]) ? reply["options"] : null;
        setStart({ command: textAt(reply, "command"), options, problem: null });
      })
      .catch((problem: ServerError) => {
        if (!gone.signal.aborted) setStart({ command: "", options: null, problem });
      });
    return () => gone.abort();
  }, [key]);
  return (
    <>
      <Problem error={start.problem} />
      {start.command === "" ? null : <CommandText command={start.command} label="start command" />}
      {start.options === null ? null : (
        <CommandText
          command={JSON.stringify(start.options, null, 2)}
          label="engine_options.yaml"
          note="engine_options.yaml"
        />
      )}
    </>
  );
}
