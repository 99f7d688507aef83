/**
 * Formats of text by their names in JSON Schema, each judged by its own standard: for what callers send, and for what the
 * document itself gives as a default.
 */
import { fullFormats } from "ajv-formats/dist/formats.js";
import { parseInstant } from "./clock.ts";

/** Made when they are first asked: each takes the runtime longer than checking a document does. */
let regions: Intl.DisplayNames | undefined;
let currencies: ReadonlySet<string> | undefined;
let timezones: ReadonlySet<string> | undefined;

export const textFormats: Readonly<Record<string, (text: string) => boolean>> = {
  /** RFC 3339 leaves the space instead of the T to those who agree on it; ISO 8601 has none. */
  "date-time": (text) => /^.{10}t/i.test(text) && parseInstant(text) !== undefined,
  date: standard("date"),
  duration: standard("duration"),
  email: standard("email"),
  /** An absolute address of the web. */
  uri: (text) => /^https?:\/\//i.test(text) && URL.canParse(text),
  uuid: standard("uuid"),
  hostname: standard("hostname"),
  ipv4: standard("ipv4"),
  ipv6: standard("ipv6"),
  /** Standard base 64 with padding (RFC 4648 section 4). */
  byte: (text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text),
  /** E.164. */
  phone: (text) => /^\+[1-9][0-9]{6,14}$/.test(text),
  /** ISO 3166-1 alpha-2. */
  country: isCountry,
  /** ISO 4217. */
  currency: isCurrency,
  /** BCP 47. */
  language: (text) => text !== "" && accepts(() => Intl.getCanonicalLocales(text)),
  /** A name of the IANA time zone database. */
  timezone: isTimezone,
};

/** How many bytes a text in base 64 stands for. */
export function bytesInBase64(text: string): number {
  return (text.length / 4) * 3 - (text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0);
}

/** Digits after the point of an amount in this currency (ISO 4217); 2 where that is not known. */
export function minorDigits(currency: string): number {
  if (!isCurrency(currency)) return 2;
  let digits = digitsOf.get(currency);
  if (digits === undefined) {
    digits = new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().maximumFractionDigits ?? 2;
    digitsOf.set(currency, digits);
  }
  return digits;
}

const digitsOf = new Map<string, number>();

/** Codes that name no country of today are not in the runtime's list of names. */
function isCountry(text: string): boolean {
  regions ??= new Intl.DisplayNames("en", { type: "region", fallback: "none" });
  return /^[A-Z]{2}$/.test(text) && text !== "ZZ" && text !== "EU" && regions.of(text) !== undefined;
}

function isCurrency(text: string): boolean {
  currencies ??= new Set(Intl.supportedValuesOf("currency"));
  return currencies.has(text);
}

/** Names of today are listed; others that mean the same are known to what formats dates alone, which takes long to make. */
function isTimezone(text: string): boolean {
  timezones ??= new Set(Intl.supportedValuesOf("timeZone"));
  if (timezones.has(text)) return true;
  return /^[A-Za-z][\w+/-]*$/.test(text) && accepts(() => Intl.DateTimeFormat("en", { timeZone: text }));
}

/** A format of the library that judges the formats of JSON Schema itself. */
function standard(
  name: "date" | "duration" | "email" | "hostname" | "ipv4" | "ipv6" | "uuid",
): (text: string) => boolean {
  const format: unknown = fullFormats[name];
  if (format instanceof RegExp) return (text) => format.test(text);
  const { validate } = format as { validate: (text: string) => boolean };
  return validate;
}

function accepts(ask: () => unknown): boolean {
  try {
    ask();
    return true;
  } catch {
    return false;
  }
}

/** The keyword of a schema for where a file is sent: in a form, or by itself. Its value says what the file may be. */
export const fileKeyword = "x-file";
