// The figures of a plan, for the page and the report.
import { numberAt, objectsAt, textAt, type JsonObject } from "../core/json";
import { planPoints, ranked } from "../charts/plan_plots";
import { quantity } from "../core/quantity";
import { Reading, Readings, Tier } from "../parts/marks";

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
            ["by the median", best],
            ["90 % sure", sure],
          ] as const
        ).map(([name, point]) => (
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
