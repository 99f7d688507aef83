/**
 * How the cost of a request grows with the operations of the document and with the rows of a table: processor time behind the
 * socket, services of all sizes in one process and one run, measured in turn. Printed as ratios to the smallest.
 *
 *     node bench/growth.ts                     10 to 1,000 operations, 1,000 to 100,000 rows
 *     node bench/growth.ts --rows 1000,1000000
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Inside, openInside } from "./inside.ts";
import { median } from "./median.ts";

const { values } = parseArgs({
  options: {
    operations: { type: "string", default: "10,100,1000" },
    rows: { type: "string", default: "1000,10000,100000" },
    rounds: { type: "string", default: "15" },
    requests: { type: "string", default: "500" },
  },
});
const rounds = Number(values.rounds);
const requests = Number(values.requests);
const folder = mkdtempSync(join(tmpdir(), "nonet-growth-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));

const operationsEach = 5;

/** A noun of its own for each, with a plural that has only an s more. */
const noun = (index: number): string =>
  `K${[...String(index).padStart(3, "0")].map((digit) => "abdeklmnrt"[Number(digit)]).join("")}`;
const pathOf = (index: number): string => `/${noun(index).toLowerCase()}s`;

/** So many resources, all alike, with five operations each. */
function documentOf(resources: number): string {
  const all = (line: (index: number) => string): string =>
    Array.from({ length: resources }, (_, i) => line(i)).join("\n");
  const part = (title: string, text: string): string => `## ${title}\n\`\`\`yaml\n${text}\n\`\`\`\n`;
  return `# Growth\n\n${[
    part(
      "What the service does",
      `nonet: 1\nservice: growth\noperations:\n${all((i) => `  add${i}: Add one\n  list${i}: See them\n  get${i}: See one\n  change${i}: Change one\n  close${i}: Close one`)}`,
    ),
    part(
      "Resources and their fields",
      all(
        (i) =>
          `${noun(i)}:\n  id: id(t${i})\n  owner: user = caller, read-only, filter\n  name: string(1..80)\n  size: integer(0..1000000)\n  createdAt: datetime = now, read-only, sort`,
      ),
    ),
    part(
      "States and transitions",
      all(
        (i) =>
          `${noun(i)}:\n  states: { open: is open, closed: is closed }\n  start: open\n  moves: { open -> closed: by close${i} }`,
      ),
    ),
    part(
      "Endpoints",
      `lists: cursor, 50 per page, at most 200\nrepeats: Idempotency-Key on every POST, kept 24h\nendpoints:\n${all((i) => `  add${i}: POST ${pathOf(i)}\n  list${i}: GET ${pathOf(i)}\n  get${i}: GET ${pathOf(i)}/{id}\n  change${i}: PATCH ${pathOf(i)}/{id}\n  close${i}: POST ${pathOf(i)}/{id}/close`)}`,
    ),
    part(
      "Authentication",
      `credentials:\n  key: { kind: api-key, sent: Authorization Bearer, prefix: g_, lasts: 365d, revoked: at once }\nroles: [user]\nown:\n${all((i) => `  ${noun(i)}: owner == caller.id`)}\nallow:\n${all((i) => `  add${i}: user\n  list${i}, get${i}, change${i}, close${i}: user if own`)}\nunseen: 404`,
    ),
    part("Events", "none"),
    part("Errors", "none"),
    part("Limits", "none"),
    part("Versioning", "none"),
  ].join("\n")}`;
}

interface Grown {
  readonly name: string;
  readonly inside: Inside;
  readonly secrets: readonly string[];
  /** Of the resource that is asked. */
  readonly path: string;
  readonly ids: readonly { readonly id: string; readonly secret: string }[];
}

const scenarios = ["read", "list of 50", "create", "move"] as const;

async function grown(name: string, resources: number, rows: number): Promise<Grown> {
  const inside = await openInside(".", documentOf(resources), join(folder, `${name.replaceAll(/\W/g, "")}.db`));
  // One in the middle, so that neither the first nor the last is meant.
  const index = Math.floor(resources / 2);
  const path = pathOf(index);
  const users = 20;
  const secrets: string[] = [];
  for (let user = 0; user < users; user += 1) secrets.push(await inside.key(`user-${user}`, "user"));
  const view = { resource: noun(index), members: [] };
  for (let at = 0; at < rows; at += 1000) {
    await inside.store.transaction(async (tx) => {
      for (let number = at; number < Math.min(rows, at + 1000); number += 1) {
        const row = {
          id: `t${index}_0${number.toString(32).padStart(25, "0")}`,
          owner: `user-${number % users}`,
          name: `seeded ${number}`,
          size: number,
          createdAt: new Date(1_700_000_000_000 + number).toISOString().replace(".000Z", "Z"),
          state: "open",
        };
        await tx.insert(view.resource, row, 1, view, {});
      }
    });
  }
  const ids = await inside.all(400, async (number) => {
    const secret = secrets[number % users] as string;
    const text = await inside.ask("POST", path, secret, { name: `thing ${number}`, size: number });
    return { id: (JSON.parse(text) as { id: string }).id, secret };
  });
  return { name, inside, secrets, path, ids };
}

async function measure({ inside, ids, path, secrets }: Grown, scenario: (typeof scenarios)[number]): Promise<number> {
  const secretOf = (index: number): string => secrets[index % secrets.length] as string;
  const add = async (index: number): Promise<{ id: string; secret: string }> => {
    const secret = secretOf(index);
    const text = await inside.ask("POST", path, secret, { name: `more ${index}`, size: index });
    return { id: (JSON.parse(text) as { id: string }).id, secret };
  };
  if (scenario === "list of 50") return inside.cost(requests, (index) => inside.ask("GET", path, secretOf(index)));
  if (scenario === "create") return inside.cost(requests, add);
  if (scenario === "read")
    return inside.cost(requests * 4, (index) => {
      const { id, secret } = ids[index % ids.length] as (typeof ids)[number];
      return inside.ask("GET", `${path}/${id}`, secret);
    });
  const made = await inside.all(requests, add);
  return inside.cost(requests, (index) => {
    const { id, secret } = made[index] as (typeof made)[number];
    return inside.ask("POST", `${path}/${id}/close`, secret);
  });
}

async function compare(title: string, all: readonly Grown[]): Promise<void> {
  console.log(`\n${title.padEnd(14)}${all.map(({ name }) => name.padStart(17)).join("")}`);
  for (const scenario of scenarios) {
    const seen: number[][] = all.map(() => []);
    for (let round = 0; round < rounds + 2; round += 1) {
      for (const [at, one] of all.entries()) {
        const cost = await measure(one, scenario);
        if (round > 1) seen[at]?.push(cost);
      }
    }
    const cells = seen.map((costs, at) => {
      if (at === 0) return `${median(costs).toFixed(1)} µs`;
      return median(costs.map((cost, round) => cost / (seen[0]?.[round] as number))).toFixed(2);
    });
    console.log(`${scenario.padEnd(14)}${cells.map((cell) => cell.padStart(17)).join("")}`);
  }
  for (const { inside } of all) await inside.store.close();
}

const numbers = (text: string): readonly number[] => text.split(",").map(Number);

const byOperations: Grown[] = [];
for (const operations of numbers(values.operations))
  byOperations.push(await grown(`${operations} operations`, Math.ceil(operations / operationsEach), 1000));
await compare("operations", byOperations);

const byRows: Grown[] = [];
for (const rows of numbers(values.rows)) byRows.push(await grown(`${rows} rows`, 2, rows));
await compare("rows", byRows);
process.exit();
