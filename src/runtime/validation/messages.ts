/** Messages of violations: the ends of sentences that begin with the member's name. */
import { withArticle } from "../../base/case.ts";
import { base64Pattern } from "../../base/formats.ts";
import type { Table } from "../../plan/resources/types.ts";

/** Returns the message for a uniqueness conflict. `names`: the members that the caller may know. */
export function alreadyExists(names: readonly string[]): string {
  return names.length === 0
    ? "Another record has the same values"
    : `Another record already has this ${names.join(" and ")}`;
}

/** Returns the message for a member that the operation does not take. */
export function isUnknown(name: string): string {
  return `${name} is not a field of this request`;
}

/** Descriptions of formats for messages (`formats` of `validator.ts`). */
const formatTexts: Readonly<Record<string, string>> = {
  "date-time": "an instant such as 2026-01-31T12:00:00Z",
  date: "a day such as 2026-01-31",
  time: "a time such as 12:00:00Z",
  duration: "a duration such as PT72H",
  decimal: "a number of at most 15 significant digits",
  email: "an e-mail address",
  uri: "an absolute http or https address",
  uuid: "a UUID",
  hostname: "a host name such as www.example.com",
  ipv4: "an IPv4 address such as 192.0.2.1",
  ipv6: "an IPv6 address such as 2001:db8::1",
  byte: "base 64 with padding",
  phone: "a phone number such as +4712345678",
  country: "an ISO 3166-1 code of a country such as NO",
  currency: "an ISO 4217 code of a currency such as EUR",
  language: "a BCP 47 language tag such as nb-NO",
  timezone: "an IANA time zone such as Europe/Oslo",
};

/** Descriptions of types that are patterns, for messages. */
const patternTexts: Readonly<Record<string, string>> = {
  "^\\+[1-9][0-9]{1,14}$": "a phone number such as +4712345678",
  "^(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9])?$": "a time of day such as 09:30",
  [base64Pattern]: "base 64 with padding",
  "^-?(?:0|[1-9][0-9]{0,14})(?:\\.[0-9]{1,4})?$": "a decimal number such as 12.50",
};

const typeTexts: Readonly<Record<string, string>> = {
  string: "a text",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  null: "null",
};

/** Returns the resource of each id pattern; "" if several resources share it. */
export function idPatterns(tables: readonly Table[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { resource, columns } of tables) {
    const pattern = columns.find(({ name }) => name === "id")?.schema["pattern"];
    if (typeof pattern === "string") found.set(pattern, found.has(pattern) ? "" : resource);
  }
  return found;
}

/**
 * Returns the message of a violation; undefined for an unknown keyword. `ids`: the resource of each id pattern, empty for
 * several resources.
 */
export function violationMessage(
  keyword: string,
  params: Readonly<Record<string, unknown>>,
  ids: ReadonlyMap<string, string>,
): string | undefined {
  const limit = Number(params["limit"]);
  switch (keyword) {
    case "type":
      return `must be ${[params["type"]]
        .flat()
        .map((type) => typeTexts[String(type)] ?? String(type))
        .join(" or ")}`;
    case "format":
      return `must be ${formatTexts[String(params["format"])] ?? `of the format ${String(params["format"])}`}`;
    case "pattern":
      return patternText(String(params["pattern"]), ids);
    case "minimum":
    case "x-minimum":
      return `must be at least ${limit}`;
    case "maximum":
    case "x-maximum":
      return `must be at most ${limit}`;
    case "exclusiveMinimum":
      return `must be more than ${limit}`;
    case "exclusiveMaximum":
      return `must be less than ${limit}`;
    case "x-min-bytes":
      return `must have at least ${counted(limit, "byte")}`;
    case "x-max-bytes":
      return `must have at most ${counted(limit, "byte")}`;
    case "minLength":
      return `must have at least ${counted(limit, "character")}`;
    case "maxLength":
      return `must have at most ${counted(limit, "character")}`;
    case "minItems":
      return `must have at least ${counted(limit, "item")}`;
    case "maxItems":
      return `must have at most ${counted(limit, "item")}`;
    case "minProperties":
      return `must have at least ${counted(limit, "member")}`;
    case "maxProperties":
      return `must have at most ${counted(limit, "member")}`;
    case "uniqueItems":
      return "must not have the same item twice";
    default:
      return undefined;
  }
}

function patternText(pattern: string, ids: ReadonlyMap<string, string>): string {
  const resource = ids.get(pattern);
  if (resource !== undefined) return resource === "" ? "must be an id" : `must be the id of ${withArticle(resource)}`;
  return `must ${patternTexts[pattern] === undefined ? `match ${pattern}` : `be ${patternTexts[pattern]}`}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
