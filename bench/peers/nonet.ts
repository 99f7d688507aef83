/** Nonet, twice: the work that the peers can be asked for, and the same with what its document would usually add. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { documented } from "./documented.ts";
import type { Peer } from "./peer.ts";

/** Nothing of it is refused for coming so fast: what the limits cost is measured, and they are out of reach. */
const MORE = [
  ["repeats: none", "repeats: Idempotency-Key on every POST, kept 24h"],
  [
    "## Events\nnone\n",
    `## Events
\`\`\`yaml
envelope: cloudevents
out:
  parcel.announced: Parcel -> announced
  parcel.stored: Parcel -> stored
delivery:
  stream: { at: GET /events, for: courier if own, kind: server-sent, resume: Last-Event-ID, keep: 7d }
\`\`\`
`,
  ],
  [
    "## Limits\nnone\n",
    `## Limits
\`\`\`yaml
rate: { all: 1000000000/min per user }
quota: { announceParcel: 1000000000/day per user }
size: { request: 256KB }
time: { request: 10s }
\`\`\`
`,
  ],
] as const;

/** The text of the document. */
export function documentText(withMore: boolean): string {
  const text = readFileSync(join(import.meta.dirname, "parcels.md"), "utf8");
  if (!withMore) return text;
  return MORE.reduce((at, [line, more]) => {
    if (!at.includes(line)) throw new Error(`the document has no \`${line.trim()}\` any more`);
    return at.replace(line, more);
  }, text);
}

/**
 * @param folder where the document is put
 * @param root whose sources run: another worktree's show what a change has done
 */
export function nonet(folder: string, withMore: boolean, root = "."): Peer {
  const cli = join(root, "src", "cli.mjs");
  const file = join(folder, withMore ? "parcels-more.md" : "parcels.md");
  writeFileSync(file, documentText(withMore));
  return {
    stores: ["sqlite", "postgres"],
    differs: withMore
      ? ["does more: Idempotency-Key kept on each POST, an event for each change, a rate and a quota counted"]
      : ["does more: ETags, problem+json, a journal entry for each change"],
    serve: (port, data) => [cli, "serve", file, "--port", `${port}`, "--data", data],
    key: (data, user) => [cli, "key", "create", file, "--data", data, "--user", user, "--role", "courier"],
    ...documented("/parcels?limit=50", withMore ? "peers" : undefined),
  };
}
