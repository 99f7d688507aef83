/** Lists: declared filters and sorts only, keyset pages with authenticated cursors, ownership in the SQL (R4.9 to R4.13). */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Database } from "./database.ts";
import { invalid } from "./problem.ts";

/** The columns of a row in order, `seq` first. */
export type ListRow = readonly [seq: number, ...rest: (string | number | null)[]];

export interface ListOf<Row extends ListRow> {
  readonly path: string;
  readonly table: string;
  readonly columns: string;
  /** The fields that may be asked for, `ordered` ones with gt, gte, lt and lte too; `values` if they are few. */
  readonly filters: Readonly<Record<string, { readonly ordered?: boolean; readonly values?: readonly string[] }>>;
  readonly sorts: readonly string[];
  readonly give: (row: Row, operator: boolean) => object;
}

type Value = string | number;
const OPERATORS: Readonly<Record<string, string>> = { gt: ">", gte: ">=", lt: "<", lte: "<=" };
const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;

/** Answers one list request; `owner` restricts it to rows of that courier. */
export function giveList<Row extends ListRow>(
  database: Database,
  baseUrl: string,
  list: ListOf<Row>,
  request: FastifyRequest,
  reply: FastifyReply,
  owner: string | undefined,
): { items: object[]; next: string | null } {
  const { limit, cursor, sort, where, values, rest } = readQuery(list, request.query as Record<string, unknown>);
  const conditions = [...where];
  const bound: Value[] = [...values];
  if (owner !== undefined) {
    conditions.push("courier = ?");
    bound.push(owner);
  }
  const descending = sort === undefined || sort.startsWith("-");
  const field = sort?.replace("-", "");
  const scope = `${request.caller.id} ${list.path}?${rest}`;
  if (cursor !== undefined) {
    const position = openCursor(database.cursorSecret, cursor, scope);
    const beyond = descending ? "<" : ">";
    conditions.push(field === undefined ? `seq ${beyond} ?` : `(${field}, seq) ${beyond} (?, ?)`);
    bound.push(...position);
  }
  const direction = descending ? "desc" : "asc";
  const order = field === undefined ? `seq ${direction}` : `${field} ${direction}, seq ${direction}`;
  const condition = conditions.length === 0 ? "" : `where ${conditions.join(" and ")}`;
  const sql = `select ${list.columns} from ${list.table} ${condition} order by ${order} limit ?`;
  const rows = database.rows(sql).all(...bound, limit + 1) as unknown as Row[];

  let next: string | null = null;
  if (rows.length > limit) {
    rows.length = limit;
    const last = rows[limit - 1] as Row;
    const position =
      field === undefined ? [last[0]] : [last[list.columns.split(/,\s*/).indexOf(field)] as Value, last[0]];
    next = sealCursor(database.cursorSecret, position, scope);
    const query = `${rest}${rest === "" ? "" : "&"}limit=${limit}&cursor=${next}`;
    reply.header("link", `<${baseUrl}${list.path}?${query}>; rel="next"`);
  }
  const operator = request.caller.operator;
  return { items: rows.map((row) => list.give(row, operator)), next };
}

interface ListQuery {
  readonly limit: number;
  readonly cursor: string | undefined;
  readonly sort: string | undefined;
  readonly where: readonly string[];
  readonly values: readonly Value[];
  /** The filters and the order as a query in fixed order: what a cursor is bound to. */
  readonly rest: string;
}

function readQuery<Row extends ListRow>(list: ListOf<Row>, query: Readonly<Record<string, unknown>>): ListQuery {
  let limit = DEFAULT_LIMIT;
  let cursor: string | undefined;
  let sort: string | undefined;
  const where: string[] = [];
  const values: Value[] = [];
  const rest: string[] = [];
  for (const name of Object.keys(query).sort()) {
    const value = query[name];
    if (typeof value !== "string" || value === "") throw wrong(name, "invalid", "Give it once, with a value.");
    if (name === "limit") {
      limit = /^[1-9][0-9]{0,5}$/.test(value) ? Number(value) : 0;
      if (limit < 1 || limit > MAX_LIMIT) throw wrong(name, "range", `From 1 to ${MAX_LIMIT}.`);
      continue;
    }
    if (name === "cursor") {
      cursor = value;
      continue;
    }
    rest.push(`${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
    if (name === "sort") {
      if (!list.sorts.includes(value.replace(/^-/, ""))) throw wrong(name, "unknown", "Not a field to sort by.");
      sort = value;
      continue;
    }
    const [, field = "", operator] = /^(\w+)(?:\[(\w+)\])?$/.exec(name) ?? [];
    const filter = Object.hasOwn(list.filters, field) ? list.filters[field] : undefined;
    if (filter === undefined) throw wrong(name, "unknown-parameter", "There is no such parameter.");
    const wanted = operator === "in" ? value.split(",") : [value];
    if (wanted.length > 100 || wanted.some((one) => filter.values !== undefined && !filter.values.includes(one))) {
      throw wrong(name, "invalid", "Not a value of this field.");
    }
    if (filter.ordered === true && wanted.some((one) => Number.isNaN(Date.parse(one)))) {
      throw wrong(name, "invalid", "Not a time.");
    }
    if (operator === undefined) where.push(`${field} = ?`);
    else if (operator === "in") where.push(`${field} in (${wanted.map(() => "?").join(", ")})`);
    else if (filter.ordered === true && OPERATORS[operator]) where.push(`${field} ${OPERATORS[operator]} ?`);
    else throw wrong(name, "unknown-parameter", "There is no such operator.");
    values.push(...(filter.ordered === true ? wanted.map((one) => new Date(one).toISOString()) : wanted));
  }
  return { limit, cursor, sort, where, values, rest: rest.join("&") };
}

const wrong = (parameter: string, code: string, detail: string) =>
  invalid(400, `The query parameter ${parameter} is not valid.`, [{ parameter, code, detail }]);

const sign = (secret: Buffer, position: string, scope: string): string =>
  createHmac("sha256", secret).update(`${position} ${scope}`).digest("base64url").slice(0, 22);

function sealCursor(secret: Buffer, position: readonly Value[], scope: string): string {
  const text = Buffer.from(JSON.stringify(position)).toString("base64url");
  return `${text}.${sign(secret, text, scope)}`;
}

function openCursor(secret: Buffer, cursor: string, scope: string): Value[] {
  const [position = "", signature = ""] = cursor.split(".");
  const expected = Buffer.from(sign(secret, position, scope));
  const sent = Buffer.from(signature);
  if (sent.length !== expected.length || !timingSafeEqual(sent, expected)) {
    throw wrong("cursor", "invalid-cursor", "Not a cursor of this list.");
  }
  return JSON.parse(Buffer.from(position, "base64url").toString()) as Value[];
}
