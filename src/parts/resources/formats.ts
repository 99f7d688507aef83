/**
 * Whether a text is a value of a scalar type that is written as text: the standards that the names of the types stand for.
 * Each says no only where the server would refuse the value as well.
 */
import { canonicalInstant, isDate } from "../../base/clock.ts";
import type { ScalarName } from "./model.ts";

const formats: Partial<Record<ScalarName, (text: string) => boolean>> = {
  date: isDate,
  datetime: (text) => canonicalInstant(text) !== undefined,
  /** RFC 3339, `full-time`. */
  time: (text) => /^(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:z|[+-]\d\d(?::?\d\d)?)$/i.test(text),
  /** ISO 8601, as on the wire. */
  duration: (text) => /^P(?!$)(?:\d+W|(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+S)?)?)$/.test(text),
  email: (text) => /^[^\s@]+@[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i.test(text),
  url: (text) => /^[a-z][a-z0-9+.-]*:/i.test(text) && URL.canParse(text),
  uuid: (text) => /^(?:urn:uuid:)?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text),
  /** Standard base 64 with padding (RFC 4648 section 4). */
  bytes: (text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text),
  /** E.164. */
  phone: (text) => /^\+[1-9][0-9]{6,14}$/.test(text),
  country: (text) => /^[A-Z]{2}$/.test(text) && text !== "ZZ" && text !== "EU" && regions.of(text) !== undefined,
  currency: (text) => Intl.supportedValuesOf("currency").includes(text),
  language: (text) => accepts(() => Intl.getCanonicalLocales(text)) && text !== "",
  timezone: (text) => /^[A-Za-z][\w+/-]*$/.test(text) && accepts(() => Intl.DateTimeFormat("en", { timeZone: text })),
};

/** Codes by ISO 3166-1 alpha-2 that name no country of today are not in the runtime's list of names. */
const regions = new Intl.DisplayNames("en", { type: "region", fallback: "none" });

/** True for the types without a format of their own. */
export function isOfFormat(name: ScalarName, text: string): boolean {
  return formats[name]?.(text) ?? true;
}

function accepts(ask: () => unknown): boolean {
  try {
    ask();
    return true;
  } catch {
    return false;
  }
}
