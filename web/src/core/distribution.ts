// Distributions of latencies: percentiles as NumPy and `vllm bench serve` define them, the curve of shares.

export function sorted(values: readonly number[]): number[] {
  return values.filter(Number.isFinite).sort((one, other) => one - other);
}

// Linear between ranks. `ordered` rises.
export function percentile(ordered: readonly number[], share: number): number | null {
  if (ordered.length === 0) return null;
  const rank = share * (ordered.length - 1);
  const low = ordered[Math.floor(rank)] as number;
  const high = ordered[Math.ceil(rank)] as number;
  return low + (high - low) * (rank - Math.floor(rank));
}

export function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, one) => sum + one, 0) / values.length;
}

const CURVE_POINTS = 200; // as many as a chart of this page has columns to show

// [value, share of all that are at most this], thinned to CURVE_POINTS.
export function shares(values: readonly number[]): [number, number][] {
  const ordered = sorted(values);
  if (ordered.length === 0) return [];
  const count = Math.min(CURVE_POINTS, ordered.length);
  return Array.from({ length: count }, (_, index): [number, number] => {
    const rank = count === 1 ? ordered.length - 1 : Math.round((index / (count - 1)) * (ordered.length - 1));
    return [ordered[rank] as number, (rank + 1) / ordered.length];
  });
}
