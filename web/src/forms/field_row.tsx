// One field of a request as a control: made from its schema alone.
import { useEffect, useId, useState } from "preact/hooks";
import { isObject, type Json, type JsonObject } from "../core/json";
import { readTyped, shown, takesFile, type Field } from "../core/schema";
import { ServerError, upload } from "../core/server";
import { useDrop } from "../parts/drop";
import { Slider, type SliderRange } from "./slider";

export interface RowProps {
  field: Field;
  value: Json | undefined;
  set(value: Json | undefined): void;
  names?: string; // id of a datalist
  slider?: SliderRange;
}

export function FieldRow(props: RowProps) {
  const { field } = props;
  const id = useId();
  const [problem, setProblem] = useState("");
  const hint = `${id}-hint`;
  return (
    <div class={`field field-${field.kind}`} data-field={field.path.join(".")}>
      <label for={id} title={field.about}>
        {field.name}
        {field.unit === "" ? null : <span class="unit">{field.unit}</span>}
        {field.required ? <span class="unit">required</span> : null}
      </label>
      <Control {...props} id={id} hint={hint} problem={problem} setProblem={setProblem} />
      {props.slider === undefined ? null : (
        <Slider
          {...props.slider}
          name={field.name}
          whole={field.kind === "integer"}
          value={Number(props.value ?? field.standard ?? props.slider.least)}
          set={props.set}
        />
      )}
      <p
        id={hint}
        class={problem === "" ? "hint" : "hint problem-text"}
        title={field.about}
        role={problem === "" ? undefined : "alert"}
      >
        {problem === "" ? field.about : problem}
      </p>
    </div>
  );
}

interface ControlProps extends RowProps {
  id: string;
  hint: string;
  problem: string;
  setProblem(text: string): void;
}

function Control(props: ControlProps) {
  const { field } = props;
  if (field.kind === "rows") return <Rows {...props} />;
  if (field.kind === "flag" && !field.nullable) return <Flag {...props} />;
  if (field.kind === "choice" || field.kind === "flag") return <Choice {...props} />;
  return <Typed {...props} />;
}

function Flag({ field, value, set, id, hint }: ControlProps) {
  const on = (value ?? field.standard) === true;
  return (
    <input
      id={id}
      type="checkbox"
      checked={on}
      aria-describedby={hint}
      onChange={(event) =>
        set(event.currentTarget.checked === field.standard ? undefined : event.currentTarget.checked)
      }
    />
  );
}

function Choice({ field, value, set, id, hint }: ControlProps) {
  const options: Json[] =
    field.kind === "flag" ? [true, false] : field.options.filter((option) => option !== null);
  const words = (option: Json) => (option === true ? "yes" : option === false ? "no" : String(option));
  const standard =
    field.standard === undefined || field.standard === null ? "as the engine chooses" : words(field.standard);
  return (
    <select
      id={id}
      aria-describedby={hint}
      value={value === undefined || value === null ? "" : words(value)}
      onChange={(event) => set(options.find((option) => words(option) === event.currentTarget.value))}
    >
      <option value="">{standard} (default)</option>
      {options
        .filter((option) => option !== field.standard)
        .map((option) => (
          <option key={words(option)} value={words(option)}>
            {words(option)}
          </option>
        ))}
    </select>
  );
}

function Typed({ field, value, set, id, hint, names, problem, setProblem }: ControlProps) {
  const [typed, setTyped] = useState(shown(value));
  useEffect(() => {
    setTyped(shown(value));
    setProblem("");
  }, [shown(value)]);
  const take = (text: string) => {
    setTyped(text);
    const read = readTyped(field, text);
    setProblem("problem" in read ? read.problem : "");
    if (!("problem" in read)) set(read.value);
  };
  const file = (given: File | undefined) => {
    if (given === undefined) return;
    setProblem("");
    upload(given.name, given)
      .then((stored) => take(field.kind === "list" && typed !== "" ? `${typed}, ${stored}` : stored))
      .catch((error: ServerError) => setProblem(error.message));
  };
  const drop = useDrop(file);
  const known = `${id}-known`;
  return (
    <span class={drop.over ? "typed over" : "typed"} {...drop.handlers}>
      <input
        id={id}
        type="text"
        value={typed}
        list={names ?? (field.examples.length > 0 ? known : undefined)}
        spellcheck={false}
        autocomplete="off"
        inputMode={field.kind === "integer" || field.kind === "number" ? "decimal" : undefined}
        placeholder={shown(field.standard) || undefined}
        aria-describedby={hint}
        aria-invalid={problem !== ""}
        aria-required={field.required}
        onInput={(event) => take(event.currentTarget.value)}
      />
      {field.examples.length > 0 && names === undefined ? (
        <datalist id={known}>
          {field.examples.map((example) => (
            <option key={example} value={example} />
          ))}
        </datalist>
      ) : null}
      {takesFile(field) ? (
        <label class="file">
          file…
          <input
            type="file"
            aria-label={`${field.name}: choose a file`}
            onChange={(event) => file(event.currentTarget.files?.[0])}
          />
        </label>
      ) : null}
    </span>
  );
}

// A list of objects, such as groups of alike requests.
function Rows({ field, value, set, id }: ControlProps) {
  const rows = (Array.isArray(value) ? value : []).filter(isObject);
  const change = (index: number, name: string, given: Json | undefined) => {
    const next = rows.map((row, at): JsonObject => {
      if (at !== index) return row;
      const copy = { ...row };
      if (given === undefined) delete copy[name];
      else copy[name] = given;
      return copy;
    });
    set(next);
  };
  return (
    <div class="rows" id={id} role="group" aria-label={field.name}>
      {rows.map((row, index) => (
        <div class="row-fields" key={index}>
          {field.inner.map((inner) => (
            <FieldRow
              key={inner.name}
              field={inner}
              value={row[inner.name]}
              set={(given) => change(index, inner.name, given)}
            />
          ))}
          <button
            type="button"
            class="small"
            onClick={() => set(rows.filter((_, at) => at !== index))}
            aria-label={`remove ${field.name} ${index + 1}`}
          >
            Remove
          </button>
        </div>
      ))}
      <button
        type="button"
        class="small"
        onClick={() =>
          set([...rows, Object.fromEntries(field.inner.map((inner) => [inner.name, inner.least ?? 1]))])
        }
      >
        Add
      </button>
    </div>
  );
}
