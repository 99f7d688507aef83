/** Transitions by handlers: when they are checked, when they happen, and when they are rolled back. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ServiceFunctions } from "../../src/runtime/functions/functions.ts";
import { serve, stores } from "./scenario.ts";

const gates = `# Gates

## What the service does
\`\`\`yaml
nonet: 1
service: gates
purpose: Small.
operations: { addGate: Add, getGate: Look, shut: Shut, widen: Widen, addLamp: Add, getLamp: Look, reopen: Open, wire: Shut }
\`\`\`

## Resources and their fields
\`\`\`yaml
Lamp: { id: id(counter) }
Gate:
  id: id(counter)
  lamp: Lamp, create-only
  width: "integer(0..10) = 1"
  shutBy?: string, read-only
rules:
  Gate: state != 'shut' || width != 3 else too-wide
\`\`\`

## States and transitions
\`\`\`yaml
Lamp: { states: [off, on], start: off, final: none, moves: { off -> on: when gate.shut } }
Gate:
  states: [open, shut]
  start: open
  final: none
  moves:
    open -> shut:
      - { by: shut, if: input.code == 7, else: wrong-code, set: { shutBy: "string(width)" } }
      - { by: wire }
    shut -> open: by reopen
\`\`\`

## Endpoints
\`\`\`yaml
endpoints:
  addLamp: POST /lamps
  getLamp: GET /lamps/{id}
  addGate: POST /gates
  getGate: GET /gates/{id}
  shut: { at: "POST /gates/{id}/shut", does: handler, takes: { code: integer, does: "string(..20)" } }
  wire: { at: "POST /gates/{id}/wire", does: handler, wire: { path: { id: integer }, query: { status: integer }, answers: { 200: json, 409: json } } }
  reopen: POST /gates/{id}/reopen
  widen: PATCH /gates/{id}
\`\`\`

## Authentication
\`\`\`yaml
credentials: none
allow: { "addLamp, getLamp, addGate, getGate, shut, reopen, widen, wire": anyone }
\`\`\`

## Events
\`\`\`yaml
out: { gate.shut: Gate -> shut }
\`\`\`

## Errors
\`\`\`yaml
standard: all
errors: { wrong-code: 403 Not the code, too-wide: 409 Too wide, no-luck: 409 No luck }
\`\`\`

## Limits
none

## Versioning
\`\`\`yaml
scheme: none
\`\`\`
`;

type Values = Record<string, unknown> & { readonly id: number };

let runs = 0;
let waiting: () => Promise<void> = () => Promise.resolve();
const functions: ServiceFunctions = {
  async shut({ input, records, record, fail }) {
    runs += 1;
    const gate = records["system"]?.["Gate" as never] as unknown as NonNullable<(typeof records)[string]>;
    const { id } = record as unknown as Values;
    if (input["does"] === "waits") await waiting();
    if (input["does"] === "widens") await gate.update(id, { width: 5 });
    if (input["does"] === "breaks") await gate.update(id, { width: 3 });
    if (input["does"] === "deletes") await gate.delete(id);
    if (input["does"] === "fails") fail("no-luck");
    if (input["does"] === "throws") throw new Error("broken");
  },
  wire: ({ input }) => ({ status: (input["query"] as { status: number }).status, body: {} }),
};

for (const store of stores) {
  test(`a handler's transition is checked before its function, made after it, and undone with it (${store})`, async () => {
    await using subject = await serve(gates, { store, functions });
    const send = (line: string, body?: unknown) => {
      const [method = "", path = ""] = line.split(" ");
      return subject.client.send({ method, path, ...(body === undefined ? {} : { body }) });
    };
    const made = async () => {
      const lamp = ((await send("POST /lamps", {})).json as Values).id;
      const gate = ((await send("POST /gates", { lamp })).json as Values).id;
      return { gate, lamp };
    };
    const states = async ({ gate, lamp }: { gate: number; lamp: number }) => {
      const { state, shutBy, width } = (await send(`GET /gates/${gate}`)).json as Values;
      return [state, shutBy ?? null, width, ((await send(`GET /lamps/${lamp}`)).json as Values)["state"]];
    };
    const table: readonly (readonly [
      does: string,
      code: number,
      status: number,
      error: string | undefined,
      states: readonly unknown[],
    ])[] = [
      ["nothing", 7, 200, undefined, ["shut", "1", 1, "on"]],
      ["widens", 7, 200, undefined, ["shut", "5", 5, "on"]],
      ["nothing", 8, 403, "wrong-code", ["open", null, 1, "off"]],
      ["fails", 7, 409, "no-luck", ["open", null, 1, "off"]],
      ["breaks", 7, 409, "too-wide", ["open", null, 1, "off"]],
      ["throws", 7, 500, "internal", ["open", null, 1, "off"]],
      ["deletes", 7, 500, "internal", ["open", null, 1, "off"]],
    ];
    for (const [does, code, status, error, after] of table) {
      const at = await made();
      const before = runs;
      const reply = await send(`POST /gates/${at.gate}/shut`, { code, does });
      assert.deepEqual([reply.status, (reply.json as { code?: string }).code], [status, error], `${does} ${code}`);
      assert.equal(runs - before, code === 7 ? 1 : 0, "a guard that does not hold runs nothing");
      if (status === 200) assert.equal((reply.json as Values)["state"], "shut");
      assert.deepEqual(await states(at), after, does);
      if (status !== 200) continue;
      const again = await send(`POST /gates/${at.gate}/shut`, { code, does });
      assert.deepEqual([again.status, (again.json as { code: string }).code], [409, "state-conflict"]);
      assert.deepEqual((again.json as { moves: unknown }).moves, ["reopen"]);
      assert.equal(runs - before, 1, "a conflict runs nothing");
      assert.equal((await send(`POST /gates/${at.gate}/reopen`)).status, 200);
      const elsewhere = await send(`POST /gates/${at.gate}/reopen`);
      assert.deepEqual((elsewhere.json as { moves: readonly string[] }).moves.toSorted(), ["shut", "wire"]);
    }
    (subject.running.failures as unknown[]).length = 0;
    const wired = await made();
    // Its answer is the document's own, and no problem.
    const wire = (status: number) =>
      fetch(`${subject.running.url}/gates/${wired.gate}/wire?status=${status}`, { method: "POST" });
    assert.equal((await wire(409)).status, 409);
    assert.equal((await states(wired))[0], "open", "an answer from 400 undoes the transition");
    assert.equal((await wire(200)).status, 200);
    assert.equal((await states(wired))[0], "shut");
  });

  test(`two requests whose handlers wait make one transition (${store})`, async () => {
    await using subject = await serve(gates, { store, functions });
    const send = (path: string, body: unknown) => subject.client.send({ method: "POST", path, body });
    const lamp = ((await send("/lamps", {})).json as Values).id;
    const gate = ((await send("/gates", { lamp })).json as Values).id;
    const both = Promise.withResolvers<void>();
    let count = 0;
    waiting = () => {
      count += 1;
      if (count === 2) both.resolve();
      return both.promise;
    };
    const asked = { code: 7, does: "waits" };
    const replies = await Promise.all([send(`/gates/${gate}/shut`, asked), send(`/gates/${gate}/shut`, asked)]);
    const told = replies.map(({ status, json }) => [status, (json as { code?: string }).code]);
    assert.deepEqual(
      told.toSorted(([one], [other]) => Number(one) - Number(other)),
      [
        [200, undefined],
        [409, "state-conflict"],
      ],
    );
  });
}
