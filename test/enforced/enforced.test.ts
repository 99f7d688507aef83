/**
 * Nothing in the language is without force: every construct that the walk finds has a proof, every proof is of a construct
 * that there is, and each holds over a socket, on both stores.
 */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { type Page, servicePages } from "../../src/export/page/pages.ts";
import { check } from "../../src/parts/check.ts";
import { planOf } from "../serve/running.ts";
import { serve, stores } from "../serve/scenario.ts";
import { constructs } from "./constructs.ts";
import { notYet, reasonOf } from "./not-yet.ts";
import type { Proof, Refusal } from "./proof.ts";
import { sceneOf } from "./proof.ts";
import { proofs, refusals } from "./proofs.ts";

const all = constructs();
const proved = new Set([...proofs, ...refusals].flatMap(({ of }) => of));

test("every construct has a proof", (context) => {
  const open = all.filter((construct) => !proved.has(construct));
  assert.deepEqual(
    open.filter((construct) => reasonOf(construct) === undefined),
    [],
  );
  context.diagnostic(`${all.length - open.length} of ${all.length} constructs have a proof`);
  for (const one of notYet) {
    const count = open.filter((construct) => reasonOf(construct) === one).length;
    context.diagnostic(`not yet: ${one.below}, ${count}: ${one.reason}`);
    assert.notEqual(count, 0, `all of ${one.below} has a proof`);
  }
});

test("every proof is of a construct that there is", () => {
  assert.deepEqual(
    [...proved].filter((construct) => !all.includes(construct)),
    [],
  );
});

void describe("refused, because it could not be enforced", () => {
  for (const refusal of refusals) void test(titleOf(refusal), () => isRefused(refusal));
});

for (const store of stores) {
  void describe(`enforced (${store})`, () => {
    for (const proof of proofs) void test(titleOf(proof), () => holds(proof, store));
  });
}

void describe("without the construct", () => {
  for (const proof of proofs) void test(titleOf(proof), () => differs(proof));
});

function titleOf({ of }: Proof | Refusal): string {
  return of.join(", ");
}

function errorsIn(text: string): readonly string[] {
  return check("things.md", text)
    .diagnostics.filter(({ severity }) => severity === "error")
    .map(({ code, message }) => `${code}: ${message}`);
}

function isRefused(refusal: Refusal): void {
  assert.deepEqual(errorsIn(refusal.without), []);
  const codes = errorsIn(refusal.with).map((error) => error.split(": ")[0]);
  assert.deepEqual([...new Set(codes)], [refusal.refused]);
}

/** Each document is served once on each store; proofs of one document share the server, and make records of their own. */
const serving = new Map<string, ReturnType<typeof serve>>();

after(async () => {
  for (const subject of serving.values()) await (await subject)[Symbol.asyncDispose]();
});

async function holds(proof: Proof, store: "sqlite" | "memory"): Promise<void> {
  const subject = await served(proof, "with", store);
  assert.deepEqual(subject.running.plan.unenforced, []);
  const scene = sceneOf(subject);
  for (const step of proof.play) await step(scene);
  assert.deepEqual(subject.running.failures, []);
}

/** At least one thing is not as it is with the construct. */
async function differs(proof: Proof): Promise<void> {
  const scene = sceneOf(await served(proof, "without", "memory"));
  try {
    for (const step of proof.play) await step(scene);
  } catch (thrown) {
    assert(thrown instanceof assert.AssertionError, thrown as Error);
    return;
  }
  assert.fail("everything is as it is with the construct");
}

function served(proof: Proof, which: "with" | "without", store: "sqlite" | "memory"): ReturnType<typeof serve> {
  const { environment = {} } = proof;
  const text = proof[which];
  const key = JSON.stringify([text, environment, store]);
  const before = serving.get(key);
  if (before !== undefined) return before;
  assert.deepEqual(errorsIn(text), []);
  const subject = serve(text, { store, environment, pages: pagesOf(text) });
  serving.set(key, subject);
  return subject;
}

/** What people and clients are shown of the document. */
function pagesOf(text: string): readonly Page[] {
  const result = check("things.md", text);
  return servicePages({ result, plan: planOf(text), baseUrl: () => "http://127.0.0.1" });
}
