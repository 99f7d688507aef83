/**
 * Reads the header fields RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers-10). A document does not ask for them,
 * but if they are there they have to be true.
 */
import type { Response } from "../interaction.ts";
import type { RateLine } from "./rate-lines.ts";

/** Returns how many requests remain by the item that describes this line; undefined if there is none, or more than one. */
export function remainingOf({ headers }: Response, { capacity, policyMilliseconds }: RateLine): number | undefined {
  const seconds = Math.ceil(policyMilliseconds / 1000);
  const names = itemsIn(headers["ratelimit-policy"]).filter(({ q, w }) => q === capacity && w === seconds);
  if (names.length !== 1) return undefined;
  return itemsIn(headers["ratelimit"]).find(({ name }) => name === names[0]?.name)?.r;
}

/** Returns how many requests the server itself says that a line of about this length admits. */
export function quotaOf({ headers }: Response, { capacity, policyMilliseconds }: RateLine): number | undefined {
  const seconds = Math.ceil(policyMilliseconds / 1000);
  const quotas = itemsIn(headers["ratelimit-policy"]).filter(({ w }) => w === seconds);
  if (quotas.some(({ q }) => q === capacity)) return undefined;
  return quotas.find(({ q = 0 }) => q > capacity)?.q;
}

interface Item {
  readonly name: string;
  readonly q?: number;
  readonly w?: number;
  readonly r?: number;
}

/** Returns the items of a list of strings with integer parameters (RFC 9651). */
function itemsIn(field: string | undefined): readonly Item[] {
  const items = field?.match(/"(?:[^"\\]|\\.)*"(?:\s*;\s*[a-z]+=[^;,\s]+)*/g) ?? [];
  return items.map((item) => {
    const name = /^"(?:[^"\\]|\\.)*"/.exec(item)?.[0] ?? "";
    const parameters = [...item.slice(name.length).matchAll(/;\s*([qwr])=(\d+)/g)];
    return { name, ...Object.fromEntries(parameters.map(([, key = "", value]) => [key, Number(value)])) };
  });
}
