// The figures of a plan, for the page and the report.
import { isObject, numberAt, objectsAt, textAt, type JsonObject } from "../core/json";
import { planPoints, ranked } from "../charts/plan_plots";
import { quantity } from "../core/quantity";
import { Reading, Readings, Tier } from "../parts/marks";

// How the parts of a deployment are rented, where there is more than one.
function rentWords(point: JsonObject): string {
  const parts = objectsAt(point, "rent");
  if (parts.length < 2) return "";
  const words = parts
    .filter((part) => (numberAt(part, "gpus") ?? 0) > 0)
    .map((part) => {
      const kind = textAt(part, "price_kind").replace("_", " ");
      const dollars = quantity(numberAt(part, "usd_per_hour"), "$/h");
      return `${quantity(numberAt(part, "gpus"), "GPUs")} ${kind} for ${dollars}`;
    });
  return `; ${words.join(", ")}`;
}

// What a machine room must have for it, where limits of one were asked for.
function roomWords(point: JsonObject): string {
  if (!isObject(point["room"])) return "";
  const words = [`; nodes: ${numberAt(point, "room", "nodes")}`];
  const power = numberAt(point, "room", "power_kw");
  const racks = numberAt(point, "room", "racks");
  if (power !== null) words.push(`${power.toFixed(1)} kW at most`);
  if (racks !== null) words.push(`racks: ${racks}`);
  return words.join(", ");
}

// How far the draws of the load are apart, where several decided.
function seedWords(point: JsonObject, key: "seeds" | "pessimistic_seeds"): string {
  const seeds = point[key];
  if (!isObject(seeds)) return "";
  const figures = objectsAt(seeds, "figures")
    .filter((one) => numberAt(one, "limit") !== null || textAt(one, "name").endsWith("p95_ms"))
    .map((one) => {
      const [low, high] = ["low", "high"].map((end) => quantity(numberAt(one, end), "plain"));
      return `${textAt(one, "name")} ${low} to ${high}`;
    });
  const [low, high] = [numberAt(seeds, "instances", "low"), numberAt(seeds, "instances", "high")];
  const each = low === null || high === null ? "" : low === high ? `${low}` : `${low} to ${high}`;
  return (
    `; over ${numberAt(seeds, "count")} seeds ${figures.join(", ")}` +
    (each === "" ? "" : `, of which each alone asks for ${each} instances`)
  );
}

export function PlanReadings({ plan }: { plan: JsonObject }) {
  const points = planPoints(plan);
  const [best, sure] = [points[ranked(plan, "best") ?? -1], points[ranked(plan, "best_confident") ?? -1]];
  const limits = objectsAt(plan, "limits")
    .map((one) => `${textAt(one, "name")} ≤ ${quantity(numberAt(one, "limit"), "plain")}`)
    .join(", ");
  const contradiction = textAt(plan, "contradiction");
  return (
    <>
      {contradiction === "" ? null : (
        <p class="problem" role="alert">
          {contradiction}
        </p>
      )}
      <Readings>
        {(
          [
            ["by the median", best, "seeds"],
            ["90 % sure", sure, "pessimistic_seeds"],
          ] as const
        ).map(([name, point, seeds]) => (
          <div class="reading wide big" key={name}>
            <dt>{name}</dt>
            <dd>
              {point === undefined ? (
                "no deployment"
              ) : (
                <>
                  <b>{point.words}</b>
                  <span class="interval">
                    {quantity(numberAt(point.document, "gpus"), "GPUs")},{" "}
                    {quantity(numberAt(point.document, "usd_per_hour"), "$/h")},{" "}
                    {quantity(numberAt(point.document, "usd_per_million_output_tokens"), "$")}/M output
                    tokens; {textAt(point.document, "binding", "name")} at{" "}
                    {quantity(numberAt(point.document, "binding", "use"), "share")} of its limit
                    {rentWords(point.document)}
                    {roomWords(point.document)}
                    {seedWords(point.document, seeds)}
                  </span>
                </>
              )}
            </dd>
          </div>
        ))}
        <div class="reading wide">
          <dt>limits</dt>
          <dd>{limits || "none"}</dd>
        </div>
        <Reading name="rate" value={numberAt(plan, "request_rate")} unit="requests/s" />
        <Reading name="mean input" value={numberAt(plan, "mean_input_tokens")} unit="tokens" />
        <Reading name="mean output" value={numberAt(plan, "mean_output_tokens")} unit="tokens" />
        <Reading
          name="simulated"
          value={
            (numberAt(plan, "search", "whole_runs") ?? 0) + (numberAt(plan, "search", "short_runs") ?? 0)
          }
          unit="count"
          hint="runs, whole and short"
        />
        <Reading
          name="kernel time"
          value={numberAt(plan, "measured_share")}
          unit="share"
          more={
            <span class="marks">
              <Tier tier="measured" />
            </span>
          }
        />
      </Readings>
    </>
  );
}
