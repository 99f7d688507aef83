/** The names of limits for a caller of an older version: no name of a later operation or resource (R8.1, R9.3). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "../client.ts";
import { run } from "../running.ts";

const text = `purpose: { nonet: 1, service: boxes, operations: [storeBox, listBoxes, openBox] }
resources:
  Box: { id: id(box), owner: user = caller }
states:
  Box: { states: [shut, open], start: shut, final: none, moves: { shut -> open: by openBox, open -> open: by openBox } }
endpoints:
  endpoints:
    storeBox: POST /boxes
    listBoxes: GET /boxes
    openBox: "POST /boxes/{id}/open"
authentication: { credentials: { key: api-key }, allow: { "storeBox, listBoxes, openBox": signed-in } }
events: none
errors: { body: problem+json, standard: all, errors: none }
limits:
  rate: { all: 600/min per user, openBox: 2/h per Box }
  quota: { Box: 1 per user, storeBox: 5/day per user }
versioning:
  scheme: numbered
  sent: header Boxes-Version
  absent: newest
  versions:
    2:
      - rename deposit -> storeBox
      - rename unlock -> openBox
      - rename Crate -> Box
    1: first
`;

test("R8.1 R9.3 limits are named in the words of the caller's version", async () => {
  await using running = await run(text);
  using client = createClient(running.port, () => {});
  const key = { Authorization: `Bearer ${await running.key("kim")}` };
  const older = { ...key, "Boxes-Version": "1" };
  const store = (headers: Readonly<Record<string, string>>) =>
    client.send({ method: "POST", path: "/boxes", headers, body: {} });
  const made = await store(older);
  assert.equal(made.status, 201, made.text);
  assert.match(made.headers["ratelimit-policy"] ?? "", /"all-per-user".*"deposit-per-user"/);
  assert.match(made.headers["ratelimit"] ?? "", /"deposit-per-user"/);
  const second = await store(older);
  assert.deepEqual((second.json as Record<string, unknown>)["violated-policies"], ["Crate-per-user"]);
  const path = `/boxes/${(made.json as { id: string }).id}/open`;
  const open = (headers: Readonly<Record<string, string>>) => client.send({ method: "POST", path, headers });
  const opened = [await open(older), await open(older)];
  const limited = await open(older);
  const told = [second, ...opened, limited];
  assert.equal(limited.status, 429);
  assert.deepEqual((limited.json as Record<string, unknown>)["violated-policies"], ["unlock-per-Crate"]);
  for (const { headers, text: body } of [made, ...told])
    for (const later of ["storeBox", "openBox", "Box"])
      assert(
        !new RegExp(`\\b${later}\\b`).test(JSON.stringify(headers) + body),
        `${later}: ${JSON.stringify(headers)} ${body}`,
      );
  const now = await open(key);
  assert.deepEqual(
    (now.json as Record<string, unknown>)["violated-policies"],
    ["openBox-per-Box"],
    "today's names today",
  );
  assert.match(now.headers["ratelimit-policy"] ?? "", /"openBox-per-Box"/);
});
