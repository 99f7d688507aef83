/** The worker of the page: receives documents and requests, and answers with analyses and responses. */
import type { Received, Sent } from "../src/browser/console.ts";
import type { JsonObject } from "../src/base/json.ts";
import type { Completions } from "../src/editor/complete.ts";
import { type Analysis, createEngine, type Served } from "./engine.ts";

export type Message =
  | { readonly kind: "analyse"; readonly text: string }
  | { readonly kind: "complete"; readonly text: string; readonly offset: number }
  | { readonly kind: "serve" | "page" | "description" }
  | { readonly kind: "send"; readonly request: Sent };

/** What the worker answers to a message: by kind, an analysis, completions, a service, a page, a description, a response. */
type Value = Analysis | Completions | Served | string | JsonObject | Received;

export type Answer =
  | { readonly number: number; readonly value: Value }
  | { readonly number: number; readonly failure: string }
  | { readonly notice: string };

/** The part of a worker's global object that is used. */
interface WorkerRim {
  onmessage: ((event: { readonly data: { readonly number: number; readonly message: Message } }) => void) | null;
  postMessage(answer: Answer): void;
}

const rim = globalThis as unknown as WorkerRim;

const engine = createEngine({
  clock: { now: () => Date.now() },
  random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
  notice: (notice) => rim.postMessage({ notice }),
});

/** How often timers run, in milliseconds. */
const tickMilliseconds = 250;
setInterval(() => void engine.tick(), tickMilliseconds);

rim.onmessage = ({ data: { number, message } }) => {
  perform(message).then(
    (value) => rim.postMessage({ number, value }),
    (thrown: unknown) =>
      rim.postMessage({ number, failure: thrown instanceof Error ? thrown.message : String(thrown) }),
  );
};

async function perform(message: Message): Promise<Value> {
  switch (message.kind) {
    case "analyse":
      return engine.analyse(message.text);
    case "complete":
      return engine.complete(message.text, message.offset);
    case "serve":
      return engine.serve();
    case "page":
      return engine.page();
    case "description":
      return engine.description();
    case "send":
      return send(message.request);
  }
}

/** The longest body of a stream that is read: it has no end. */
const mostStreamed = 20_000;

async function send({ body, headers, method, url }: Sent): Promise<Received> {
  const request = new Request(url, {
    method,
    headers: headers.map((one) => [...one]),
    ...(body !== undefined && { body }),
  });
  const response = await engine.respond(request);
  return { status: response.status, headers: [...response.headers], body: await textOf(response) };
}

async function textOf(response: Response): Promise<string> {
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) return response.text();
  let text = "";
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const end = setTimeout(() => void reader?.cancel(), 1000);
  for (let next = await reader?.read(); next?.done === false && text.length < mostStreamed; next = await reader?.read())
    text += next.value;
  clearTimeout(end);
  return text;
}
