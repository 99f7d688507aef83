/** The routes of sites, lockers and parcels. */
import { randomInt } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { type Database, newId } from "./database.ts";
import type { Answer, Once } from "./idempotency.ts";
import { giveList, type ListOf } from "./lists.ts";
import { invalid, notFound, Problem } from "./problem.ts";
import * as schemas from "./schemas.ts";
import { requireValid } from "./validation.ts";
import type { Webhooks } from "./webhooks.ts";

// Rows come as arrays, in the order of the columns below: building objects twice is what a list would spend most on.
type SiteRow = readonly [
  seq: number,
  id: string,
  name: string,
  street: string,
  postcode: string,
  country: string,
  timezone: string,
];
type LockerRow = readonly [seq: number, id: string, site: string, door: number, size: string, state: string];
type ParcelRow = readonly [
  seq: number,
  id: string,
  courier: string,
  site: string,
  size: string,
  locker: string,
  trackingNumber: string,
  recipientEmail: string,
  weightKg: number,
  labels: string | null,
  pickupCode: string,
  extensions: number,
  collectBy: string | null,
  createdAt: string,
  customs: string | null,
  state: string,
  rev: number,
];
const SITE = "seq, id, name, street, postcode, country, timezone";
const LOCKER = "seq, id, site, door, size, state";
const PARCEL = `seq, id, courier, site, size, locker, trackingNumber, recipientEmail, weightKg, labels, pickupCode,
  extensions, collectBy, createdAt, customs, state, rev`;

interface SiteInput {
  readonly name: string;
  readonly address: { readonly street: string; readonly postcode: string; readonly country: string };
  readonly timezone: string;
}

interface LockerInput {
  readonly site: string;
  readonly door: number;
  readonly size: string;
}

interface ParcelInput {
  readonly site: string;
  readonly size: string;
  readonly trackingNumber: string;
  readonly recipientEmail: string;
  readonly weightKg: number;
  readonly labels?: readonly string[];
  readonly customs?: object;
}

const SIZES = ["small", "medium", "large"];
const OLD_VERSION = "2026-03-01";
const OLD_HEADERS = {
  "lockers-version": OLD_VERSION,
  deprecation: "@1788220800",
  sunset: "Mon, 01 Mar 2027 00:00:00 GMT",
  link: '<https://docs.lockers.example/2026-09>; rel="deprecation"',
  vary: "Lockers-Version",
};
const HOURS_72 = 72 * 3600 * 1000;

const sites: ListOf<SiteRow> = { path: "/sites", table: "site", columns: SITE, filters: {}, sorts: [], give: giveSite };

const lockers: ListOf<LockerRow> = {
  path: "/lockers",
  table: "locker",
  columns: LOCKER,
  filters: { site: {}, size: { values: SIZES }, state: { values: ["free", "held", "occupied", "faulty"] } },
  sorts: [],
  give: giveLocker,
};

const parcels: ListOf<ParcelRow> = {
  path: "/parcels",
  table: "parcel",
  columns: PARCEL,
  filters: {
    courier: {},
    site: {},
    trackingNumber: {},
    createdAt: { ordered: true },
    state: { values: ["announced", "stored", "expired", "collected", "returned", "cancelled"] },
  },
  sorts: ["createdAt"],
  give: giveParcel,
};

const output = (status: number, schema: object) => ({ response: { [status]: schema } });
const operator = { roles: ["operator"] };
const courier = { roles: ["courier"] };
const anyRole = { roles: ["operator", "courier"] };
const signedIn = { roles: [] };

export function addSites(app: FastifyInstance, database: Database, baseUrl: string, once: Once): void {
  const insert = database.statement(
    "insert into site (id, name, street, postcode, country, timezone) values (?, ?, ?, ?, ?, ?)",
  );
  app.post(
    "/sites",
    {
      config: operator,
      attachValidation: true,
      schema: { body: schemas.siteInput, ...output(201, schemas.siteOutput) },
    },
    (request, reply) =>
      once(request, reply, () => {
        requireValid(request);
        const { name, address, timezone } = request.body as SiteInput;
        const id = newId("site");
        insert.run(id, name, address.street, address.postcode, address.country, timezone);
        return created(`/sites/${id}`, '"1"', { id, name, address, timezone });
      }),
  );
  app.get("/sites", { config: signedIn, schema: output(200, schemas.listOf(schemas.siteOutput)) }, (request, reply) =>
    giveList(database, baseUrl, sites, request, reply, undefined),
  );
}

export function addLockers(app: FastifyInstance, database: Database, baseUrl: string, once: Once): void {
  const siteExists = database.statement("select 1 from site where id = ?");
  const insert = database.statement("insert into locker (id, site, door, size) values (?, ?, ?, ?)");
  app.post(
    "/lockers",
    {
      config: operator,
      attachValidation: true,
      schema: { body: schemas.lockerInput, ...output(201, schemas.lockerOutput) },
    },
    (request, reply) =>
      once(request, reply, () => {
        requireValid(request);
        const { site, door, size } = request.body as LockerInput;
        if (siteExists.get(site) === undefined) throw unknownReference("site");
        const id = newId("lok");
        refuseTwins("#/door", () => insert.run(id, site, door, size));
        return created(`/lockers/${id}`, '"1"', { id, site, door, size, state: "free" });
      }),
  );
  app.get(
    "/lockers",
    { config: signedIn, schema: output(200, schemas.listOf(schemas.lockerOutput)) },
    (request, reply) => giveList(database, baseUrl, lockers, request, reply, undefined),
  );
}

export function addParcels(
  app: FastifyInstance,
  database: Database,
  baseUrl: string,
  once: Once,
  webhooks: Webhooks,
): void {
  const find = database.rows(`select ${PARCEL} from parcel where id = ? and (? or courier = ?)`);
  const siteExists = database.statement("select 1 from site where id = ?");
  // Choosing and holding is one statement, so two requests never get the same locker.
  const holdLocker = database.statement(
    `update locker set state = 'held', rev = rev + 1 where seq =
       (select seq from locker where site = ? and size = ? and state = 'free' order by seq limit 1) returning id`,
  );
  const insert = database.rows(
    `insert into parcel (id, courier, site, size, locker, trackingNumber, recipientEmail, weightKg, labels, pickupCode,
       createdAt, customs) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) returning ${PARCEL}`,
  );
  const change = database.rows(
    `update parcel set recipientEmail = ?, labels = ?, customs = ?, rev = rev + 1
     where id = ? and courier = ? and rev = ? returning ${PARCEL}`,
  );
  const store = database.rows(
    `update parcel set state = 'stored', collectBy = ?, rev = rev + 1
     where id = ? and courier = ? and state = 'announced' returning ${PARCEL}`,
  );
  const occupyLocker = database.statement(
    "update locker set state = 'occupied', rev = rev + 1 where id = ? and state = 'held'",
  );

  const siteName = database.rows("select name from site where id = ?");
  let forwards = 0;

  const seen = (request: FastifyRequest, everything: boolean): ParcelRow => {
    const { id } = request.params as { id: string };
    const row = find.get(id, everything ? 1 : 0, request.caller.id) as unknown as ParcelRow | undefined;
    if (row === undefined) throw notFound();
    return row;
  };

  app.post(
    "/parcels",
    {
      config: courier,
      attachValidation: true,
      schema: { body: schemas.parcelInput, ...output(201, schemas.parcelOutput) },
    },
    (request, reply) =>
      once(request, reply, () => {
        requireValid(request);
        const input = request.body as ParcelInput;
        if (siteExists.get(input.site) === undefined) throw unknownReference("site");
        const locker = holdLocker.get(input.site, input.size) as { id: string } | undefined;
        if (locker === undefined) {
          throw new Problem(409, "no-free-locker", "Try another size or site, or later.", {}, { "retry-after": "600" });
        }
        refuseHeavyLabels(input.labels ?? null, input.weightKg);
        const row = refuseTwins("#/trackingNumber", () =>
          insert.get(
            newId("par"),
            request.caller.id,
            input.site,
            input.size,
            locker.id,
            input.trackingNumber,
            input.recipientEmail,
            input.weightKg,
            input.labels === undefined ? null : JSON.stringify(input.labels),
            String(randomInt(1_000_000)).padStart(6, "0"),
            new Date().toISOString(),
            input.customs === undefined ? null : JSON.stringify(input.customs),
          ),
        ) as unknown as ParcelRow;
        const { operator } = request.caller;
        webhooks.emit("parcel.announced", row[1], giveParcel(row, true));
        return created(`/parcels/${row[1]}`, etagOf(row, operator), giveParcel(row, operator));
      }),
  );

  app.get("/parcels/:id", { config: anyRole, schema: output(200, schemas.parcelOutput) }, (request, reply) => {
    const { operator } = request.caller;
    const row = seen(request, operator);
    const old = request.headers["lockers-version"] === OLD_VERSION;
    const etag = old ? `${etagOf(row, operator).slice(0, -1)}.old"` : etagOf(row, operator);
    reply.header("etag", etag);
    if (old) reply.headers(OLD_HEADERS);
    const known = request.headers["if-none-match"];
    if (known !== undefined && matches(known, etag)) return reply.code(304).send();
    return old ? giveOldParcel(row, operator) : giveParcel(row, operator);
  });

  app.get(
    "/parcels",
    { config: anyRole, schema: output(200, schemas.listOf(schemas.parcelOutput)) },
    (request, reply) => {
      const { caller } = request;
      return giveList(database, baseUrl, parcels, request, reply, caller.operator ? undefined : caller.id);
    },
  );

  app.patch(
    "/parcels/:id",
    {
      config: courier,
      attachValidation: true,
      schema: { body: schemas.parcelPatch, ...output(200, schemas.parcelOutput) },
    },
    (request, reply) =>
      database.transaction(() => {
        const { operator, id: caller } = request.caller;
        let row = seen(request, false);
        const precondition = request.headers["if-match"];
        if (precondition === undefined) throw new Problem(428, "precondition-needed", "Send the ETag that you read.");
        requireMatch(precondition, row, operator);
        requireValid(request);
        const patch = request.body as { recipientEmail?: string; labels?: string[] | null; customs?: object | null };
        const email = patch.recipientEmail ?? row[7];
        const labels = patched(patch.labels, row[9]);
        const customs = patched(patch.customs, row[14]);
        if (email !== row[7] || labels !== row[9] || customs !== row[14]) {
          refuseHeavyLabels(labels, row[8]);
          row = change.get(email, labels, customs, row[1], caller, row[16]) as unknown as ParcelRow;
        }
        reply.header("etag", etagOf(row, operator));
        return giveParcel(row, operator);
      }),
  );

  app.post(
    "/parcels/:id/drop-off",
    {
      config: courier,
      attachValidation: true,
      schema: { body: schemas.noInput, ...output(200, schemas.parcelOutput) },
    },
    (request, reply) =>
      once(request, reply, (): Answer => {
        const { operator, id: caller } = request.caller;
        const { id } = request.params as { id: string };
        const precondition = request.headers["if-match"];
        if (precondition !== undefined) requireMatch(precondition, seen(request, false), operator);
        if (request.validationError !== undefined) {
          seen(request, false);
          requireValid(request);
        }
        const collectBy = new Date(Date.now() + HOURS_72).toISOString();
        const row = store.get(collectBy, id, caller) as unknown as ParcelRow | undefined;
        if (row === undefined) throw stateConflict(seen(request, false)[15]);
        occupyLocker.run(row[5]);
        return { status: 200, headers: { etag: etagOf(row, operator) }, body: giveParcel(row, operator) };
      }),
  );

  app.post(
    "/parcels/:id/forward",
    {
      config: courier,
      attachValidation: true,
      schema: { body: schemas.noInput, ...output(200, schemas.parcelOutput) },
    },
    (request, reply) =>
      once(request, reply, (): Answer => {
        const { operator, id: caller } = request.caller;
        const row = seen(request, false);
        const precondition = request.headers["if-match"];
        if (precondition !== undefined) requireMatch(precondition, row, operator);
        requireValid(request);
        const desk = String(siteName.get(row[3])?.[0] ?? "desk").replace(/\W+/g, "-");
        const email = `${desk}-${++forwards}@desks.example`;
        refuseHeavyLabels(row[9], row[8]);
        const changed = change.get(email, row[9], row[14], row[1], caller, row[16]) as unknown as ParcelRow;
        return { status: 200, headers: { etag: etagOf(changed, operator) }, body: giveParcel(changed, operator) };
      }),
  );
}

function giveSite(row: SiteRow): SiteInput & { readonly id: string } {
  return {
    id: row[1],
    name: row[2],
    address: { street: row[3], postcode: row[4], country: row[5] },
    timezone: row[6],
  };
}

function giveLocker(row: LockerRow): object {
  return { id: row[1], site: row[2], door: row[3], size: row[4], state: row[5] };
}

/** Absent fields are left out, and couriers never see the code. */
function giveParcel(row: ParcelRow, operator: boolean): object {
  return {
    id: row[1],
    courier: row[2],
    site: row[3],
    size: row[4],
    locker: row[5],
    trackingNumber: row[6],
    recipientEmail: row[7],
    weightKg: row[8],
    labels: row[9] === null ? undefined : JSON.parse(row[9]),
    pickupCode: operator ? row[10] : undefined,
    extensions: row[11],
    collectBy: row[12] ?? undefined,
    createdAt: row[13],
    customs: row[14] === null ? undefined : JSON.parse(row[14]),
    state: row[15],
  };
}

/** As it was before `trackingNumber` had its name. */
function giveOldParcel(row: ParcelRow, operator: boolean): object {
  return { ...giveParcel(row, operator), reference: row[6], trackingNumber: undefined };
}

const created = (location: string, etag: string, body: object): Answer => ({
  status: 201,
  headers: { location, etag },
  body,
});

/** Strong, and different for callers that see different fields (R4.15). */
const etagOf = (row: ParcelRow, operator: boolean): string => `"${row[16]}${operator ? "o" : "c"}"`;

/** Weak comparison (RFC 9110 section 13.1.2). */
const matches = (header: string, etag: string): boolean =>
  header.trim() === "*" || header.split(",").some((one) => one.trim().replace(/^W\//, "") === etag);

function requireMatch(header: string, row: ParcelRow, operator: boolean): void {
  const etag = etagOf(row, operator);
  const strong = header.split(",").some((one) => one.trim() === etag);
  if (header.trim() !== "*" && !strong) throw new Problem(412, "stale", "Read it again.", {}, { etag });
}

const patched = (change: object | null | undefined, stored: string | null): string | null =>
  change === undefined ? stored : change === null ? null : JSON.stringify(change);

function refuseHeavyLabels(labels: unknown, weightKg: number): void {
  if (labels !== null && weightKg > 20) {
    throw new Problem(422, "label-too-heavy", "Leave the labels out, or send less.");
  }
}

const unknownReference = (field: string): Problem =>
  invalid(422, `The ${field} is not known.`, [
    { pointer: `#/${field}`, code: "unknown-reference", detail: "Unknown." },
  ]);

function stateConflict(state: string): Problem {
  const allowed = state === "stored" ? ["extendParcel"] : [];
  return new Problem(409, "state-conflict", `The parcel is ${state}.`, { state, allowed });
}

const CONSTRAINT_UNIQUE = 2067;

/** The constraint decides races; its loser gets 409 (R2.11). */
function refuseTwins<T>(pointer: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if ((error as { errcode?: number }).errcode !== CONSTRAINT_UNIQUE) throw error;
    throw new Problem(409, "already-exists", "Another one has this value.", { pointer });
  }
}
