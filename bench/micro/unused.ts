/**
 * What a document does not use costs nothing: the same requests on the same resource, in a document that has nothing else, and in
 * one whose other resource has events for webhooks and a stream, quotas, rates, timers and versions. Microseconds of processor
 * time behind the socket, in turn in one process:
 *
 *     node bench/micro/unused.ts
 *     node bench/micro/unused.ts --rounds 31
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Inside, openInside } from "../inside.ts";
import { median } from "../median.ts";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "15" }, requests: { type: "string", default: "1000" } },
});
const folder = mkdtempSync(join(tmpdir(), "nonet-unused-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));

interface Parts {
  readonly purpose: string;
  readonly resources: string;
  readonly states: string;
  readonly endpoints: string;
  readonly own: string;
  readonly allow: string;
  readonly events: string;
  readonly limits: string;
  readonly versioning: string;
}

const none: Parts = {
  ...{ purpose: "", resources: "", states: "", endpoints: "", own: "", allow: "" },
  ...{ events: "none", limits: "none", versioning: "none" },
};

const much: Parts = {
  purpose: "\n  addOrder: Place an order\n  getOrder: See an order\n  payOrder: Pay an order",
  resources: `
Order:
  id: id(ord)
  buyer: user = caller, read-only, filter
  total: integer(1..1000)
  createdAt: datetime = now, read-only, sort`,
  states: `
Order:
  states: { placed: is placed, paid: is paid, lost: was not paid }
  start: placed
  final: [paid, lost]
  moves:
    placed -> paid: by payOrder
    placed -> lost: after 48h`,
  endpoints: `
  addOrder: POST /orders
  getOrder: GET /orders/{id}
  payOrder: POST /orders/{id}/pay`,
  own: "\n  Order: buyer == caller.id",
  allow: "\n  addOrder: user\n  getOrder, payOrder: user if own",
  events: `
envelope: cloudevents
out:
  order.placed: Order -> placed
  order.paid: Order -> paid
delivery:
  webhook:
    subscribe: POST /webhooks
    for: user
    signed: standard-webhooks
    promise: at least once, in order per resource
    timeout: 15s
    retry: 5s 5m
    then: disable and keep 30d
  stream: { at: GET /events, for: user if own, kind: server-sent, resume: Last-Event-ID, keep: 7d }`,
  limits: `
rate:
  addOrder: 60000/min per user
quota:
  addOrder: 5000/day per user
  Order: 300 in placed per user`,
  versioning: `
scheme: dated
sent: header Things-Version
absent: newest
versions:
  2026-09-01:
    - rename Order.sum -> total
  2026-03-01: first`,
};

function documentOf(more: Parts): string {
  const part = (title: string, text: string): string => `## ${title}\n\`\`\`yaml\n${text}\n\`\`\`\n`;
  return `# Things\n\n${[
    part(
      "What the service does",
      `nonet: 1\nservice: things\noperations:\n  addThing: Add one\n  getThing: See one\n  listThings: See them\n  closeThing: Close one${more.purpose}`,
    ),
    part(
      "Resources and their fields",
      `Thing:\n  id: id(thg)\n  owner: user = caller, read-only, filter\n  name: string(1..80)\n  size: integer(0..1000000)\n  createdAt: datetime = now, read-only, sort${more.resources}`,
    ),
    part(
      "States and transitions",
      `Thing:\n  states: { open: is open, closed: is closed }\n  start: open\n  moves: { open -> closed: by closeThing }${more.states}`,
    ),
    part(
      "Endpoints",
      `lists: cursor, 50 per page, at most 200\nrepeats: Idempotency-Key on every POST, kept 24h\nendpoints:\n  addThing: POST /things\n  getThing: GET /things/{id}\n  listThings: GET /things\n  closeThing: POST /things/{id}/close${more.endpoints}`,
    ),
    part(
      "Authentication",
      `credentials:\n  key: { kind: api-key, sent: Authorization Bearer, prefix: t_, lasts: 365d, revoked: at once }\nroles: [user]\nown:\n  Thing: owner == caller.id${more.own}\nallow:\n  addThing: user\n  getThing, listThings, closeThing: user if own${more.allow}\nunseen: 404`,
    ),
    part("Events", more.events),
    part("Errors", "none"),
    part("Limits", more.limits),
    part("Versioning", more.versioning),
  ].join("\n")}`;
}

const requests = Number(values.requests);
const services = [
  { name: "alone", inside: await openInside(".", documentOf(none), join(folder, "alone.db")) },
  { name: "beside much", inside: await openInside(".", documentOf(much), join(folder, "beside.db")) },
];

type Scenario = (inside: Inside, secret: string, ids: readonly string[]) => Promise<number>;

const add = async (inside: Inside, secret: string, index: number): Promise<string> => {
  const text = await inside.ask("POST", "/things", secret, { name: `thing ${index}`, size: index });
  return (JSON.parse(text) as { id: string }).id;
};

const scenarios: Readonly<Record<string, Scenario>> = {
  read: (inside, secret, ids) =>
    inside.cost(requests * 4, (index) => inside.ask("GET", `/things/${ids[index % ids.length] ?? ""}`, secret)),
  "list of 50": (inside, secret) => inside.cost(requests, () => inside.ask("GET", "/things", secret)),
  create: (inside, secret) => inside.cost(requests, (index) => add(inside, secret, index)),
  move: async (inside, secret) => {
    const made = await inside.all(requests, (index) => add(inside, secret, index));
    return inside.cost(requests, (index) => inside.ask("POST", `/things/${made[index] ?? ""}/close`, secret));
  },
};

const prepared = await Promise.all(
  services.map(async ({ inside, name }) => {
    const secret = await inside.key("user-1", "user");
    return { inside, name, secret, ids: await inside.all(500, (index) => add(inside, secret, index)) };
  }),
);
for (const [name, measure] of Object.entries(scenarios)) {
  const seen: number[][] = prepared.map(() => []);
  for (let round = 0; round < Number(values.rounds) + 2; round += 1) {
    // Each is first as often as the other.
    const turns = round % 2 === 0 ? [...prepared.keys()] : [...prepared.keys()].toReversed();
    for (const index of turns) {
      const one = prepared[index];
      if (one === undefined) continue;
      const microseconds = await measure(one.inside, one.secret, one.ids);
      if (round > 1) seen[index]?.push(microseconds);
    }
  }
  const [alone = [], beside = []] = seen;
  const ratio = median(beside.map((one, round) => one / (alone[round] as number)));
  console.log(
    `${name.padEnd(11)} alone ${median(alone).toFixed(1)} µs, beside much ${median(beside).toFixed(1)} µs, ${ratio.toFixed(2)}x`,
  );
}
for (const { inside } of prepared) await inside.store.close();
