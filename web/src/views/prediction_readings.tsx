// The figures of one prediction, for the page and the report.
import { numberAt, textAt, type JsonObject } from "../core/json";
import { kernelWords } from "../charts/prediction_parts";
import { time } from "../core/quantity";
import { Bound, Reading, Readings, Tier } from "../parts/marks";

export function PredictionReadings({ document }: { document: JsonObject }) {
  const at = (key: string) => numberAt(document, key);
  const waves = numberAt(document, "structure", "waves");
  return (
    <Readings>
      <Reading
        big
        name="predicted p50"
        value={at("p50_us")}
        unit="us"
        low={at("p10_us")}
        high={at("p90_us")}
        more={
          <span class="marks">
            <Bound bound={textAt(document, "bound")} />
            <Tier
              tier={textAt(document, "tier")}
              outside={document["extrapolated"] === true}
              standsIn={document["stands_in"] === true}
            />
          </span>
        }
      />
      <Reading
        name="physical bound"
        value={at("physical_bound_us")}
        unit="us"
        hint="what nothing on this GPU can beat by its data sheet"
      />
      <Reading
        name="efficiency"
        value={(at("physical_bound_us") ?? NaN) / (at("p50_us") ?? NaN)}
        unit="share"
        hint="physical bound / time"
      />
      <Reading
        name="structure"
        value={numberAt(document, "structure", "time_us")}
        unit="us"
        hint="the time by the kernel's tiles and bytes, which measurements then correct"
      />
      <Reading
        name="roofline"
        value={at("roofline_us")}
        unit="us"
        hint="max(arithmetic / rate, bytes / bandwidth) plus a launch"
      />
      {waves === null || waves === 0 ? null : (
        <Reading name="waves" value={waves} unit="plain" hint="tiles over what the SMs hold at once" />
      )}
      <div class="reading wide">
        <dt>implementation</dt>
        <dd>
          {kernelWords(document) || "–"}
          {numberAt(document, "structure", "launch_us") === null ? null : (
            <span class="interval"> launch {time(numberAt(document, "structure", "launch_us") ?? 0)}</span>
          )}
        </dd>
      </div>
    </Readings>
  );
}
