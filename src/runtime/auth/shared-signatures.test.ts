/** A signature is good once in all processes, whatever else a sender writes beside it (R5.6). */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { memoryRates } from "../../../test/store/memory-rates.ts";
import { signatureSchemes } from "../../base/signature-schemes.ts";
import { readHeaders } from "../../http/message.ts";
import type { CredentialPlan } from "../../plan/authentication/types.ts";
import type { Rates } from "../../store/port/store.ts";
import { createSharing } from "../limits/shared-counts.ts";
import { methodsOf, type ProvingOptions } from "./methods.ts";

const now = Date.parse("2026-11-27T12:00:00Z");
const body = '{"type":"paid"}';
const digest = createHmac("sha256", "a secret")
  .update(`${now / 1000}.${body}`)
  .digest("hex");
const signed = `t=${now / 1000},v1=${digest}`;

/** Returns the verification of a process: whether it has accepted the signature before; undefined for an invalid one. */
function processOf(rates: Rates, at: number): (field: string) => Promise<boolean | undefined> {
  const credential = {
    ...{ name: "door", kind: "hmac-sha256", roles: { kind: "all", roles: [] }, secret: "SECRET" },
    ...{ scheme: signatureSchemes.stripe, sent: [{ header: "Stripe-Signature" }], toleranceSeconds: 600 },
  } as unknown as CredentialPlan;
  const sharing = createSharing({ rates, now: () => at, notice: assert.fail });
  const options = { clock: { now: () => at }, sharing, environment: { SECRET: "a secret" } };
  const [method] = methodsOf(credential, options as unknown as ProvingOptions);
  return async (field) => {
    const httpRequest = { method: "POST", target: "/paid", headers: readHeaders(["stripe-signature", field]) };
    const proof = await method?.prove(field, httpRequest as never, () => Promise.resolve(Buffer.from(body)));
    return proof?.signed?.again;
  };
}

const fields: readonly (readonly [what: string, field: string])[] = [
  ["as it was sent", signed],
  ["beside another signature", `${signed},v1=${"0".repeat(64)}`],
  ["behind another signature", `t=${now / 1000},v1=${"0".repeat(64)},v1=${digest}`],
  ["with a version that is ignored", `${signed},v0=x`],
];

for (const [what, field] of fields)
  test(`another process knows the signature again: ${what}`, async () => {
    const rates = memoryRates();
    assert.equal(await processOf(rates, now)(signed), false);
    assert.equal(await processOf(rates, now + 1000)(field), true);
  });

test("another process knows it again as long as it is good", async () => {
  const rates = memoryRates();
  assert.equal(await processOf(rates, now - 600_000)(signed), false);
  assert.equal(await processOf(rates, now + 600_000)(signed), true);
  assert.equal(await processOf(rates, now + 600_001)(signed), undefined);
});
