/** A reader of the event stream: Server-Sent Events, read line by line, that goes on after a broken line where it was. */
import { createInbox, type Inbox, type LockerEvent } from "./inbox.ts";

export interface Stream {
  readonly inbox: Inbox<LockerEvent>;
  /** The id of the last event that was read. */
  readonly last: string | undefined;
  /** Resolves once the service has begun to answer. */
  connect(): Promise<Response>;
  /** The line breaks. */
  disconnect(): Promise<void>;
}

export function createStream(url: string, key: string): Stream {
  const inbox = createInbox<LockerEvent>("the stream");
  let last: string | undefined;
  let line = new AbortController();
  let reading = Promise.resolve();

  async function read(response: Response): Promise<void> {
    let rest = "";
    for await (const bytes of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const blocks = (rest + bytes).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const fields = new Map(block.split("\n").map((field) => fieldOf(field)));
        last = fields.get("id") ?? last;
        const data = fields.get("data");
        if (data !== undefined) inbox.put(JSON.parse(data) as LockerEvent);
      }
    }
  }

  return {
    inbox,
    get last() {
      return last;
    },
    async connect() {
      line = new AbortController();
      const headers = {
        Accept: "text/event-stream",
        Authorization: `Bearer ${key}`,
        ...(last === undefined ? {} : { "Last-Event-ID": last }),
      };
      const response = await fetch(`${url}/events`, { headers, signal: line.signal });
      // It ends with the line, which is no failure.
      if (response.ok) reading = read(response).catch(() => {});
      return response;
    },
    async disconnect() {
      line.abort();
      await reading;
    },
  };
}

/** `data: {…}`; a line that begins with a colon is a comment, which keeps the line open and says nothing. */
function fieldOf(field: string): readonly [string, string] {
  const colon = field.indexOf(":");
  return [field.slice(0, colon), field.slice(colon + 1).trimStart()];
}
