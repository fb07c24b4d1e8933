import { render } from "preact";
import { act } from "preact/test-utils";
import { beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/core/json";
import {
  belongsTo,
  forms,
  leaves,
  nestedByName,
  readFields,
  readTyped,
  shown,
  takesFile,
} from "../../src/core/schema";
import { filled, SchemaForm, sections } from "../../src/forms/schema_form";

// Made up here: no field of it is known to the page.
const SCHEMA: JsonObject = {
  type: "object",
  properties: {
    place: {
      type: "object",
      description: "where",
      properties: {
        river: { type: "string", description: "a name, or the path of a file" },
        depth_m: {
          type: ["integer", "null"],
          minimum: 1,
          maximum: 40,
          unit: "m",
          description: "at the ford",
          group: "water",
        },
        kind: {
          type: "string",
          enum: ["calm", "wild"],
          default: "calm",
          description: "of the water",
          owners: ["north"],
        },
      },
      required: ["river"],
    },
    boats: {
      type: "array",
      items: { type: "integer", minimum: 1 },
      default: [],
      description: "places in each",
    },
    night: { type: "boolean", default: false, minimum: 0, maximum: 1, description: "after dark" },
    crews: {
      type: "array",
      items: { type: "object", properties: { count: { type: "integer", minimum: 1 } } },
    },
    shape: {
      oneOf: [
        { properties: { form: { const: "round" }, radius: { type: "number" } } },
        { properties: { form: { const: "long" } } },
      ],
    },
  },
};
const fields = readFields(SCHEMA);
const all = leaves(fields);
const named = (name: string) => all.find((field) => field.name === name)!;

describe("schemas", () => {
  it("become fields with everything that they say", () => {
    expect(named("depth_m")).toMatchObject({
      path: ["place", "depth_m"],
      kind: "integer",
      nullable: true,
      least: 1,
      most: 40,
      unit: "m",
      group: "water",
      about: "at the ford",
    });
    expect(named("kind")).toMatchObject({
      kind: "choice",
      options: ["calm", "wild"],
      standard: "calm",
      owners: ["north"],
    });
    expect(named("river").required).toBe(true);
    expect(named("crews")).toMatchObject({ kind: "rows" });
    expect(named("crews").inner.map((field) => field.name)).toEqual(["count"]);
  });
  it("have forms told apart by a constant", () =>
    expect([...forms(SCHEMA, ["shape"], "form").keys()]).toEqual(["round", "long"]));
  it("say whose a field is", () =>
    expect([
      belongsTo(named("kind"), "north"),
      belongsTo(named("kind"), "south"),
      belongsTo(named("river"), "south"),
    ]).toEqual([true, false, true]));
  it("say what takes a file", () =>
    expect([takesFile(named("river")), takesFile(named("night"))]).toEqual([true, false]));
  it("nest flat names", () =>
    expect(nestedByName(SCHEMA, { depth_m: 3, boats: [2] })).toEqual({ place: { depth_m: 3 }, boats: [2] }));
  it("come in sections of objects and groups, without what is taken", () =>
    expect(
      sections(fields, new Set(["place.river", "night"]), "south").map((one) => [
        one.title,
        one.fields.map((field) => field.name),
      ]),
    ).toEqual([
      ["General", ["boats", "crews"]],
      ["Place · Water", ["depth_m"]],
    ]));
});

describe("typed values", () => {
  it.each([
    ["depth_m", "3", 3],
    ["depth_m", " ", undefined],
    ["boats", "1, 2,3", [1, 2, 3]],
    ["river", " Elbe ", "Elbe"],
  ])("%s: %j is %j", (name, typed, value) => expect(readTyped(named(name), typed)).toEqual({ value }));
  it.each([
    ["depth_m", "3.5"],
    ["depth_m", "0"],
    ["depth_m", "41"],
    ["depth_m", "deep"],
    ["boats", "1, x"],
  ])("%s: %j is refused in words", (name, typed) =>
    expect((readTyped(named(name), typed) as { problem: string }).problem).toMatch(/expected a whole number/),
  );
  it("are shown as they are typed", () =>
    expect([shown([1, 2]), shown(null), shown(true)]).toEqual(["1, 2", "", "true"]));
});

describe("forms", () => {
  let value: JsonObject = {};
  const place = document.createElement("div");
  const draw = () =>
    act(() =>
      render(
        <SchemaForm
          schema={SCHEMA}
          value={value}
          change={(next) => {
            value = next;
            void draw();
          }}
          first={[{ path: "place.depth_m" }, { path: "place.kind" }, { path: "night" }, { path: "boats" }]}
        />,
        place,
      ),
    );
  beforeEach(() => {
    value = {};
    document.body.replaceChildren(place);
    void draw();
  });
  const type = (field: string, text: string) =>
    act(() => {
      const input = place.querySelector<HTMLInputElement>(`[data-field="${field}"] input`)!;
      input.value = text;
      input.dispatchEvent(new Event("input", { bubbles: true }));
    });

  it("label every control and show unit and words of its schema", () => {
    for (const control of place.querySelectorAll("input:not([type=search]), select"))
      expect(
        place.querySelector(`label[for="${control.id}"]`) ?? control.getAttribute("aria-label"),
      ).toBeTruthy();
    expect(place.querySelector('[data-field="place.depth_m"]')!.textContent).toContain("depth_m");
    expect(place.querySelector('[data-field="place.depth_m"] .unit')!.textContent).toBe("m");
    expect(place.querySelector('[data-field="place.depth_m"] .hint')!.textContent).toBe("at the ford");
  });
  it("write what is typed where the schema has it, and take away what is cleared", () => {
    void type("place.depth_m", "7");
    void type("boats", "2, 4");
    expect(value).toEqual({ place: { depth_m: 7 }, boats: [2, 4] });
    void type("place.depth_m", "");
    expect(value).toEqual({ boats: [2, 4] });
  });
  it("refuse in words what the schema refuses, and keep the last good value", () => {
    void type("place.depth_m", "7");
    void type("place.depth_m", "700");
    expect(value).toEqual({ place: { depth_m: 7 } });
    expect(place.querySelector('[data-field="place.depth_m"] [role=alert]')!.textContent).toContain(
      "from 1 to 40",
    );
    expect(place.querySelector('[data-field="place.depth_m"] input')!.getAttribute("aria-invalid")).toBe(
      "true",
    );
  });
  it("offer the choices of the schema", () =>
    expect(
      [...place.querySelectorAll('[data-field="place.kind"] option')].map((option) => option.textContent),
    ).toEqual(["calm (default)", "wild"]));
  it("fill in what a request needs to start", () =>
    expect(
      filled({ place: { river: "Elbe" } }, { place: { river: "Rhine", depth_m: 2 }, night: true }),
    ).toEqual({ place: { river: "Elbe", depth_m: 2 }, night: true }));
});
