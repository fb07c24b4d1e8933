// Sliders on the figures of a GPU record.
import { numberAt, type JsonObject } from "../core/json";
import { gpuRecord, type Known } from "../core/known";
import { rounded } from "../core/quantity";
import { LEVERS, leverWords, moved, whatIf, type Factors } from "../core/what_if";
import { fileName, save } from "../parts/save";
import { Slider } from "../forms/slider";

const RANGE = { least: 0.25, most: 4, log: true };

export function WhatIf({
  known,
  gpu,
  factors,
  set,
}: {
  known: Known;
  gpu: string;
  factors: Factors;
  set(factors: JsonObject): void;
}) {
  const record = gpuRecord(known, gpu);
  const changed = Object.keys(moved(factors)).length;
  if (record === null) return null;
  return (
    <details class="more" open={changed > 0}>
      <summary>
        What if {gpu} were different{changed > 0 ? <span class="unit">{changed} changed</span> : null}
      </summary>
      {LEVERS.filter((key) => (numberAt(record, key) ?? 0) > 0).map((key) => {
        const { name, unit } = leverWords(key);
        const factor = factors[key] ?? 1;
        const value = `${rounded((numberAt(record, key) ?? 0) * factor, 4)} ${unit}`.trim();
        return (
          <div class="field" key={key} data-field={`what_if.${key}`}>
            <span class="label">
              {name}
              <span class="unit">
                {value}
                {factor === 1 ? "" : `, × ${rounded(factor)}`}
              </span>
            </span>
            <Slider
              {...RANGE}
              name={name}
              whole={false}
              value={factor}
              said={value}
              set={(next) => set(moved({ ...factors, [key]: Math.abs(next - 1) < 0.02 ? 1 : next }))}
            />
          </div>
        );
      })}
      {changed === 0 ? null : (
        <div class="tools">
          <button type="button" onClick={() => set({})}>
            Reset
          </button>
          <button
            type="button"
            onClick={() =>
              save(
                fileName(`${gpu}-what-if`, "json"),
                JSON.stringify(whatIf(record, moved(factors)), null, 2),
                "application/json",
              )
            }
          >
            Record
          </button>
        </div>
      )}
    </details>
  );
}
