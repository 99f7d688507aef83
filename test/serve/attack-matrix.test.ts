/**
 * Every operation by every caller, and every field in every use. The test derives the expected results from the document's lines:
 * who is admitted, who gets 403, and who gets 404 (R5.1, R5.8, R5.9). Any 5xx fails.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, describe, test } from "node:test";
import { readDocument } from "../../src/document/read.ts";
import type { Grant } from "../../src/language/authentication/model.ts";
import type { Model } from "../../src/language/model.ts";
import { readModel } from "../../src/language/read.ts";
import type { Field } from "../../src/language/resources/model.ts";
import type { Reply, Sent } from "./client.ts";
import { by, faultsOf, served } from "./scenario.ts";
import type { Subject } from "./scenario.ts";
import { aTool, toolLibrary } from "./tool-library.ts";

interface Actor {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined for who is not signed in. */
  readonly roles: readonly string[] | undefined;
  readonly owns: boolean;
  readonly revoked: boolean;
}

/** A record to attack, and what its attackers need to know of it. */
interface Target {
  readonly id: string;
  readonly tag: string;
  /** Of the conditions in the document's grants, those that hold of it whoever asks. */
  readonly holds: readonly string[];
  readonly [name: string]: unknown;
}

interface Attack {
  readonly on: "record" | "list" | "create" | "below";
  send(target: Target): Sent;
  /** What else may come of it for those who may, where the record is in no state for it. */
  readonly or?: number;
}

interface Campaign {
  readonly text: string;
  readonly resource: string;
  /** The operations that a record is seen by. */
  readonly reads: readonly string[];
  readonly list: string;
  readonly change: { readonly method: string; readonly operation: string; path(target: Target): string };
  readonly one: (target: Target) => string;
  /** Makes what is needed once, and gives makers of targets, each of a kind of its own. */
  targets(subject: Subject, owner: Actor, everything: Actor): Promise<readonly (() => Promise<Target>)[]>;
  readonly attacks: Readonly<Record<string, Attack>>;
}

let count = 0;
const once = (): { readonly "Idempotency-Key": string } => ({ "Idempotency-Key": `attack-${(count += 1)}` });
const post = (path: string, body?: unknown): Sent => ({
  method: "POST",
  path,
  headers: once(),
  ...(body === undefined ? {} : { body }),
});

async function made(subject: Subject, actor: Actor, path: string, body: object): Promise<Target> {
  const sent = post(path, body);
  const reply = await subject.client.send({ ...sent, headers: { ...actor.headers, ...sent.headers } });
  assert.equal(reply.status, 201, reply.text);
  return { ...(reply.json as { id: string }), tag: reply.headers["etag"] ?? "", holds: [] };
}

const parcelLockers: Campaign = {
  text: readFileSync(new URL("../../examples/parcel-lockers.md", import.meta.url), "utf8"),
  resource: "Parcel",
  reads: ["getParcel", "listParcels"],
  list: "/parcels?limit=200",
  change: { method: "PATCH", operation: "changeParcel", path: ({ id }) => `/parcels/${id}` },
  one: ({ id }) => `/parcels/${id}`,
  async targets(subject, owner, everything) {
    const address = { street: "Gate 1", postcode: "0150", country: "NO" };
    const site = await made(subject, everything, "/sites", { name: "Site", address });
    let door = 0;
    const fresh = async (): Promise<Target> => {
      door += 1;
      const locker = await made(subject, everything, "/lockers", { site: site.id, door, size: "small" });
      const parcel = await made(subject, owner, "/parcels", {
        site: site.id,
        size: "small",
        trackingNumber: `attacked-${door}`,
        recipientEmail: "r@example.org",
        weightKg: 1,
        labels: ["x"],
        customs: { hs: "123456" },
      });
      return { ...parcel, site: site.id, lockerId: locker.id, next: door + 250 };
    };
    return [fresh];
  },
  attacks: {
    addSite: {
      on: "create",
      send: () => post("/sites", { name: "S", address: { street: "a", postcode: "0150", country: "NO" } }),
    },
    listSites: { on: "list", send: () => ({ method: "GET", path: "/sites" }) },
    addLocker: {
      on: "create",
      send: ({ site, next }) => post("/lockers", { site, door: next, size: "large" }),
      or: 409,
    },
    listLockers: { on: "list", send: () => ({ method: "GET", path: "/lockers" }) },
    repairLocker: { on: "create", send: ({ lockerId }) => post(`/lockers/${String(lockerId)}/repair`), or: 409 },
    announceParcel: {
      on: "create",
      send: ({ site, next }) =>
        post("/parcels", {
          site,
          size: "medium",
          trackingNumber: `more-${String(next)}`,
          recipientEmail: "r@example.org",
          weightKg: 1,
        }),
      or: 409,
    },
    getParcel: { on: "record", send: ({ id }) => ({ method: "GET", path: `/parcels/${id}` }) },
    listParcels: { on: "list", send: () => ({ method: "GET", path: "/parcels?limit=200" }) },
    changeParcel: {
      on: "record",
      send: ({ id }) => ({
        method: "PATCH",
        path: `/parcels/${id}`,
        headers: { "If-Match": "*" },
        body: { recipientEmail: "n@example.org" },
      }),
    },
    dropOff: { on: "record", send: ({ id }) => post(`/parcels/${id}/drop-off`) },
    extendParcel: { on: "record", send: ({ id }) => post(`/parcels/${id}/extend`), or: 409 },
    collect: { on: "record", send: ({ id }) => post(`/parcels/${id}/collect`, { code: "000000" }), or: 409 },
    cancelParcel: { on: "record", send: ({ id }) => post(`/parcels/${id}/cancel`) },
    takeBack: { on: "record", send: ({ id }) => post(`/parcels/${id}/take-back`), or: 409 },
  },
};

const tools: Campaign = {
  text: toolLibrary,
  resource: "Tool",
  reads: ["getTool", "listTools"],
  list: "/tools?limit=50",
  change: { method: "PATCH", operation: "changeTool", path: ({ id }) => `/tools/${id}` },
  one: ({ id }) => `/tools/${id}`,
  async targets(subject, owner, everything) {
    const fresh = (open: boolean) => async (): Promise<Target> => {
      const fields = { rating: 1, bought: "2026-01-01", serviced: "2026-01-01T00:00:00Z", tags: ["t"], note: "n" };
      const tool = await made(
        subject,
        owner,
        "/tools",
        aTool({ open, ...fields, maker: { name: "m", country: "NO" } }),
      );
      const remark = await made(subject, everything, `/tools/${tool.id}/remarks`, { body: "b" });
      return { ...tool, remark: remark.id, holds: open ? ["open"] : [] };
    };
    return [fresh(true), fresh(false)];
  },
  attacks: {
    addTool: { on: "create", send: () => post("/tools", aTool()) },
    getTool: { on: "record", send: ({ id }) => ({ method: "GET", path: `/tools/${id}` }) },
    listTools: { on: "list", send: () => ({ method: "GET", path: "/tools" }) },
    changeTool: {
      on: "record",
      send: ({ id }) => ({
        method: "PATCH",
        path: `/tools/${id}`,
        headers: { "If-Match": "*", ...once() },
        body: { stock: 9 },
      }),
    },
    removeTool: {
      on: "record",
      send: ({ id }) => ({ method: "DELETE", path: `/tools/${id}`, headers: { "If-Match": "*", ...once() } }),
      or: 409,
    },
    lendTool: { on: "record", send: ({ id }) => post(`/tools/${id}/lend`, { days: 1 }) },
    returnTool: { on: "record", send: ({ id }) => post(`/tools/${id}/return`), or: 409 },
    retireTool: { on: "record", send: ({ id }) => post(`/tools/${id}/retire`) },
    addRemark: { on: "below", send: ({ id }) => post(`/tools/${id}/remarks`, { body: "b" }) },
    listRemarks: { on: "below", send: ({ id }) => ({ method: "GET", path: `/tools/${id}/remarks` }) },
    getRemark: { on: "create", send: ({ remark }) => ({ method: "GET", path: `/remarks/${String(remark)}` }) },
  },
};

const stateField: Field = {
  type: { kind: "one-of", values: [], open: false },
  optional: false,
  marks: ["read-only", "filter"],
};

for (const [title, campaign] of Object.entries({ parcelLockers, tools })) {
  const model = modelOf(campaign.text);
  served(`attacks on ${title}`, campaign.text, (subject) => {
    const actors: Actor[] = [];
    let targets: readonly (() => Promise<Target>)[] = [];
    before(async () => {
      actors.push(...(await actorsOf(subject, model.authentication.roles ?? [])));
      targets = await campaign.targets(
        subject,
        named(actors, "owner with every role"),
        named(actors, "owner with every role"),
      );
    });

    test("every operation of the document is attacked", () => {
      assert.deepEqual(Object.keys(campaign.attacks).toSorted(), Object.keys(model.authentication.allow).toSorted());
    });

    for (const [operation, attack] of Object.entries(campaign.attacks)) {
      test(`R5.1 R5.8 ${operation} by everybody`, async () => {
        for (const fresh of targets) {
          for (const actor of actors) {
            const target = await fresh();
            const sent = attack.send(target);
            const reply = await subject.client.send({ ...sent, headers: { ...sent.headers, ...actor.headers } });
            if (actor.revoked) subject.running.pass(61_000);
            const label = `${operation} by ${actor.name} (${target.holds.join()}): ${reply.status} ${reply.text.slice(0, 300)}`;
            const expected = verdict(model, campaign, operation, actor, target);
            if (expected === "allowed") assert(reply.status < 300 || reply.status === attack.or, label);
            else assert.equal(reply.status, expected, label);
            if (expected !== "allowed") {
              const after = await subject.client.send({
                method: "GET",
                path: campaign.one(target),
                headers: named(actors, "owner with every role").headers,
              });
              assert.equal(after.headers["etag"], target.tag, `${label} left a trace`);
            }
          }
        }
      });
    }

    test("R5.8 nobody finds in a list what is not to be seen", async () => {
      const all = await Promise.all(targets.map((fresh) => fresh()));
      const operation = campaign.reads.at(-1) ?? "";
      for (const actor of actors) {
        const reply = await subject.client.send({ method: "GET", path: campaign.list, headers: actor.headers });
        if (reply.status !== 200) continue;
        const { items } = reply.json as { items: { id: string }[] };
        for (const target of all) {
          const visible = (model.authentication.allow[operation] ?? []).some((grant) => passes(grant, actor, target));
          assert.equal(
            items.some(({ id }) => id === target.id),
            visible,
            `${actor.name} ${target.holds.join()}`,
          );
        }
      }
    });

    describe("R5.9 fields", () => {
      const fields = { ...model.resources.resources[campaign.resource]?.fields, state: stateField };
      for (const [name, field] of Object.entries(fields)) {
        test(`${name}: read, write, filter, sort by everybody`, async () => {
          for (const fresh of targets) {
            const target = await fresh();
            const full = {
              ...target,
              ...(await record(subject, named(actors, "owner with every role"), campaign.one(target))),
            };
            for (const actor of actors) {
              if (verdict(model, campaign, campaign.reads[0] ?? "", actor, target) !== "allowed") continue;
              await attackField(subject, { model, campaign, actor, target, name, field, value: full[name as never] });
            }
          }
        });
      }
    });
  });
}

interface FieldAttack {
  readonly model: Model;
  readonly campaign: Campaign;
  readonly actor: Actor;
  readonly target: Target;
  readonly name: string;
  readonly field: Field;
  /** As somebody sees it who sees everything; undefined where it is absent. */
  readonly value: unknown;
}

async function attackField(subject: Subject, attack: FieldAttack): Promise<void> {
  const { model, campaign, actor, target, name, field, value } = attack;
  const send = (sent: Sent): Promise<Reply> =>
    subject.client.send({ ...sent, headers: { ...sent.headers, ...actor.headers } });
  const grants = model.authentication.show[`${campaign.resource}.${name}`];
  const never = field.marks.includes("write-only") || field.marks.includes("secret");
  const shown = !never && (grants === undefined || grants.some((grant) => passes(grant, actor, target)));
  const always =
    !never && (grants === undefined || grants.some((grant) => grant.if === undefined && meant(grant, actor)));
  const label = `${name} by ${actor.name}`;

  const seen = await record(subject, actor, campaign.one(target));
  assert.equal(Object.hasOwn(seen, name), shown && value !== undefined, `read ${label}`);
  if (value === undefined && !field.optional && shown) assert.fail(`${label} is required and not there`);

  const path = campaign.list.split("?")[0] ?? "";
  const text = encodeURIComponent(typeof value === "object" ? "x" : `${value as string}`);
  const filtered = await send({ method: "GET", path: `${path}?${name}=${text}` });
  const listed = verdict(model, campaign, campaign.reads[1] ?? "", actor, target);
  if (listed === "allowed") {
    assert.equal(
      filtered.status,
      field.marks.includes("filter") && always ? 200 : 400,
      `filter ${label}: ${filtered.text.slice(0, 300)}`,
    );
    const sorted = await send({ method: "GET", path: `${path}?sort=${name}` });
    assert.equal(sorted.status, field.marks.includes("sort") && always ? 200 : 400, `sort ${label}`);
  }

  const { method, operation } = campaign.change;
  const changed = await send({
    method,
    path: campaign.change.path(target),
    headers: { "If-Match": "*", ...once() },
    body: { [name]: [{ wrong: true }] },
  });
  const expected = verdict(model, campaign, operation, actor, target);
  if (expected !== "allowed") {
    assert.equal(changed.status, expected, `write ${label}`);
    return;
  }
  assert.equal(changed.status, 422, `write ${label}: ${changed.text}`);
  const fixed =
    field.computed !== undefined ||
    field.type.kind === "id" ||
    field.marks.includes("read-only") ||
    field.marks.includes("create-only");
  const faults = faultsOf(changed).join();
  if (!fixed)
    assert(!faults.includes(`#/${name} read-only`) && !faults.includes(`#/${name} unknown-field`), `write ${label}`);
  else assert.equal(faults, `#/${name} ${shown ? "read-only" : "unknown-field"}`, `write ${label}`);
}

async function record(subject: Subject, actor: Actor, path: string): Promise<Readonly<Record<string, unknown>>> {
  const reply = await subject.client.send({ method: "GET", path, headers: actor.headers });
  assert.equal(reply.status, 200, reply.text);
  return reply.json as Record<string, unknown>;
}

/** What has to come of an operation: allowed, or the status that refuses it. */
function verdict(
  model: Model,
  { attacks, reads }: Campaign,
  operation: string,
  actor: Actor,
  target: Target,
): "allowed" | number {
  if (actor.revoked) return 401;
  const grants = model.authentication.allow[operation] ?? [];
  const attack = attacks[operation];
  if (!grants.some((grant) => meant(grant, actor))) return actor.roles === undefined ? 401 : 403;
  const visible = reads.some((read) =>
    (model.authentication.allow[read] ?? []).some((grant) => passes(grant, actor, target)),
  );
  if (attack?.on === "below" && !visible) return 404;
  // A list is never refused to whom it is meant for: it has what they may see.
  if (attack?.on === "list" || grants.some((grant) => passes(grant, actor, target))) return "allowed";
  return visible ? 403 : 404;
}

function meant({ who }: Grant, { roles }: Actor): boolean {
  return who.kind === "anyone" || (roles !== undefined && (who.kind === "signed-in" || roles.includes(who.role)));
}

function passes(grant: Grant, actor: Actor, { holds }: Target): boolean {
  if (!meant(grant, actor)) return false;
  return grant.if === undefined || (grant.if === "own" ? actor.owns : holds.includes(grant.if));
}

async function actorsOf({ running }: Subject, roles: readonly string[]): Promise<readonly Actor[]> {
  const sets: readonly (readonly [string, readonly string[]])[] = [
    ["no role", []],
    ...roles.map((role) => [role, [role]] as const),
    ["every role", roles],
  ];
  const signed = await Promise.all(
    sets.flatMap(([title, held]) =>
      [true, false].map(
        async (owns): Promise<Actor> => ({
          name: `${owns ? "owner" : "stranger"} with ${title}`,
          headers: by(await running.key(owns ? "ona" : "odd", ...held)),
          roles: held,
          owns,
          revoked: false,
        }),
      ),
    ),
  );
  // Made last, one after another, so that the newest key is the one to revoke.
  const key = await running.key("ona", ...roles);
  const newest = (await running.store.keys.list()).at(-1);
  assert(newest !== undefined && (await running.store.keys.revoke(newest.id, Date.now())));
  return [
    { name: "nobody", headers: {}, roles: undefined, owns: false, revoked: false },
    ...signed,
    { name: "a revoked key", headers: by(key), roles, owns: true, revoked: true },
  ];
}

function named(actors: readonly Actor[], name: string): Actor {
  const actor = actors.find((each) => each.name === name);
  assert(actor !== undefined, name);
  return actor;
}

function modelOf(text: string): Model {
  return readModel(readDocument("attacked.md", text).document).model;
}
