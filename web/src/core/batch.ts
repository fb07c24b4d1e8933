// "BxL": B requests of L tokens, as `step` takes its prefill and decode.

export interface BatchShape {
  batch: number; // 0: none
  length: number;
}

export function readBatch(text: string): BatchShape {
  const found = /^\s*(\d+)\s*[x×]\s*(\d+)\s*$/i.exec(text);
  return found === null ? { batch: 0, length: 0 } : { batch: Number(found[1]), length: Number(found[2]) };
}

export function batchText({ batch, length }: BatchShape): string {
  return `${batch}x${Math.max(1, length)}`;
}
