/** Parses server-sent events by the rules of WHATWG (HTML, section 9.2.6), in whatever pieces the text arrives. */

export interface StreamEvent {
  /** The id that the stream had at this event, which may come from an earlier one; empty if there was none. */
  readonly id: string;
  readonly type: string;
  readonly data: string;
  /** When the event arrived, in milliseconds since 1970. */
  readonly arrivedAt: number;
}

export interface EventParser {
  /** Parses the next piece. An event counts once its blank line has come. */
  push(text: string): void;
  /** The events so far. */
  readonly events: readonly StreamEvent[];
  /** The id after which a client would continue; empty if there is none. */
  readonly lastEventId: string;
  /** How long clients have to wait before they reconnect; undefined if the server has not sent it. */
  readonly retryMilliseconds: number | undefined;
  /** How many comments there were: servers send them as a sign of life. */
  readonly comments: number;
}

/** @param now returns the present in milliseconds since 1970 */
export function createEventParser(now: () => number): EventParser {
  const events: StreamEvent[] = [];
  let [rest, endsInReturn] = ["", false];
  let [id, type] = ["", ""];
  let data: string[] = [];
  let lastEventId = "";
  let retryMilliseconds: number | undefined;
  let comments = 0;

  function readLine(line: string): void {
    if (line === "") return dispatch();
    const colon = line.indexOf(":");
    if (colon === 0) comments += 1;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") type = value;
    else if (field === "data") data.push(value);
    else if (field === "id" && !value.includes("\0")) id = value;
    else if (field === "retry" && /^\d+$/.test(value)) retryMilliseconds = Number(value);
  }

  function dispatch(): void {
    lastEventId = id;
    // A block without data is no event, but its id counts.
    if (data.length > 0) events.push({ id, type: type || "message", data: data.join("\n"), arrivedAt: now() });
    data = [];
    type = "";
  }

  return {
    push(text) {
      if (text === "") return;
      // A carriage return at the end of a piece has ended its line, and a line feed at the start of the next one belongs to it.
      const lines = (endsInReturn && text.startsWith("\n") ? text.slice(1) : text).split(/\r\n|\n|\r/);
      endsInReturn = text.endsWith("\r");
      lines[0] = rest + (lines[0] ?? "");
      rest = lines.pop() ?? "";
      for (const line of lines) readLine(line);
    },
    events,
    get lastEventId() {
      return lastEventId;
    },
    get retryMilliseconds() {
      return retryMilliseconds;
    },
    get comments() {
      return comments;
    },
  };
}
