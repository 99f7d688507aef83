/** Serves correct services to a tester, which must report nothing: each document, on each store, at each version. */
import { randomUUID } from "node:crypto";
import { createServer, connect, type AddressInfo } from "node:net";
import { readDocument } from "../../../src/document/read.ts";
import { readModel } from "../../../src/language/read.ts";
import type { RunOptions, Running } from "../../serve/running.ts";
import { type ServedDocument, serveTimed } from "./served.ts";

export interface Acceptance {
  readonly document: ServedDocument;
  readonly store: "memory" | "sqlite" | "postgres";
  /** How many processes serve one store; on PostgreSQL alone there may be more than one. */
  readonly replicas: number;
  /** Absent if the document has no versions. */
  readonly version?: string;
}

export function acceptances(
  documents: readonly ServedDocument[],
  stores: readonly Pick<Acceptance, "store" | "replicas">[],
): readonly Acceptance[] {
  return documents.flatMap((document) => {
    const { versions = [] } = readModel(readDocument("document.md", document.text).document).model.versioning;
    return stores.flatMap((store) =>
      versions.length === 0
        ? [{ document, ...store }]
        : versions.map(({ name }) => ({ document, ...store, version: name })),
    );
  });
}

export function serveAcceptance({ document, replicas, store }: Acceptance): Promise<Running> {
  const { environment, functions, text } = document;
  const options = { store, environment, ...(functions && { functions }) };
  return replicas === 1 ? serveTimed(text, options) : serveReplicas(text, options, replicas);
}

export function titleOf({ document, replicas, store, version }: Acceptance): string {
  const more = [version, replicas === 1 ? undefined : `${replicas} replicas`];
  return [document.name, store, ...more].filter((text) => text !== undefined).join(", ");
}

/** Serves a document with several servers on one schema of PostgreSQL, behind one address that gives each connection to the next. */
async function serveReplicas(text: string, options: RunOptions, count: number): Promise<Running> {
  let ahead = 0;
  const clock = { now: () => Date.now() + ahead };
  const file = randomUUID();
  const servers: Running[] = [];
  let next = 0;
  const front = createServer((socket) => {
    next += 1;
    const behind = connect(servers[next % count]?.port ?? 0, "127.0.0.1");
    for (const [one, other] of [
      [socket, behind],
      [behind, socket],
    ] as const) {
      one.pipe(other);
      one.on("error", () => other.destroy()).on("close", () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => front.listen(0, "127.0.0.1", resolve));
  const { port } = front.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  for (let server = 0; server < count; server += 1)
    servers.push(await serveTimed(text, { ...options, file, clock, publicUrl: url }));
  const [first] = servers as [Running];
  return {
    ...first,
    url,
    port,
    pass: (milliseconds) => void (ahead += milliseconds),
    async tick() {
      let done = 0;
      for (const server of servers) done += await server.tick();
      return done;
    },
    async [Symbol.asyncDispose]() {
      front.close();
      for (const server of servers) await server[Symbol.asyncDispose]();
    },
  };
}
