/** Several kinds of events at one address, as providers send them: the payloads are signed by the packages of the providers. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sign as signGitHub } from "@octokit/webhooks-methods";
import Stripe from "stripe";
import { documentText, type Subject, serve, stores } from "./scenario.ts";

const environment = { STRIPE_SECRET: "whsec_of_the_payment_provider", GITHUB_SECRET: "the secret of the code host" };
const stripe = new Stripe("sk_test_none");

type Headers = Readonly<Record<string, string>>;

interface Posted {
  readonly status: number;
  readonly json: unknown;
}

async function post({ client }: Subject, path: string, body: string, headers: Headers): Promise<Posted> {
  return client.send({ method: "POST", path, headers: { "Content-Type": "application/json", ...headers }, body });
}

/** Sends a body as Stripe does, indented, and signed at the present of the service. */
async function payment(subject: Subject, event: object, secret = environment.STRIPE_SECRET): Promise<Posted> {
  const payload = JSON.stringify(event, undefined, 2);
  const timestamp = Math.floor(subject.running.now() / 1000);
  const field = stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
  return post(subject, "/hooks/stripe", payload, { "Stripe-Signature": field });
}

async function code(subject: Subject, kind: string, delivery: string, event: object): Promise<Posted> {
  const body = JSON.stringify(event);
  return post(subject, "/hooks/github", body, {
    "X-GitHub-Event": kind,
    "X-GitHub-Delivery": delivery,
    "X-Hub-Signature-256": await signGitHub(environment.GITHUB_SECRET, body),
  });
}

function stripeEvent(id: string, type: string, object: object): object {
  return { id, object: "event", api_version: "2025-09-30.clover", created: 1_767_225_600, livemode: false, pending_webhooks: 1, request: { id: "req_1", idempotency_key: null }, type, data: { object } }; // biome-ignore format: as sent
}

function intent(id: string, received: number): object {
  return { id, object: "payment_intent", amount: 2000, amount_received: received, currency: "eur", charges: { data: [{ id: "ch_1", paid: received > 0 }] }, metadata: {} }; // biome-ignore format: as sent
}

const repository = { id: 1, full_name: "octo/site", private: false, owner: { login: "octo", id: 3 } };

for (const store of stores)
  void describe(`kinds of events at one address (${store})`, () => {
    const started = async (): Promise<Subject & AsyncDisposable & { read: (intent: string) => Promise<unknown> }> => {
      const subject = await serve(documentText("purchases"), { store, environment });
      const Authorization = `Bearer ${await subject.running.keyOf("key", "cleo", "clerk")}`;
      const ids = new Map<string, string>();
      for (const name of ["pi_1", "pi_2", "octo/site"]) {
        const made = await post(subject, "/purchases", JSON.stringify({ intent: name }), { Authorization });
        ids.set(name, (made.json as { readonly id: string }).id);
      }
      const read = async (name: string): Promise<unknown> => {
        const found = await subject.client.send({ method: "GET", path: `/purchases/${ids.get(name)}`, headers: { Authorization } }); // biome-ignore format: short
        return found.json;
      };
      return Object.assign(subject, { read });
    };

    test("a member of the body tells the kind; a delivery counts once; other kinds are accepted without effect", async () => {
      await using subject = await started();
      const paid = stripeEvent("evt_1", "payment_intent.succeeded", intent("pi_1", 2000));
      assert.equal((await payment(subject, paid)).status, 202);
      assert.partialDeepStrictEqual(await subject.read("pi_1"), { state: "paid", amount: 2000 });
      const failed = stripeEvent("evt_2", "payment_intent.payment_failed", intent("pi_2", 0));
      assert.equal((await payment(subject, failed)).status, 202);
      const last = await subject.running.store.journal.last();
      // Stripe signs a delivery anew when it sends it again.
      subject.running.pass(3 * 86_400_000);
      assert.equal((await payment(subject, failed)).status, 202);
      assert.partialDeepStrictEqual(await subject.read("pi_2"), { state: "open", failures: 1 });
      assert.equal(await subject.running.store.journal.last(), last, "no second event");
      const next = stripeEvent("evt_3", "payment_intent.payment_failed", intent("pi_2", 0));
      assert.equal((await payment(subject, next)).status, 202);
      assert.partialDeepStrictEqual(await subject.read("pi_2"), { failures: 2 });
      const unknown = stripeEvent("evt_4", "customer.created", { id: "cus_1", object: "customer" });
      assert.equal((await payment(subject, unknown)).status, 202);
      assert.equal((await payment(subject, { id: "evt_5" })).status, 202, "no kind");
    });

    test("the signature is checked first, then the kind, then the body", async () => {
      await using subject = await started();
      const broken = stripeEvent("evt_1", "payment_intent.succeeded", { id: 1 });
      const forged = await payment(subject, broken, "whsec_of_somebody_else");
      assert.equal(forged.status, 401);
      const { status, json } = await payment(subject, broken);
      assert.equal(status, 422);
      const { errors } = json as { readonly errors: readonly { readonly pointer: string; readonly code: string }[] };
      assert.deepEqual(errors.map(({ pointer, code: reason }) => `${pointer} ${reason}`).sort(), [
        "#/data/object/amount_received required",
        "#/data/object/id wrong-type",
      ]);
      const right = stripeEvent("evt_1", "payment_intent.succeeded", intent("pi_1", 2000));
      assert.equal((await payment(subject, right)).status, 202, "a rejected delivery does not count");
      assert.partialDeepStrictEqual(await subject.read("pi_1"), { state: "paid" });
      assert.equal((await post(subject, "/hooks/stripe", "{}", {})).status, 401, "no credential");
    });

    test("a header field tells the kind, alone or with a member", async () => {
      await using subject = await started();
      const push = { ref: "refs/heads/main", commits: [{ id: "1" }], repository, sender: { login: "ann" } };
      for (const delivery of ["d-1", "d-1", "d-2"])
        assert.equal((await code(subject, "push", delivery, push)).status, 202);
      const { status: withoutId, json: reason } = await code(subject, "push", "", push);
      assert.equal(withoutId, 422);
      assert.partialDeepStrictEqual(reason, { errors: [{ header: "x-github-delivery", code: "required" }] });
      assert.partialDeepStrictEqual(await subject.read("octo/site"), { pushes: 2 });
      assert.equal((await code(subject, "issues", "d-3", { action: "closed", repository })).status, 202);
      assert.partialDeepStrictEqual(await subject.read("octo/site"), { pushes: 0 });
      // No event of this address receives the other kinds.
      for (const [kind, action] of [
        ["star", "created"],
        ["issues", "opened"],
      ] as const) {
        const { status, json } = await code(subject, kind, `d-${action}`, { action, repository });
        assert.equal(status, 422);
        assert.partialDeepStrictEqual(json, { code: "invalid-request" });
      }
      assert.partialDeepStrictEqual(await subject.read("octo/site"), { pushes: 0 });
    });
  });
