/** The routes of sites, lockers and parcels. */
import { randomInt } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { type Database, newId } from "./database.ts";
import type { Answer, Once } from "./idempotency.ts";
import { giveList, type ListOf } from "./lists.ts";
import { invalid, notFound, Problem } from "./problem.ts";
import * as schemas from "./schemas.ts";
import { requireValid } from "./validation.ts";

interface SiteRow {
  readonly seq: number;
  readonly id: string;
  readonly name: string;
  readonly street: string;
  readonly postcode: string;
  readonly country: string;
  readonly timezone: string;
}

interface LockerRow {
  readonly seq: number;
  readonly id: string;
  readonly site: string;
  readonly door: number;
  readonly size: string;
  readonly state: string;
  readonly rev: number;
}

interface ParcelRow {
  readonly seq: number;
  readonly id: string;
  readonly courier: string;
  readonly site: string;
  readonly size: string;
  readonly locker: string;
  readonly trackingNumber: string;
  readonly recipientEmail: string;
  readonly weightKg: number;
  readonly labels: string | null;
  readonly pickupCode: string;
  readonly extensions: number;
  readonly collectBy: string | null;
  readonly createdAt: string;
  readonly customs: string | null;
  readonly state: string;
  readonly rev: number;
}

interface SiteInput {
  readonly name: string;
  readonly address: { readonly street: string; readonly postcode: string; readonly country: string };
  readonly timezone: string;
}

type LockerInput = Pick<LockerRow, "site" | "door" | "size">;

interface ParcelInput extends Pick<ParcelRow, "site" | "size" | "trackingNumber" | "recipientEmail" | "weightKg"> {
  readonly labels?: readonly string[];
  readonly customs?: object;
}

const SITE = "seq, id, name, street, postcode, country, timezone";
const LOCKER = "seq, id, site, door, size, state, rev";
const PARCEL = `seq, id, courier, site, size, locker, trackingNumber, recipientEmail, weightKg, labels, pickupCode,
  extensions, collectBy, createdAt, customs, state, rev`;
const SIZES = ["small", "medium", "large"];
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
  const insert = database.statement(
    `insert into locker (id, site, door, size) values (?, ?, ?, ?) returning ${LOCKER}`,
  );
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
        const row = refuseTwins("#/door", () => insert.get(newId("lok"), site, door, size)) as unknown as LockerRow;
        return created(`/lockers/${row.id}`, '"1"', giveLocker(row));
      }),
  );
  app.get(
    "/lockers",
    { config: signedIn, schema: output(200, schemas.listOf(schemas.lockerOutput)) },
    (request, reply) => giveList(database, baseUrl, lockers, request, reply, undefined),
  );
}

export function addParcels(app: FastifyInstance, database: Database, baseUrl: string, once: Once): void {
  const find = database.statement(`select ${PARCEL} from parcel where id = ? and (? or courier = ?)`);
  const siteExists = database.statement("select 1 from site where id = ?");
  // Choosing and holding is one statement, so two requests never get the same locker.
  const holdLocker = database.statement(
    `update locker set state = 'held', rev = rev + 1 where seq =
       (select seq from locker where site = ? and size = ? and state = 'free' order by seq limit 1) returning id`,
  );
  const insert = database.statement(
    `insert into parcel (id, courier, site, size, locker, trackingNumber, recipientEmail, weightKg, labels, pickupCode,
       createdAt, customs) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) returning ${PARCEL}`,
  );
  const change = database.statement(
    `update parcel set recipientEmail = ?, labels = ?, customs = ?, rev = rev + 1
     where id = ? and courier = ? and rev = ? returning ${PARCEL}`,
  );
  const store = database.statement(
    `update parcel set state = 'stored', collectBy = ?, rev = rev + 1
     where id = ? and courier = ? and state = 'announced' returning ${PARCEL}`,
  );
  const occupyLocker = database.statement(
    "update locker set state = 'occupied', rev = rev + 1 where id = ? and state = 'held'",
  );

  const seen = (request: FastifyRequest, everything: boolean): ParcelRow => {
    const { id } = request.params as { id: string };
    const row = find.get(id, everything ? 1 : 0, request.caller.id) as ParcelRow | undefined;
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
        return created(`/parcels/${row.id}`, etagOf(row, operator), giveParcel(row, operator));
      }),
  );

  app.get("/parcels/:id", { config: anyRole, schema: output(200, schemas.parcelOutput) }, (request, reply) => {
    const { operator } = request.caller;
    const row = seen(request, operator);
    const etag = etagOf(row, operator);
    reply.header("etag", etag);
    const known = request.headers["if-none-match"];
    if (known !== undefined && matches(known, etag)) return reply.code(304).send();
    return giveParcel(row, operator);
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
        const email = patch.recipientEmail ?? row.recipientEmail;
        const labels = patched(patch.labels, row.labels);
        const customs = patched(patch.customs, row.customs);
        if (email !== row.recipientEmail || labels !== row.labels || customs !== row.customs) {
          refuseHeavyLabels(labels, row.weightKg);
          row = change.get(email, labels, customs, row.id, caller, row.rev) as unknown as ParcelRow;
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
        const row = store.get(collectBy, id, caller) as ParcelRow | undefined;
        if (row === undefined) throw stateConflict(seen(request, false).state);
        occupyLocker.run(row.locker);
        return { status: 200, headers: { etag: etagOf(row, operator) }, body: giveParcel(row, operator) };
      }),
  );
}

function giveSite(row: SiteRow): SiteInput & { readonly id: string } {
  const { id, name, street, postcode, country, timezone } = row;
  return { id, name, address: { street, postcode, country }, timezone };
}

function giveLocker(row: LockerRow): object {
  return row;
}

/** The response schema leaves out what is not declared; here go the absent ones and the code that couriers never see. */
function giveParcel(row: ParcelRow, operator: boolean): object {
  return {
    id: row.id,
    courier: row.courier,
    site: row.site,
    size: row.size,
    locker: row.locker,
    trackingNumber: row.trackingNumber,
    recipientEmail: row.recipientEmail,
    weightKg: row.weightKg,
    labels: row.labels === null ? undefined : JSON.parse(row.labels),
    pickupCode: operator ? row.pickupCode : undefined,
    extensions: row.extensions,
    collectBy: row.collectBy ?? undefined,
    createdAt: row.createdAt,
    customs: row.customs === null ? undefined : JSON.parse(row.customs),
    state: row.state,
  };
}

const created = (location: string, etag: string, body: object): Answer => ({
  status: 201,
  headers: { location, etag },
  body,
});

/** Strong, and different for callers that see different fields (R4.15). */
const etagOf = (row: ParcelRow, operator: boolean): string => `"${row.rev}${operator ? "o" : "c"}"`;

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
