/** Prism: answers from the examples of an OpenAPI document, here the one that Nonet exports; the floor without a store. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { documentText } from "./nonet.ts";
import type { Peer } from "./peer.ts";

interface Exported {
  readonly paths: Record<string, Record<string, { responses: Record<string, Response> }>>;
}

interface Response {
  readonly content: Record<string, object>;
  headers?: object;
}

/** @param folder where the OpenAPI document is put */
export function prism(folder: string): Peer {
  const file = join(folder, "parcels.openapi.json");
  const ask = { headers: {}, expect: 200 };
  return {
    folder: "prism",
    stores: ["sqlite", "postgres"],
    differs: [
      "keeps nothing and asks for nothing: bodies are validated, a token has to be there, answers are examples",
      "a list is an example of 50 records",
    ],
    keepsNothing: true,
    serve: (port) => {
      writeFileSync(file, openapi(folder));
      return [
        "node_modules/@stoplight/prism-cli/dist/index.js",
        ...[
          "mock",
          file,
          "--host",
          "127.0.0.1",
          "--port",
          `${port}`,
          "--verboseLevel",
          "fatal",
          "--multiprocess",
          "false",
        ],
      ];
    },
    read: (id) => ({ ...ask, method: "GET", path: `/parcels/${id}` }),
    list: () => ({ ...ask, method: "GET", path: "/parcels?limit=50" }),
    create: (body) => ({ ...ask, method: "POST", path: "/parcels", body, expect: 201 }),
    move: (id) => ({ ...ask, method: "POST", path: `/parcels/${id}/drop-off` }),
    records: (answer) => {
      const { items } = answer as { items?: unknown[] };
      return items ?? [answer];
    },
  };
}

/** With an example of each answer, which is the faster of Prism's two ways: the other makes them up for each request. */
function openapi(folder: string): string {
  const source = join(folder, "parcels.md");
  writeFileSync(source, documentText(false));
  const text = execFileSync(process.execPath, ["src/cli.mjs", "export", "openapi", source], { encoding: "utf8" });
  const document = JSON.parse(text) as Exported;
  const parcel = {
    ...{ id: "par_00000000000000000000000001", courier: "courier-1", site: "site-1", size: "small" },
    ...{ trackingNumber: "TRK-0000000001", recipientEmail: "recipient.1@mail.example", weightKg: 2.5 },
    ...{ createdAt: "2026-01-01T00:00:00.000Z", state: "announced" },
  };
  const examples: readonly (readonly [string, string, string, object])[] = [
    ["/parcels/{id}", "get", "200", parcel],
    ["/parcels", "get", "200", { items: Array.from({ length: 50 }, () => parcel), next: null }],
    ["/parcels", "post", "201", parcel],
    ["/parcels/{id}/drop-off", "post", "200", { ...parcel, state: "stored" }],
  ];
  for (const [path, method, status, example] of examples) {
    const answer = document.paths[path]?.[method]?.responses[status];
    if (answer === undefined) throw new Error(`the export has no answer ${status} of ${method} ${path}`);
    answer.content["application/json"] = { ...answer.content["application/json"], example };
    // It would make them up, too, and say that the body is compressed.
    delete answer.headers;
  }
  return JSON.stringify(document);
}
