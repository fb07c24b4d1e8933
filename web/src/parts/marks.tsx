// How a figure is said: value, interval, bound, tier. Colour never says anything alone.
import { interval, quantity, type Unit } from "../core/quantity";
import { boundColor, palette } from "../charts/palette";
import { useTheme } from "../charts/theme";

const TIERS: Record<string, [string, string]> = {
  measured: ["●", "this GPU and kernel were swept"],
  cross_gpu: ["◐", "learned on other GPUs"],
  roofline: ["○", "no learned model applies, or a rule answered"],
};

export function Tier({ tier, outside, standsIn }: { tier: string; outside?: boolean; standsIn?: boolean }) {
  const [sign = "", about = ""] = TIERS[tier] ?? [];
  return (
    <span class="tier" title={about}>
      <span aria-hidden="true">{sign}</span> {tier}
      {outside === true ? (
        <span class="quiet" title="a size lies outside the measured range; the interval is widened">
          {" "}
          outside
        </span>
      ) : null}
      {standsIn === true ? (
        <span class="quiet" title="another kernel than the one asked for answered">
          {" "}
          stands in
        </span>
      ) : null}
    </span>
  );
}

export function Bound({ bound }: { bound: string }) {
  const colors = palette(useTheme());
  return (
    <span class="bound">
      <svg width="9" height="9" aria-hidden="true">
        <rect width="9" height="9" fill={boundColor(colors, bound)} />
      </svg>{" "}
      {bound}
    </span>
  );
}

export interface FigureProps {
  name: string;
  value: number | null;
  unit: Unit;
  low?: number | null;
  high?: number | null;
  more?: preact.ComponentChildren;
  hint?: string;
  big?: boolean;
}

export function Reading({ name, value, unit, low, high, more, hint, big }: FigureProps) {
  return (
    <div class={big ? "reading big" : "reading"} title={hint}>
      <dt>{name}</dt>
      <dd>
        <b>{quantity(value, unit)}</b>
        {low !== undefined && high !== undefined ? (
          <span class="interval">{interval(low, high, unit)}</span>
        ) : null}
        {more}
      </dd>
    </div>
  );
}

export function Readings({ children }: { children: preact.ComponentChildren }) {
  return <dl class="readings">{children}</dl>;
}
