// A form of a request: the fields that a view names first, all others below in groups, found by a search.
import { useMemo, useState } from "preact/hooks";
import { at, isObject, withValue, type Json, type JsonObject } from "../core/json";
import { words } from "../core/quantity";
import { belongsTo, leaves, readFields, type Field } from "../core/schema";
import { FieldRow } from "./field_row";
import type { SliderRange } from "./slider";

export interface First {
  path: string; // "setup.model"
  slider?: SliderRange;
}

export interface SchemaFormProps {
  schema: JsonObject;
  value: JsonObject;
  change(value: JsonObject): void;
  first: First[];
  hidden?: string[]; // paths that the view has controls of its own for, whole objects too
  engine?: string;
  more?: string; // what the fields below are called
}

// Lists of names that the page fills: fields of these names take a GPU or a model.
const NAMED: Record<string, string> = {
  gpu: "names-of-gpus",
  gpu_names: "names-of-gpus",
  model: "names-of-models",
};

export function SchemaForm({
  schema,
  value,
  change,
  first,
  hidden = [],
  engine = "",
  more = "All other fields",
}: SchemaFormProps) {
  const fields = useMemo(() => readFields(schema), [schema]);
  const all = useMemo(() => leaves(fields), [fields]);
  const named = new Map(all.map((field) => [field.path.join("."), field]));
  const leading = first.flatMap((one) =>
    named.has(one.path) ? [{ ...one, field: named.get(one.path)! }] : [],
  );
  const taken = new Set([...first.map((one) => one.path), ...hidden]);
  const set = (field: Field) => (given: Json | undefined) => change(withValue(value, field.path, given));
  return (
    <div class="form">
      {leading
        .filter(({ field }) => belongsTo(field, engine))
        .map(({ field, slider }) => (
          <FieldRow
            key={field.path.join(".")}
            field={field}
            value={at(value, field.path)}
            set={set(field)}
            names={NAMED[field.name]}
            slider={slider}
          />
        ))}
      <MoreFields title={more} fields={fields} taken={taken} value={value} change={change} engine={engine} />
    </div>
  );
}

interface MoreProps {
  title: string;
  fields: Field[];
  taken: Set<string>;
  value: JsonObject;
  change(value: JsonObject): void;
  engine: string;
}

function MoreFields({ fields, taken, value, change, engine, title }: MoreProps) {
  const [open, setOpen] = useState(false);
  const [search, setSearch] = useState("");
  const rest = useMemo(() => sections(fields, taken, engine), [fields, [...taken].join(), engine]);
  const count = rest.reduce((sum, section) => sum + section.fields.length, 0);
  if (count === 0) return null;
  const wanted = search.trim().toLowerCase();
  const fits = (field: Field) =>
    wanted === "" || `${field.name} ${field.about}`.toLowerCase().includes(wanted);
  return (
    <details class="more" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {title} ({count})
      </summary>
      {open ? (
        <>
          <input
            type="search"
            class="search"
            aria-label="search fields"
            placeholder="search fields"
            value={search}
            onInput={(event) => setSearch(event.currentTarget.value)}
          />
          {rest.map((section) => {
            const hits = section.fields.filter(fits);
            return hits.length === 0 ? null : (
              <FieldSection
                key={section.title}
                title={section.title}
                about={section.about}
                fields={hits}
                value={value}
                change={change}
                open={wanted !== ""}
              />
            );
          })}
        </>
      ) : null}
    </details>
  );
}

function FieldSection({
  title,
  about,
  fields,
  value,
  change,
  open,
}: {
  title: string;
  about: string;
  fields: Field[];
  value: JsonObject;
  change(value: JsonObject): void;
  open: boolean;
}) {
  const changed = fields.filter((field) => at(value, field.path) !== undefined).length;
  return (
    <details class="field-section" open={open || changed > 0}>
      <summary title={about}>
        {title}
        {changed > 0 ? <span class="unit">{changed} set</span> : null}
      </summary>
      {fields.map((field) => (
        <FieldRow
          key={field.path.join(".")}
          field={field}
          value={at(value, field.path)}
          names={NAMED[field.name]}
          set={(given) => change(withValue(value, field.path, given))}
        />
      ))}
    </details>
  );
}

interface FormSection {
  title: string;
  about: string;
  fields: Field[];
}

// By object, and inside an object by the schema's own groups.
export function sections(
  fields: Field[],
  taken: Set<string>,
  engine: string,
  title = "",
  about = "",
): FormSection[] {
  const free = fields.filter((field) => !taken.has(field.path.join(".")));
  const plain = free.filter((field) => field.kind !== "object" && belongsTo(field, engine));
  const groups = [...new Set(plain.map((field) => field.group))];
  const own = groups.map((group) => ({
    title: [title, group === "" ? "" : words(group)].filter((part) => part !== "").join(" · ") || "General",
    about,
    fields: plain.filter((field) => field.group === group),
  }));
  const inner = free
    .filter((field) => field.kind === "object")
    .flatMap((field) =>
      sections(
        field.inner,
        taken,
        engine,
        [title, words(field.name)].filter((part) => part !== "").join(" · "),
        field.about,
      ),
    );
  return [...own, ...inner].filter((section) => section.fields.length > 0);
}

// What a view asks: of a short link the view's own start with what the link says; once the form was touched
// (`whole`) exactly what it holds, so that fields can be cleared.
export function askedOf(state: JsonObject, start: JsonObject): JsonObject {
  const asked = isObject(state["asked"]) ? state["asked"] : {};
  return state["whole"] === true ? asked : filled(asked, start);
}

// What the fields of a request start with, for those that have to be there.
export function filled(value: JsonObject, standard: JsonObject): JsonObject {
  return Object.entries(standard).reduce((sum, [key, given]): JsonObject => {
    const now = sum[key];
    if (now === undefined) return { ...sum, [key]: given };
    return isObject(now) && isObject(given) ? { ...sum, [key]: filled(now, given) } : sum;
  }, value);
}
