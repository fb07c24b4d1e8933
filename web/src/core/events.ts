// Server-sent events out of a body that fetch reads: EventSource cannot send the Authorization header.

export interface ServerEvent {
  name: string;
  data: string;
}

// Takes text as it arrives, gives whole events.
export class EventReader {
  private rest = "";

  take(text: string): ServerEvent[] {
    const blocks = (this.rest + text).replace(/\r\n?/g, "\n").split("\n\n");
    this.rest = blocks.pop() ?? "";
    return blocks.map(readEvent).filter((event): event is ServerEvent => event !== null);
  }
}

function readEvent(block: string): ServerEvent | null {
  let name = "message";
  const data: string[] = [];
  for (const line of block.split("\n")) {
    const found = /^(event|data): ?(.*)$/.exec(line); // other lines are comments and fields without use here
    if (found?.[1] === "event") name = found[2] ?? "";
    if (found?.[1] === "data") data.push(found[2] ?? "");
  }
  return data.length === 0 && name === "message" ? null : { name, data: data.join("\n") };
}

export async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const events = new EventReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield* events.take(decoder.decode(value, { stream: true }));
    }
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}
