/** The mutants themselves: that each is a sound document or service, and that it is not the true one. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { statementFinder, statementsOf } from "../../src/conformance/statement.ts";
import { check } from "../../src/language/check.ts";
import { type PartName, partNames } from "../../src/language/model.ts";
import { buildPlan } from "../../src/plan/build.ts";
import { readDeclarations, type Type } from "../enforced/declarations.ts";
import { documentOf } from "../enforced/document.ts";
import { isNightly } from "../nightly.ts";
import { acceptances, serveAcceptance } from "./mutants/accept.ts";
import { documentMutants, nameOf } from "./mutants/documents.ts";
import { otherExpressions } from "./mutants/expressions.ts";
import { proofMutants } from "./mutants/proofs.ts";
import { type Mutant, ofDocument, ofEngine, score, summaryOf } from "./mutants/score.ts";
import { examples, fieldsFor, type ServedDocument, serveTimed, smallDocuments } from "./mutants/served.ts";
import { rows } from "./mutants/texts.ts";
import type { Tester } from "./mutants/tester.ts";

/** In a normal run one candidate of seven, since each takes the time to check and plan a document. */
const share = isNightly ? 1 : 7;

function named(name: string): ServedDocument {
  const document = [...examples, ...smallDocuments].find((one) => one.name === name);
  assert(document !== undefined, name);
  return document;
}

/** At least so many mutants of a part of the flagship, and so many of them observable. */
const least: Readonly<Record<PartName, readonly [all: number, observable: number]>> = {
  purpose: [40, 12],
  resources: [240, 180],
  states: [140, 130],
  endpoints: [120, 80],
  authentication: [120, 105],
  events: [110, 85],
  errors: [20, 18],
  limits: [70, 55],
  versioning: [28, 19],
};

void describe("documents", () => {
  const { text } = named("parcel-lockers");
  const mutants = documentMutants(text, (_, index) => index % share === 0);
  const { expressions, model, places } = check("document.md", text);
  const plan = JSON.stringify(buildPlan(model, places, expressions));

  for (const part of partNames)
    void test(`each part has mutants: ${part}`, () => {
      const some = mutants.filter((one) => one.part === part);
      const [all, observable] = least[part].map((count) => Math.floor((count / share) * (share === 1 ? 1 : 0.6))) as [
        number,
        number,
      ];
      assert(some.length >= all, `${some.length}`);
      assert(some.filter((one) => one.observable).length >= observable);
    });

  void test("each is a document without errors and with another plan", () => {
    for (const { id, text: other } of mutants.filter((_, index) => index % 9 === 0)) {
      const result = check("mutant.md", other);
      assert.equal(result.summary.errors, 0, id);
      assert.notEqual(JSON.stringify(buildPlan(result.model, result.places, result.expressions)), plan, id);
    }
  });

  void test("ids and texts are unique", () => {
    assert.equal(new Set(mutants.map(({ id }) => id)).size, mutants.length);
    assert.equal(new Set(mutants.map(({ text: other }) => other)).size, mutants.length);
  });

  void test("each is about a place of the document, most about a statement", () => {
    const statementOf = statementFinder(statementsOf(model, places));
    assert.deepEqual(
      mutants.filter(({ path }) => !places.has(path)).map(({ id }) => id),
      [],
    );
    const outside = mutants.filter(({ path }) => statementOf(path) === undefined);
    assert(outside.length < mutants.length / 10, outside.map(({ id, path }) => `${id}: ${path}`).join("\n"));
  });

  void test("a mutant that nobody can notice says why", () => {
    const wrong = mutants.filter(({ observable, reason }) => observable === (reason !== undefined));
    assert.deepEqual(wrong, []);
  });

  void test("what nobody can notice, and what somebody can", () => {
    const rowsOf: readonly (readonly [id: string, observable: boolean])[] = [
      ["resources/Site/name/type/max: 81 for 80", true],
      ["resources/Parcel/trackingNumber/marks/1: without unique", true],
      ["states/Parcel/moves/stored -> stored/if: extensions < 3 for extensions < 2", true],
      ["states/Parcel/moves/announced -> cancelled/1/on/duration: 49h for 48h", true],
      ["authentication/allow/addSite: for each courier, too", true],
      ["authentication/unseen: 403 for 404", true],
      ["events/delivery/webhook/retry/0: without 5s", true],
      ["limits/rate/collect/0/count: 6 for 5", true],
      ["resources/Parcel/extensions/type/max: 1 for 2", true],
      ["resources/Parcel/extensions/type/max: 3 for 2", false],
      ["purpose/operations/addSite: addSitex for addSite everywhere", false],
      ["resources/Parcel/recipientEmail/marks/0: without personal", false],
      ["endpoints/endpoints/addSite: status 202", false],
      ["versioning/versions/2026-09-01/2/target/field: without", true],
    ];
    const ids = rowsOf.map(([id]) => id);
    const some = documentMutants(text, (candidate) => ids.includes(nameOf(candidate)));
    assert.deepEqual(
      ids.map((id) => [id, some.find((one) => one.id === id)?.observable]),
      rowsOf,
    );
  });
});

void test("what nobody can notice in other documents, and what somebody can", () => {
  const rowsOf: readonly (readonly [document: string, id: string, observable: boolean])[] = [
    ["hotel-bookings", "resources/User/username/marks: with write-only", false],
    ["pet-clinic", "resources/Vet/lastName/marks: with write-only", true],
    ["hotel-bookings", "resources/User/password/marks: with unique", false],
    ["hotel-bookings", "authentication/credentials/basic/revoked: 1h for at once", false],
    ["hotel-bookings", "authentication/credentials/token/revoked: 1h for at once", true],
    ["pet-clinic", "resources/Vet/firstName/type/min: without", false],
    ["pet-clinic", "resources/Vet/firstName/type/min: 2 for 1", true],
    ["pet-clinic", "endpoints/endpoints/failingRequest/gives/message: without", false],
    ["pet-clinic", "endpoints/endpoints/failingRequest: another path", true],
    ["card-payments", "resources/Charge/customer/default/text: '' for null", false],
    ["card-payments", "resources/PaymentIntent/customer/default/text: 0 for null", true],
    ["card-payments", "resources/PaymentIntent/received: receivedx for received everywhere", false],
    ["card-payments", "resources/PaymentIntent/amount: amountx for amount everywhere", true],
  ];
  for (const [document, some] of Map.groupBy(rowsOf, ([name]) => name)) {
    const ids = some.map(([, id]) => id);
    const found = documentMutants(named(document).text, (one) => ids.includes(nameOf(one)));
    assert.deepEqual(
      ids.map((id) => [document, id, found.find((one) => one.id === id)?.observable]),
      some,
    );
  }
});

test("a credential that no request needs is noticed by nobody", () => {
  const lasting = "authentication/credentials/key/lasts: 366d for 365d";
  const rowsOf: readonly (readonly [text: string, observable: boolean])[] = [
    [documentOf({}), false],
    [documentOf({ authentication: { allow: { getThing: "signed-in" } } }), true],
    [documentOf({ authentication: { show: { "Thing.name": "signed-in" } } }), true],
    [documentOf({ limits: { rate: { all: "9/minute per user" } } }), true],
    [documentOf({ resources: { Thing: { id: "id(thi)", "by?": "user = caller, read-only" } } }), true],
  ];
  for (const [text, observable] of rowsOf) {
    const [mutant] = documentMutants(text, (one) => nameOf(one) === lasting);
    assert.equal(mutant?.observable, observable, text);
  }
});

void describe("texts", () => {
  void test("each member of a model that is a text has a row", () => {
    const members = new Set(partNames.flatMap((part) => textMembers(part)));
    const known = new Set(Object.keys(rows).map((key) => key.replaceAll("*", "")));
    assert.deepEqual(
      [...members].filter((one) => !known.has(one)),
      [],
    );
    assert.deepEqual(
      [...known].filter((one) => !members.has(one)),
      [],
    );
  });

  void test("expressions differ in one thing", () => {
    const { model } = check("document.md", named("things").text);
    assert.deepEqual(otherExpressions("weight <= 50 || size == 'large'", model), [
      "!(weight <= 50 || size == 'large')",
      "weight <= 50 && size == 'large'",
      "weight <= 50",
      "size == 'large'",
      "weight < 50 || size == 'large'",
      "weight <= 51 || size == 'large'",
      "weight <= 49 || size == 'large'",
      "weight <= 50 || size != 'large'",
      "weight <= 50 || size == 'largex'",
    ]);
  });
});

void test("proofs", () => {
  const mutants = proofMutants();
  assert(mutants.length > 400, `${mutants.length}`);
  assert(mutants.filter(({ observable }) => observable).length > 350);
  assert.equal(new Set(mutants.map(({ id }) => id)).size, mutants.length);
  for (const { id, text, truth } of mutants) assert.notEqual(text, truth, id);
});

void describe("score", () => {
  const nothing: Tester = () => Promise.resolve({ broken: [] });

  void test("counts what is caught, and names what is not", async () => {
    const mutants = ofDocument(named("plain"), { only: "limits" }).concat(
      ofDocument(named("plain"), { only: "Thing/name/type/max" }),
    );
    assert(mutants.length > 0);
    const tester: Tester = (_, running) =>
      Promise.resolve({ broken: running.plan.tables.length > 0 ? ["resources/Thing/name"] : [] });
    const scored = await score(mutants, tester);
    assert(scored.every(({ outcome }) => outcome.kind === "caught" && outcome.located));
    assert.match(summaryOf(scored), /all: (\d+) \/ \1 \(100\.0 %\) caught, \1 at their statement; 0 more/);
    assert.match(summaryOf(await score(mutants, nothing)), /^missed:\n {2}plain: resources\/Thing\/name/m);
  });

  void test("a tester that hangs or throws stops nothing", async () => {
    const mutants = ofEngine({ only: "a guard" });
    const hangs: Tester = () => new Promise(() => {});
    const throws: Tester = () => Promise.reject(new Error("oh"));
    for (const [tester, why] of [
      [hangs, "the tester took more than 100 ms"],
      [throws, "oh"],
    ] as const) {
      const scored = await score(mutants, tester, { seconds: 0.1 });
      assert.deepEqual(
        scored.map(({ outcome }) => outcome),
        mutants.map(() => ({ kind: "failed", why })),
      );
    }
  });

  void test("a slice is spread over all", () => {
    const all = ofEngine();
    const some = ofEngine({ limit: 10 });
    assert.equal(some.length, 10);
    assert(all.findIndex(({ id }) => id === (some.at(-1) as Mutant).id) > all.length / 2);
  });

  void test("keys are to be had of a mutant without the credential", async () => {
    const [mutant] = ofDocument(named("tokens"), { only: "without all of it" });
    const keys: string[] = [];
    const tester: Tester = async (_, running) => {
      keys.push(await running.keyOf("nobody's", "ann"));
      return { broken: [] };
    };
    await score(mutant === undefined ? [] : [mutant], tester);
    assert.deepEqual(keys, ["key_nobody_knows_this_one"]);
  });
});

const inMemory = acceptances(examples, [{ store: "memory", replicas: 1 }]);

void describe("correct services", () => {
  void test("each example is served, at each version", () => {
    const titles = inMemory.map(({ document, version }) => `${document.name} ${version ?? ""}`.trim());
    assert.deepEqual(
      [...new Set(titles)],
      [
        "parcel-lockers 2026-09-01",
        "parcel-lockers 2026-03-01",
        "conduit",
        "service-broker 2.13",
        "print-shop",
        "weather-stations",
        "todo-backend",
        "back-office",
        "issue-tracker",
        "card-payments",
        "hotel-bookings",
        "pet-clinic",
        "courier-rates",
      ],
    );
  });

  for (const one of inMemory)
    void test(`${one.document.name} ${one.version ?? ""}`, async () => {
      await using running = await serveAcceptance(one);
      assert.equal((await fetch(`${running.url}/readyz`)).status, 200);
    });

  void test("callers of each role have what they send", async () => {
    const document = named("weather-stations");
    await using running = await serveTimed(document.text, { store: "memory", environment: document.environment });
    const send = async (credential: string, role: string, path: string, body: object): Promise<number> => {
      const fields = await fieldsFor(running, document.environment, credential, "ann", role);
      const headers = { ...fields, "Content-Type": "application/json" };
      return (
        await fetch(running.url + path, {
          method: path.endsWith("/readings") ? "POST" : "PUT",
          headers,
          body: JSON.stringify(body),
        })
      ).status;
    };
    const station = { name: "Ekofisk", place: { latitude: 56, longitude: 3 }, instruments: ["barometer"] };
    assert.equal(await send("staff", "keeper", "/stations/NO-1", station), 201);
    assert.equal(
      await send("mast", "station", "/stations/NO-1/readings", { takenAt: "2026-11-22T08:00:00Z", celsius: 4 }),
      201,
    );
  });
});

/** The members of a part's types that are texts, as `Type.member`. */
function textMembers(part: string): readonly string[] {
  const file = new URL(`../../src/language/${part}/model.ts`, import.meta.url);
  const within = (at: string, type: Type): readonly string[] => {
    switch (type.kind) {
      case "object":
        return type.members.flatMap(({ name, type: of }) =>
          within(name === "kind" ? at : `${at.split(".")[0]}.${name}`, of),
        );
      case "union":
        return type.of.flatMap((one) => within(at, one));
      case "list":
      case "record":
        return within(at, type.of);
      case "named":
        return type.name === "string" ? [at] : [];
      default:
        return [];
    }
  };
  return [...readDeclarations(readFileSync(file, "utf8")).types].flatMap(([name, type]) => within(`${name}.`, type));
}
