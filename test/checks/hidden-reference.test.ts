/** `authentication/hidden-reference` is reported exactly if no caller with a single role can run the served operation. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { check } from "../../src/language/check.ts";
import { documentOf } from "../enforced/document.ts";
import { createClient } from "../serve/client.ts";
import { run } from "../serve/running.ts";

const code = "authentication/hidden-reference";

interface Row {
  readonly callers: string;
  readonly seers: string;
  readonly found: boolean;
  /** In place of a required reference in the body. */
  readonly lot?: string;
  readonly at?: string;
}

const rows: readonly Row[] = [
  { callers: "member", seers: "admin", found: true },
  { callers: "member", seers: "none", found: true },
  { callers: "anyone", seers: "none", found: true },
  { callers: "member", seers: "admin", at: "POST /lots/{lot}/bids", found: true },
  { callers: "member", seers: "member", at: "POST /lots/{lot}/bids", found: false },
  { callers: "member", seers: "member", found: false },
  { callers: "member", seers: "signed-in", found: false },
  { callers: "member", seers: "anyone", found: false },
  { callers: "member | admin", seers: "admin", found: false },
  { callers: "signed-in", seers: "admin", found: false },
  { callers: "anyone", seers: "admin", found: false },
  { callers: "anyone", seers: "signed-in", found: false },
  { callers: "member", seers: "member if open", found: false },
  { callers: "member", seers: "admin", lot: "Lot | null", found: false },
  { callers: "member", seers: "admin", lot: "Lot[]", found: false },
];

for (const { callers, seers, found, lot = "Lot", at = "POST /bids" } of rows) {
  test(`${at} of ${lot} by ${callers}, seen by ${seers}`, async () => {
    const text = documentOf({
      resources: { Lot: { id: "id(lot)", open: "boolean = true" }, Bid: { id: "id(bid)", lot } },
      endpoints: { endpoints: { addLot: "POST /lots", getLot: "GET /lots/{id}", addBid: at } },
      authentication: { allow: { addLot: "anyone", getLot: seers, addBid: callers } },
    });
    const findings = check("bids.md", text).diagnostics.filter((one) => one.code === code);
    assert.equal(findings.length, found ? 1 : 0, JSON.stringify(findings));
    await using running = await run(text);
    using client = createClient(running.port, () => {});
    const { json } = await client.send({ method: "POST", path: "/lots", body: {} });
    const { id } = json as { id: string };
    const statuses: number[] = [];
    for (const role of [undefined, "member", "admin"]) {
      const headers = role === undefined ? {} : { Authorization: `Bearer ${await running.key("kim", role)}` };
      const path = at.replace("POST ", "").replace("{lot}", id);
      const body = path === "/bids" ? { lot: lot.endsWith("[]") ? [] : lot.endsWith("null") ? null : id } : {};
      statuses.push((await client.send({ method: "POST", path, headers, body })).status);
    }
    assert.equal(!statuses.includes(201), found, String(statuses));
  });
}
