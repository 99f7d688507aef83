/** The formats that field types name in their JSON Schemas, each judged by its own standard. */
import type { Format } from "ajv";
import { fullFormats } from "ajv-formats/dist/formats.js";
import { canonicalInstant } from "../base/clock.ts";

/** Codes by ISO 3166-1 alpha-2 that name no country of today are not in the runtime's list of names. */
const regions = new Intl.DisplayNames("en", { type: "region", fallback: "none" });
let currencies: ReadonlySet<string> | undefined;

export const formats: Readonly<Record<string, Format>> = {
  /** RFC 3339 leaves the space instead of the T to those who agree on it; ISO 8601 has none. */
  "date-time": (text: string) => /^.{10}t/i.test(text) && canonicalInstant(text) !== undefined,
  date: fullFormats["date"] as Format,
  time: fullFormats["time"] as Format,
  duration: fullFormats["duration"] as Format,
  /** A number that fifteen significant digits hold, so that it comes back as it was sent. */
  decimal: { type: "number", validate: (value: number) => Number(value.toPrecision(15)) === value },
  email: fullFormats["email"] as Format,
  /** An absolute address of the web. */
  uri: (text: string) => /^https?:\/\//i.test(text) && URL.canParse(text),
  uuid: fullFormats["uuid"] as Format,
  /** Standard base 64 with padding (RFC 4648 section 4). */
  byte: (text: string) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text),
  /** E.164. */
  phone: (text: string) => /^\+[1-9][0-9]{6,14}$/.test(text),
  /** ISO 3166-1 alpha-2. */
  country: (text: string) =>
    /^[A-Z]{2}$/.test(text) && regions.of(text) !== undefined && text !== "ZZ" && text !== "EU",
  /** ISO 4217. */
  currency: (text: string) => (currencies ??= new Set(Intl.supportedValuesOf("currency"))).has(text),
  /** BCP 47. */
  language: (text: string) => isLanguage(text),
  /** A name of the IANA time zone database. */
  timezone: (text: string) => isTimeZone(text),
};

/** Digits after the point of an amount in this currency (ISO 4217); 2 where that is not known. */
export function minorDigits(currency: string): number {
  let digits = digitsOf.get(currency);
  if (digits === undefined) {
    const known = formats["currency"] as (text: string) => boolean;
    digits = known(currency)
      ? (new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().maximumFractionDigits ?? 2)
      : 2;
    if (known(currency)) digitsOf.set(currency, digits);
  }
  return digits;
}

const digitsOf = new Map<string, number>();

function isLanguage(text: string): boolean {
  try {
    return text !== "" && Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}

function isTimeZone(text: string): boolean {
  if (!/^[A-Za-z][\w+/-]*$/.test(text)) return false;
  try {
    Intl.DateTimeFormat("en", { timeZone: text });
    return true;
  } catch {
    return false;
  }
}
