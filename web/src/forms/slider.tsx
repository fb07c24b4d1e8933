// A slider over a range, even in logarithm where the range is wide.

export interface SliderRange {
  least: number;
  most: number;
  log?: boolean;
  steps?: readonly number[]; // only these values
}

const STEPS = 400;

export function valueAt(range: SliderRange, place: number, whole: boolean): number {
  if (range.steps !== undefined) return range.steps[Math.round(place)] ?? range.least;
  const share = place / STEPS;
  const value =
    range.log === true
      ? range.least * (range.most / range.least) ** share
      : range.least + (range.most - range.least) * share;
  if (!whole) return Number(value.toPrecision(4));
  // Sizes of operators are round numbers where that costs nothing: above 1024 in steps of 64.
  return value > 1024 ? Math.round(value / 64) * 64 : Math.max(Math.ceil(range.least), Math.round(value));
}

export function placeOf(range: SliderRange, value: number): number {
  if (range.steps !== undefined) {
    const distances = range.steps.map((step) => Math.abs(Math.log((step + 1e-9) / (value + 1e-9))));
    return distances.indexOf(Math.min(...distances));
  }
  const share =
    range.log === true
      ? Math.log(value / range.least) / Math.log(range.most / range.least)
      : (value - range.least) / (range.most - range.least);
  return Math.round(Math.min(1, Math.max(0, Number.isFinite(share) ? share : 0)) * STEPS);
}

export function Slider(
  props: SliderRange & {
    name: string;
    whole: boolean;
    value: number;
    set(value: number): void;
    said?: string;
  },
) {
  const { name, whole, value, set, said } = props;
  return (
    <input
      type="range"
      class="slider"
      aria-label={`${name} slider`}
      aria-valuetext={said ?? String(value)}
      min={0}
      max={props.steps === undefined ? STEPS : props.steps.length - 1}
      step={1}
      value={placeOf(props, value)}
      onInput={(event) => set(valueAt(props, Number(event.currentTarget.value), whole))}
    />
  );
}
