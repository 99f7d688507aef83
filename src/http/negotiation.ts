/** Parses content negotiation headers: Accept, Accept-Encoding, Content-Type, Content-Encoding (R4.4, R4.5). */

/** Returns the quality of `offered` (`type/subtype`) in an Accept field, from 0 to 1; 1 if there is no field. */
export function acceptQuality(field: string | undefined, offered: string): number {
  if (field === undefined || field === "*/*" || field === "" || field === offered) return 1;
  const [type] = offered.split("/");
  let best = { precision: -1, quality: 0 };
  for (const range of field.split(",")) {
    const [name = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const precision = name === offered ? 2 : name === `${type}/*` ? 1 : name === "*/*" ? 0 : -1;
    if (precision > best.precision) best = { precision, quality: qualityOf(parameters) };
  }
  return best.quality;
}

/** The range of all media types with the suffix `+json` (RFC 6839, section 3.1). */
export const anyJson = "application/*+json";

export function matchesJson(essence: string): boolean {
  return /^application\/[^/*]+\+json$/.test(essence);
}

/** A media type that a caller may accept, and the media type of the response if it is another one. */
export interface Offer {
  readonly type: string;
  readonly as?: string;
}

/**
 * Returns the media type of the response: of the first offer with the highest quality in an Accept field; undefined if the
 * field accepts none (RFC 9110, section 12.5.1).
 */
export function negotiateMedia(field: string | undefined, offers: readonly Offer[]): string | undefined {
  let best = { quality: 0, media: undefined as string | undefined };
  for (const { type, as } of offers) {
    for (const name of type === anyJson ? jsonIn(field) : [type]) {
      const quality = acceptQuality(field, name);
      if (quality > best.quality) best = { quality, media: as ?? name };
    }
  }
  return best.media;
}

/** Returns the media types with the suffix `+json` that an Accept field names; `application/json` for `*` and no field. */
function jsonIn(field: string | undefined): readonly string[] {
  const named = (field ?? "").split(",").map((range) => (range.split(";")[0] ?? "").trim().toLowerCase());
  const matching = named.filter(matchesJson);
  return matching.length === 0 ? ["application/json"] : matching;
}

/** Returns the content coding that the client prefers: `br`, `gzip` or none. */
export function chooseEncoding(field: string | undefined): "br" | "gzip" | undefined {
  if (field === undefined) return undefined;
  const qualities = new Map<string, number>();
  for (const item of field.split(",")) {
    const [name = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase());
    qualities.set(name, qualityOf(parameters));
  }
  const quality = (name: string) => qualities.get(name) ?? qualities.get("*") ?? 0;
  if (quality("br") > 0 && quality("br") >= quality("gzip")) return "br";
  return quality("gzip") > 0 ? "gzip" : undefined;
}

function qualityOf(parameters: readonly string[]): number {
  const q = parameters.find((parameter) => parameter.startsWith("q="));
  if (q === undefined) return 1;
  const value = Number(q.slice(2));
  return value >= 0 && value <= 1 ? value : 0;
}

export interface MediaType {
  /** The media type `type/subtype` in lower case. */
  readonly essence: string;
  readonly charset?: string;
}

/** Parses a Content-Type field; undefined if it is invalid. */
export function parseMediaType(field: string): MediaType | undefined {
  const [essence = "", ...parameters] = field.split(";").map((part) => part.trim());
  if (!/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(essence)) return undefined;
  const charset = parameters
    .find((parameter) => /^charset=/i.test(parameter))
    ?.slice(8)
    .replaceAll('"', "")
    .toLowerCase();
  return { essence: essence.toLowerCase(), ...(charset === undefined ? {} : { charset }) };
}
