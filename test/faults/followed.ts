/** A client of a stream that reconnects after each interruption and resumes. */
import { setTimeout as pass } from "node:timers/promises";

export interface Followed {
  /** Each event as it came. */
  readonly events: readonly { readonly id: string; readonly type: string; readonly data: string }[];
  stop(): Promise<void>;
}

/** `url` is asked each time: the service may be somewhere else. */
export function follow(url: () => string, headers: Readonly<Record<string, string>>): Followed {
  const events: { id: string; type: string; data: string }[] = [];
  let last: string | undefined;
  const stopping = new AbortController();
  const once = async (): Promise<void> => {
    const response = await fetch(url(), {
      headers: { ...headers, Accept: "text/event-stream", ...(last === undefined ? {} : { "Last-Event-ID": last }) },
      signal: stopping.signal,
    });
    let text = "";
    for await (const chunk of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const field = (name: string): string => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1] ?? "";
        if (field("id") !== "") last = field("id");
        // A block without data says only where to go on from.
        if (field("data") !== "") events.push({ id: field("id"), type: field("event"), data: field("data") });
      }
    }
  };
  const running = (async () => {
    while (!stopping.signal.aborted) {
      await once().catch(() => undefined);
      await pass(20);
    }
  })();
  return {
    events,
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}
