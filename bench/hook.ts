/** One endpoint that a contestant sends its events to while `create with a webhook` is measured, and what has come there. */
import type { ChildProcess } from "node:child_process";
import { ask } from "./child.ts";
import type { Came, Question } from "./receiver.ts";

export interface Hook {
  /** Resolves when so many events have come, or none did for some seconds; gives what came, and removes the endpoint. */
  drained(events: number): Promise<Came>;
}

const PAUSE_MS = 20;
const SILENT_MS = 10_000;

/** Has the service at `port` send what is announced to `receiver`. */
export async function openHook(receiver: ChildProcess, port: number, operator: string): Promise<Hook> {
  const { port: place } = await asked(receiver, {});
  const made = await request(port, operator, "POST", "/webhooks", {
    url: `http://127.0.0.1:${place}/hook`,
    events: ["parcel.announced"],
  });
  const { id, secret } = (await made.json()) as { id: string; secret: string };
  await asked(receiver, { secret });
  return {
    async drained(events) {
      let came = await asked(receiver, {});
      for (let since = Date.now(); came.events < events && Date.now() < since + SILENT_MS; ) {
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
        const now = await asked(receiver, {});
        if (now.events > came.events) since = Date.now();
        came = now;
      }
      await request(port, operator, "DELETE", `/webhooks/${id}`);
      return came;
    },
  };
}

function asked(receiver: ChildProcess, question: Question): Promise<Came> {
  return ask(receiver, "the receiver of webhooks", question);
}

let requests = 0;

async function request(port: number, key: string, method: string, path: string, body?: object): Promise<Response> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(method === "DELETE" ? { "if-match": "*" } : {}),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(method === "POST" ? { "idempotency-key": `hook-${process.pid}-${(requests += 1)}` } : {}),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response;
}
