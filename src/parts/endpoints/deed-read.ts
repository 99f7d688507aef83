/**
 * Part 4, read: what an operation is about and does beyond method and path.
 *
 *     the      the condition of the one record that it is about, where the path does not name it
 *     link     { in: Resource, with: { field: expression } }       `unlink` likewise
 *     query    parameter: type   as in part 2
 *     filters  parameter: expression with the parameter's name or `value`       map: { type, if }
 *     if       the condition of the operation; `else` the error without it
 *     status   status | { given | changed, created, same, accepted: status ["if" expression], differs: error, error: status }
 */
import type { Entry, MapNode } from "../../document/document.ts";
import { slice } from "../phrase.ts";
import {
  expectMap,
  isNone,
  knownEntries,
  openEntries,
  type Path,
  place,
  placeAt,
  type Reader,
  report,
} from "../reader.ts";
import { readFields } from "../resources/field.ts";
import { readFieldType } from "../resources/field-type.ts";
import { readLines, readStatus, readText } from "../values.ts";
import type { Accepted, Endpoint, Filter, Link, Statuses } from "./model.ts";

type Deed = Pick<Endpoint, "the" | "link" | "unlink" | "query" | "filters" | "if" | "else">;
type DeedKey = "the" | "link" | "unlink" | "query" | "filters" | "if" | "else";

export function readDeed(reader: Reader, at: Path, entries: Partial<Record<DeedKey, Entry>>): Deed {
  const the = readText(reader, at, entries.the, "`the`");
  const link = entries.link && readLink(reader, [...at, "link"], entries.link);
  const unlink = entries.unlink && readLink(reader, [...at, "unlink"], entries.unlink);
  const query = membersOf(reader, at, entries.query, "{ plan: string(1..40) }");
  const filters = membersOf(reader, at, entries.filters, "{ label: label in labels }");
  const guard = readGuard(reader, at, entries);
  return {
    ...(the === undefined ? {} : { the: the.text }),
    ...(link === undefined ? {} : { link }),
    ...(unlink === undefined ? {} : { unlink }),
    ...(query === undefined ? {} : { query: readFields(reader, [...at, "query"], query) }),
    ...(filters === undefined ? {} : { filters: readFilters(reader, [...at, "filters"], filters) }),
    ...guard,
  };
}

export function membersOf(reader: Reader, at: Path, entry: Entry | undefined, example: string): MapNode | undefined {
  if (entry === undefined) return undefined;
  if (isNone(entry.value)) return { kind: "map", entries: [], span: entry.value.span };
  return expectMap(reader, at, entry.value, `\`${entry.key.value}\``, example);
}

const linkExample = "{ in: Subscription, with: { by: caller.id, of: id } }";

function readLink(reader: Reader, at: Path, entry: Entry): Link | undefined {
  const what = `\`${entry.key.value}\``;
  const map = expectMap(reader, at, entry.value, what, linkExample);
  if (map === undefined) return undefined;
  const entries = knownEntries(reader, at, map, ["in", "with"], what);
  const resource = readText(reader, at, entries.in, "`in`");
  const fields = membersOf(reader, at, entries.with, "{ by: caller.id, of: id }");
  for (const member of ["in", "with"] as const) {
    if (map.entries.some((one) => one.key.value === member)) continue;
    const message =
      member === "in" ? `${what} does not say in which resource` : `${what} does not say what the record has`;
    report(reader, "endpoints/bad-link", entry.key.span, message, { help: `write \`${linkExample}\`` });
  }
  if (resource === undefined || fields === undefined) return undefined;
  const values = readLines(openEntries(reader, [...at, "with"], fields), (line) => {
    return readText(reader, [...at, "with"], line, `The value of \`${line.key.value}\``)?.text;
  });
  return { in: resource.text, with: values };
}

function readFilters(reader: Reader, at: Path, map: MapNode): Readonly<Record<string, Filter>> {
  return readLines(openEntries(reader, at, map), (line) => {
    const { value: name } = line.key;
    const path = [...at, name];
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      const message = `\`${name}\` cannot name a filter`;
      report(reader, "endpoints/bad-filter", line.key.span, message, { help: "use letters, digits and `_`" });
      return undefined;
    }
    return readFilter(reader, path, line);
  });
}

function readFilter(reader: Reader, at: Path, line: Entry): Filter | undefined {
  const what = `The filter \`${line.key.value}\``;
  if (line.value.kind !== "map") {
    const condition = readText(reader, at, line, what);
    if (condition !== undefined) placeAt(reader, [...at, "if"], condition);
    return condition && { if: condition.text };
  }
  const entries = knownEntries(reader, at, line.value, ["type", "if"], what);
  const type = entries.type && readFieldType(reader, [...at, "type"], entries.type.value);
  const condition = readText(reader, at, entries.if, "`if`");
  if (!line.value.entries.some(({ key }) => key.value === "if")) {
    const help = "write `{ type: string, if: label in labels }`";
    report(reader, "endpoints/bad-filter", line.key.span, `${what} has no condition`, { help });
  }
  return condition && { ...(type === undefined ? {} : { type }), if: condition.text };
}

/** A login says by `else` alone whom it does not let in. */
function readGuard(reader: Reader, at: Path, entries: Partial<Record<DeedKey, Entry>>): Pick<Endpoint, "if" | "else"> {
  const condition = readText(reader, at, entries.if, "`if`");
  const code = readText(reader, at, entries.else, "`else`");
  if (entries.if !== undefined && entries.else === undefined) {
    const message = "`if` does not say which error answers where it does not hold";
    report(reader, "endpoints/bad-guard", entries.if.key.span, message, { help: "add `else: the-error`" });
    return {};
  }
  return {
    ...(condition === undefined ? {} : { if: condition.text }),
    ...(code === undefined ? {} : { else: code.text }),
  };
}

export const outcomes = ["given", "changed", "created", "same", "accepted", "differs"] as const;

/** `status: 204`, or a status for each of several outcomes; what is no outcome is the code of an error. */
export function readStatuses(
  reader: Reader,
  at: Path,
  entry: Entry | undefined,
): Pick<Endpoint, "status" | "statuses"> {
  if (entry === undefined) return {};
  if (entry.value.kind !== "map") return readGiven(reader, at.slice(0, -1), entry);
  const lines = openEntries(reader, at, entry.value);
  const lineOf = (name: (typeof outcomes)[number]): Entry | undefined => lines.find(({ key }) => key.value === name);
  const [given, changed] = [lineOf("given"), lineOf("changed")];
  if (given !== undefined && changed !== undefined) {
    const help = "keep one of them";
    const message = "`given` and `changed` are the same: the status of what the operation does";
    report(reader, "endpoints/bad-outcome", changed.key.span, message, { help });
  }
  const created = readSuccess(reader, at, lineOf("created"));
  const same = readSuccess(reader, at, lineOf("same"));
  const accepted = readAccepted(reader, at, lineOf("accepted"));
  const differs = readText(reader, at, lineOf("differs"), "`differs`");
  const errors = readErrors(reader, at, lines);
  const statuses: Statuses = {
    ...(created === undefined ? {} : { created }),
    ...(same === undefined ? {} : { same }),
    ...(accepted === undefined ? {} : { accepted }),
    ...(differs === undefined ? {} : { differs: differs.text }),
    ...(Object.keys(errors).length === 0 ? {} : { errors }),
  };
  return {
    ...readGiven(reader, at, given ?? changed),
    ...(Object.keys(statuses).length === 0 ? {} : { statuses }),
  };
}

function readGiven(reader: Reader, at: Path, entry: Entry | undefined): Pick<Endpoint, "status"> {
  const status = readSuccess(reader, at, entry);
  return status === undefined ? {} : { status };
}

function readSuccess(reader: Reader, at: Path, entry: Entry | undefined): number | undefined {
  const text = readText(reader, at, entry, `\`${entry?.key.value}\``);
  return text && readStatus(reader, at, text, "The status of a success", [200, 299]);
}

/** `202`, or `202 if accepts_incomplete`. */
function readAccepted(reader: Reader, at: Path, entry: Entry | undefined): Accepted | undefined {
  if (entry?.value.kind === "map") {
    const path = [...at, "accepted"];
    const entries = knownEntries(reader, path, entry.value, ["status", "if"], "`accepted`");
    const status = readSuccess(reader, path, entries.status);
    const condition = readText(reader, path, entries.if, "`if`");
    return status === undefined ? undefined : { status, ...(condition === undefined ? {} : { if: condition.text }) };
  }
  const line = readText(reader, at, entry, "`accepted`");
  if (line === undefined) return undefined;
  const match = /^(\S+)\s+if\s+(?=\S)/.exec(line.text);
  const said = match === null ? line : slice(line, 0, match[1]?.length);
  const status = readStatus(reader, at, said, "The status of a success", [200, 299]);
  if (status === undefined || match === null) return status === undefined ? undefined : { status };
  const condition = slice(line, match[0].length);
  placeAt(reader, [...at, "accepted", "if"], condition);
  return { status, if: condition.text };
}

function readErrors(reader: Reader, at: Path, lines: readonly Entry[]): Readonly<Record<string, number>> {
  const codes = lines.filter(({ key }) => !outcomes.some((one) => one === key.value));
  return readLines(codes, (line) => {
    place(reader, [...at, "errors", line.key.value], line);
    const text = readText(reader, at, line, `The status of \`${line.key.value}\``);
    return text && readStatus(reader, at, text, `The status of \`${line.key.value}\``);
  });
}
