/**
 * Every construct of the language is enforced: each construct that the walk finds has a proof, each proof is about an existing
 * construct, and each proof holds over a socket, on both stores.
 */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { servicePages } from "../../src/export/page/pages.ts";
import { check, type CheckResult } from "../../src/language/check.ts";
import { sampled } from "../nightly.ts";
import { onPostgres } from "../postgres/service-schema.ts";
import { createClient } from "../serve/client.ts";
import { everyAnswer } from "../serve/every-answer.ts";
import { planOf, run } from "../serve/running.ts";
import { serve, stores, type Subject, subjectOf } from "../serve/scenario.ts";
import { constructs } from "./constructs.ts";
import { notYet, reasonOf } from "./not-yet.ts";
import type { Proof, ApiError } from "./proof.ts";
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

// What depends on no store is not said once more on another one.
if (!onPostgres) {
  void describe("refused, because it could not be enforced", () => {
    for (const refusal of refusals) void test(titleOf(refusal), () => isRefused(refusal));
  });

  void describe("without the construct", () => {
    for (const proof of sampled(proofs, 3)) void test(titleOf(proof), () => differs(proof));
  });
}

for (const store of stores) {
  void describe(`enforced (${store})`, () => {
    for (const proof of proofs) void test(titleOf(proof), () => holds(proof, store));
  });
}

function titleOf({ of }: Proof | ApiError): string {
  return of.join(", ");
}

function errorsOf({ diagnostics }: CheckResult): readonly string[] {
  return diagnostics.filter(({ severity }) => severity === "error").map(({ code, message }) => `${code}: ${message}`);
}

function isRefused(refusal: ApiError): void {
  assert.deepEqual(errorsOf(check("things.md", refusal.without)), []);
  const codes = errorsOf(check("things.md", refusal.with)).map((error) => error.split(": ")[0]);
  assert.deepEqual([...new Set(codes)], [refusal.refused]);
}

type Store = (typeof stores)[number];

async function holds(proof: Proof, store: Store): Promise<void> {
  await played(proof, "with", store, async (subject) => {
    // The proofs together say everything that can be said, and nothing of it is without force but what is known to be.
    const open = new Set(notYet.map(({ below }) => below.split("/")[0]));
    assert.deepEqual(
      subject.running.plan.unenforced.filter(({ path }) => !open.has(path.split("/")[0])),
      [],
    );
    await using scene = sceneOf(subject);
    for (const step of proof.play) await step(scene);
    assert.deepEqual(subject.running.failures, []);
  });
}

/** At least one thing is not as it is with the construct. */
async function differs(proof: Proof): Promise<void> {
  await played(proof, "without", "memory", async (subject) => {
    await using scene = sceneOf(subject, 500);
    try {
      for (const step of proof.play) await step(scene);
    } catch (thrown) {
      assert(thrown instanceof assert.AssertionError, thrown as Error);
      return;
    }
    assert.fail("everything is as it is with the construct");
  });
}

/** What several proofs share is served until the end. */
const serving = new Map<string, ReturnType<typeof served>>();

after(async () => {
  for (const subject of serving.values()) await (await subject)[Symbol.asyncDispose]();
});

async function played(
  proof: Proof,
  which: "with" | "without",
  store: Store,
  play: (subject: Subject) => Promise<void>,
): Promise<void> {
  if (proof.shared !== true) {
    await using subject = await served(proof[which], store, proof);
    await play(subject);
    return;
  }
  const key = `${store}\n${proof[which]}`;
  const subject = serving.get(key) ?? served(proof[which], store, proof);
  serving.set(key, subject);
  await play(await subject);
}

/** On one of the stores every answer is compared with the OpenAPI document as well, which takes its time. */
async function served(
  text: string,
  store: Store,
  { environment = {}, functions = {}, unobserved }: Proof,
): Promise<Subject & AsyncDisposable> {
  const result = check("things.md", text);
  assert.deepEqual(errorsOf(result), []);
  const pages = servicePages({ result, plan: planOf(text), baseUrl: () => "http://127.0.0.1" });
  const options = { store, environment, functions, pages };
  if (store === "sqlite" && unobserved !== true) return serve(text, options);
  const running = await run(text, options);
  const client = createClient(running.port, unobserved === true ? () => {} : everyAnswer(running.plan));
  return subjectOf(running, client);
}
