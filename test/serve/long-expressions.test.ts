/**
 * An expression over a record's own lists ends, whatever the caller sends: nested macros on lists of maximum length return the
 * declared time-out, by their step limit or at the request's deadline, and other requests are served.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { run, type Running } from "./running.ts";

/** No three of them are so: all are looked at. */
const triples = (list: string): string => `${list}.exists(a, ${list}.exists(b, ${list}.exists(c, a + b + c == 0 - 1)))`;

const text = `# Long
## What the service does
\`\`\`yaml
nonet: 1
service: long
operations:
  addBox: Add one
  getBox: See one
  changeBox: Change one
  closeBox: Close one
  listBoxes: See them
\`\`\`
## Resources and their fields
\`\`\`yaml
Box:
  id: id(bx)
  kind: plain | ruled | computed | timed | deep | long
  numbers: integer(0..1000000)[](0..2000)
  texts: string(0..100000)[](0..100) = []
  found: boolean := kind == 'computed' && ${triples("numbers")}
rules:
  Box:
    - "kind != 'ruled' || ${triples("numbers")} else none-such"
    - "kind != 'deep' || numbers.map(a, numbers.map(b, numbers.filter(c, c == a + b + 1000000).size()).sum()).sum() == 1 else none-such"
    - "kind != 'long' || texts.exists(a, texts.exists(b, texts.exists(c, (a + b + c).matches('^(x*)*y$')))) else none-such"
\`\`\`
## States and transitions
\`\`\`yaml
Box:
  states: { open: is open, closed: is closed, over: is over }
  start: open
  moves:
    open -> closed: { by: closeBox, if: "${triples("numbers")}", else: none-such }
    open -> over: { after: 1h, if: "kind != 'timed' || ${triples("numbers")}" }
\`\`\`
## Endpoints
\`\`\`yaml
lists: cursor, 50 per page, at most 200
endpoints:
  addBox: POST /boxes
  getBox: GET /boxes/{id}
  changeBox: PATCH /boxes/{id}
  closeBox: POST /boxes/{id}/close
  listBoxes: GET /boxes
\`\`\`
## Authentication
\`\`\`yaml
credentials: none
roles: none
allow:
  addBox, getBox, changeBox, closeBox, listBoxes: anyone
\`\`\`
## Events
none
## Errors
\`\`\`yaml
errors:
  none-such: 409 There is none such
\`\`\`
## Limits
\`\`\`yaml
time: { request: 10s }
\`\`\`
## Versioning
none
`;

let service: Running;
before(async () => {
  service = await run(text);
});
after(() => service[Symbol.asyncDispose]());

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

async function send(method: string, path: string, body?: object): Promise<readonly [number, Record<string, unknown>]> {
  const reply = await fetch(service.url + path, {
    method,
    ...(body === undefined ? {} : { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }),
  });
  return [reply.status, (await reply.json()) as Record<string, unknown>];
}

async function assertTimedOut(sent: Promise<readonly [number, Record<string, unknown>]>): Promise<void> {
  const [status, problem] = await sent;
  assert.deepEqual([status, problem["code"]], [503, "timed-out"], JSON.stringify(problem));
  const [live] = [(await fetch(`${service.url}/livez`)).status];
  assert.equal(live, 200);
  assert.deepEqual(service.failures, []);
}

test("R8.10 macros inside each other over a record's own list end", async (t) => {
  await t.test("a rule", () => assertTimedOut(send("POST", "/boxes", { kind: "ruled", numbers: numbers(2000) })));
  await t.test("a computed field", () =>
    assertTimedOut(send("POST", "/boxes", { kind: "computed", numbers: numbers(2000) })),
  );
  await t.test("sums of what is filtered", () =>
    assertTimedOut(send("POST", "/boxes", { kind: "deep", numbers: numbers(2000) })),
  );
  await t.test("patterns on long texts", () =>
    assertTimedOut(
      send("POST", "/boxes", { kind: "long", numbers: [], texts: Array.from({ length: 100 }, () => "x".repeat(5000)) }),
    ),
  );
  await t.test("a guard, and the record stays as it was", async () => {
    const [status, { id }] = await send("POST", "/boxes", { kind: "plain", numbers: numbers(2000) });
    assert.equal(status, 201);
    await assertTimedOut(send("POST", `/boxes/${String(id)}/close`));
    assert.equal((await send("GET", `/boxes/${String(id)}`))[1]["state"], "open");
    await assertTimedOut(send("PATCH", `/boxes/${String(id)}`, { kind: "ruled" }));
    assert.equal((await send("GET", `/boxes/${String(id)}`))[1]["kind"], "plain");
  });
  await t.test("nothing was made but what was answered so", async () => {
    assert.equal(((await send("GET", "/boxes"))[1]["items"] as unknown[]).length, 1);
  });
});

test("what takes few steps is judged: a list at its maximum, and three macros on a short one", async () => {
  const [plain] = await send("POST", "/boxes", { kind: "plain", numbers: numbers(2000) });
  assert.equal(plain, 201);
  const [short, problem] = await send("POST", "/boxes", { kind: "ruled", numbers: numbers(20) });
  assert.deepEqual([short, problem["code"]], [409, "none-such"]);
});

test("a transition in time that takes too many steps is reported, and others are done", async () => {
  const [, stuck] = await send("POST", "/boxes", { kind: "timed", numbers: numbers(2000) });
  const [, other] = await send("POST", "/boxes", { kind: "plain", numbers: [1] });
  service.pass(3_600_000);
  await service.tick();
  assert.equal((await send("GET", `/boxes/${String(stuck["id"])}`))[1]["state"], "open");
  assert.equal((await send("GET", `/boxes/${String(other["id"])}`))[1]["state"], "over");
  const told = (service.failures as unknown[]).splice(0).map(String);
  assert.deepEqual(told, ["TooManySteps: an expression takes more steps than one evaluation may"]);
});
