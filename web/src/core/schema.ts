// What a request holds, read from the JSON schema that the server sends. No field is named in this program
// but to say which come first in a view.
import { at, isObject, withValue, type Json, type JsonObject, type Path } from "./json";

export type Kind = "text" | "integer" | "number" | "flag" | "choice" | "list" | "rows" | "object";

export interface Field {
  path: Path;
  name: string;
  kind: Kind;
  nullable: boolean;
  about: string;
  unit: string;
  group: string;
  owners: string[]; // engines that have the field; none: all
  options: Json[]; // of a choice
  examples: string[]; // names that are known, where others may be taken too
  standard: Json | undefined; // the default
  least: number | undefined;
  most: number | undefined;
  required: boolean;
  items: Field | undefined; // of a list
  inner: Field[]; // of an object, or of one of the rows
}

function kindOf(schema: JsonObject, types: string[]): Kind {
  if (Array.isArray(schema["enum"])) return "choice";
  const type = types.find((one) => one !== "null") ?? "string";
  if (type === "integer" || type === "number") return type;
  if (type === "boolean") return "flag";
  if (type === "object") return "object";
  if (type !== "array") return "text";
  return isObject(schema["items"]) && isObject(schema["items"]["properties"]) ? "rows" : "list";
}

function text(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

function numeric(value: Json | undefined): number | undefined {
  return typeof value === "number" ? value : undefined;
}

export function readField(path: Path, schema: JsonObject, required = false): Field {
  const type = schema["type"];
  const types = Array.isArray(type) ? type.map(String) : [text(type)];
  const kind = kindOf(schema, types);
  const items = isObject(schema["items"]) ? schema["items"] : undefined;
  return {
    path,
    name: path[path.length - 1] ?? "",
    kind,
    nullable: types.includes("null"),
    about: text(schema["description"]),
    unit: text(schema["unit"]),
    group: text(schema["group"]),
    owners: Array.isArray(schema["owners"]) ? schema["owners"].map(String) : [],
    options: Array.isArray(schema["enum"]) ? schema["enum"] : [],
    examples: Array.isArray(schema["examples"]) ? schema["examples"].map(String) : [],
    standard: schema["default"],
    least: kind === "flag" ? undefined : numeric(schema["minimum"]),
    most: kind === "flag" ? undefined : numeric(schema["maximum"]),
    required,
    items: kind === "list" && items !== undefined ? readField([], items) : undefined,
    inner:
      kind === "object"
        ? readFields(schema, path)
        : kind === "rows" && items !== undefined
          ? readFields(items, [])
          : [],
  };
}

export function readFields(schema: JsonObject, before: Path = []): Field[] {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  return Object.entries(properties).flatMap(([name, inner]) =>
    isObject(inner) && inner["const"] === undefined && inner["oneOf"] === undefined
      ? [readField([...before, name], inner, required.includes(name))]
      : [],
  );
}

// The constants that tell apart the forms of a schema with `oneOf` at `path`, as `operator` of predict.
export function forms(schema: JsonObject, path: Path, key: string): Map<string, JsonObject> {
  const all = at(schema, [...path.flatMap((name) => ["properties", name]), "oneOf"]);
  const found = new Map<string, JsonObject>();
  for (const one of Array.isArray(all) ? all : []) {
    const constant = at(one, ["properties", key, "const"]);
    if (typeof constant === "string" && isObject(one)) found.set(constant, one);
  }
  return found;
}

export function leaves(fields: Field[]): Field[] {
  return fields.flatMap((field) => (field.kind === "object" ? leaves(field.inner) : [field]));
}

export function belongsTo(field: Field, engine: string): boolean {
  return field.owners.length === 0 || engine === "" || field.owners.includes(engine);
}

// Fields that take the contents of a file, by their own words; any text field takes one dropped on it.
export function takesFile(field: Field): boolean {
  const about = field.kind === "list" ? `${field.about} ${field.items?.about ?? ""}` : field.about;
  return (
    (field.kind === "text" || field.kind === "list") && /\b(path|CSV|trace|file|files|table)\b/.test(about)
  );
}

// {"model": ..., "max_num_seqs": 8} as the request nests it: a name belongs to the field nearest to the top.
export function nestedByName(schema: JsonObject, flat: JsonObject): JsonObject {
  const all = leaves(readFields(schema)).sort((one, other) => one.path.length - other.path.length);
  return Object.entries(flat).reduce((sum, [name, value]) => {
    const field = all.find((one) => one.name === name);
    return withValue(sum, field?.path ?? [name], value);
  }, {} as JsonObject);
}

export type Read = { value: Json | undefined } | { problem: string };

function range(field: Field): string {
  if (field.least !== undefined && field.most !== undefined) return `from ${field.least} to ${field.most}`;
  if (field.least !== undefined) return `at least ${field.least}`;
  return field.most !== undefined ? `at most ${field.most}` : "";
}

function readNumber(field: Field, typed: string): Read {
  const value = Number(typed.replace(/[,_\s]/g, ""));
  const wanted = `${field.kind === "integer" ? "a whole number" : "a number"} ${range(field)}`.trim();
  const bad =
    !Number.isFinite(value) ||
    (field.kind === "integer" && !Number.isInteger(value)) ||
    value < (field.least ?? -Infinity) ||
    value > (field.most ?? Infinity);
  return bad ? { problem: `'${typed}', expected ${wanted}` } : { value };
}

// What somebody typed as the field's value; nothing typed is the default.
export function readTyped(field: Field, typed: string): Read {
  const trimmed = typed.trim();
  if (trimmed === "") return { value: undefined };
  if (field.kind === "integer" || field.kind === "number") return readNumber(field, trimmed);
  if (field.kind !== "list") return { value: trimmed };
  const values: Json[] = [];
  for (const part of trimmed
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "")) {
    const read = field.items === undefined ? { value: part } : readTyped(field.items, part);
    if ("problem" in read) return read;
    if (read.value !== undefined) values.push(read.value);
  }
  return { value: values };
}

export function shown(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value)) return value.map(shown).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
