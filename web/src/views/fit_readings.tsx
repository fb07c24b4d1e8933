// What a fitted table is, for the page and the report.
import { numberAt, textAt, type JsonObject } from "../core/json";
import { Reading, Readings, Tier } from "../parts/marks";

export function FitReadings({ document }: { document: JsonObject }) {
  const value = (key: string) => numberAt(document, key);
  const tier = textAt(document, "tier"); // the published model has none
  return (
    <Readings>
      <Reading
        name="samples"
        value={value("samples")}
        unit="count"
        more={
          tier === "" ? null : (
            <span class="marks">
              <Tier tier={tier} />
            </span>
          )
        }
      />
      <Reading name="configurations" value={value("configs") ?? value("macro_configs")} unit="count" />
      <Reading
        name="median residual"
        value={value("median_residual")}
        unit="share"
        hint="of the formula, on its own samples"
      />
      <Reading name="median R²" value={value("median_r_squared")} unit="plain" hint="of the wave buckets" />
      <Reading name="candidates of a cell" value={value("mean_candidates")} unit="plain" />
      <Reading name="size" value={value("table_bytes")} unit="B" />
      <div class="reading">
        <dt>default</dt>
        <dd>{textAt(document, "default")}</dd>
      </div>
    </Readings>
  );
}
