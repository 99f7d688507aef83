/**
 * Formats of text by their names in JSON Schema, each checked against its own standard: for what callers send, and for what the
 * document itself gives as a default.
 */
import { fullFormats } from "ajv-formats/dist/formats.js";
import { isDate, parseInstant } from "./clock.ts";
import { currencyDigits } from "./currency-codes.ts";
import { isZone } from "./timezone-names.ts";

export const textFormats: Readonly<Record<string, (text: string) => boolean>> = {
  /** The T is required: RFC 3339 allows a space only by agreement, and ISO 8601 does not. */
  "date-time": (text) => /^.{10}t/i.test(text) && parseInstant(text) !== undefined,
  date: isDate,
  duration: standard("duration"),
  email: standard("email"),
  /** An absolute HTTP or HTTPS URL. */
  uri: (text) => /^https?:\/\//i.test(text) && URL.canParse(text),
  uuid: standard("uuid"),
  hostname: standard("hostname"),
  ipv4: standard("ipv4"),
  ipv6: standard("ipv6"),
  /** Whether the text is standard base 64 with padding (RFC 4648 section 4). */
  byte: isBase64,
  /** The format of E.164. */
  phone: (text) => /^\+[1-9][0-9]{6,14}$/.test(text),
  /** A code of ISO 3166-1 alpha-2. */
  country: (text) => countryCodes.has(text),
  /** A code of ISO 4217. */
  currency: (text) => currencyDigits.has(text),
  /** Well-formed by BCP 47 (RFC 5646 section 2.1), whether or not its subtags are registered. */
  language: isLanguage,
  /** A name of the IANA time zone database. */
  timezone: isZone,
};

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

/** The pattern of the format `byte`, for validators that do not know it. */
export const base64Pattern = "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$";

/** Returns the number of bytes that a base 64 text encodes. */
export function bytesInBase64(text: string): number {
  return (text.length / 4) * 3 - (text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0);
}

/** Returns the number of decimal digits of an amount in this currency (ISO 4217); 2 for an unknown currency. */
export function minorDigits(currency: string): number {
  return currencyDigits.get(currency) ?? 2;
}

const languageTag = new RegExp(
  [
    "^(?:[a-z]{2,3}(?:-[a-z]{3}){0,3}|[a-z]{4,8})", // language and extended language
    "(?:-[a-z]{4})?", // script
    "(?:-(?:[a-z]{2}|[0-9]{3}))?", // region
    "((?:-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*)", // variants
    "((?:-[a-wy-z0-9](?:-[a-z0-9]{2,8})+)*)", // extensions
    "(?:-x(?:-[a-z0-9]{1,8})+)?$", // private use
  ].join(""),
  "i",
);

/**
 * Whether the text is a well-formed language tag. A variant, or the letter of an extension, may appear only once (section
 * 2.2).
 */
function isLanguage(text: string): boolean {
  const found = languageTag.exec(text);
  if (found === null) return false;
  const [variants = "", extensions = ""] = found.slice(1).map((part) => part.toLowerCase());
  const letters = extensions.match(/-[a-z0-9](?=-)/g) ?? [];
  return [variants.split("-").slice(1), letters].every((parts) => new Set(parts).size === parts.length);
}

/** Returns the validator of a format, as the library ajv-formats implements it. */
function standard(name: "duration" | "email" | "hostname" | "ipv4" | "ipv6" | "uuid"): (text: string) => boolean {
  const format: unknown = fullFormats[name];
  if (format instanceof RegExp) return (text) => format.test(text);
  const { validate } = format as { validate: (text: string) => boolean };
  return validate;
}

/**
 * The schema keyword that marks a file, which is sent in a form or as the whole body. Its value has the allowed sizes and
 * media types.
 */
export const fileKeyword = "x-file";

/**
 * The 249 officially assigned codes of ISO 3166-1 alpha-2, as of 2026-01-01, without reserved, withdrawn and private-use
 * codes.
 */
const codes = `
  AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT
  BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH
  ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT
  HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS
  LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI
  NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG
  SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG
  UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW
`;

export const countryCodes: ReadonlySet<string> = new Set(codes.trim().split(/\s+/));
