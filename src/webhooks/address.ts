/**
 * Which addresses webhooks may be sent to (R6.11, R6.12; OWASP API7): public ones by https. A name is judged when it is
 * registered, and again by what it resolves to at each connection, which then goes to exactly the address that was judged.
 */
import type { LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";

export interface AddressRules {
  /** Whether http to this machine itself is allowed: for development and tests. */
  readonly loopback: boolean;
}

/** Names that lead inside, whatever a resolver says. */
const inside =
  /^(?:localhost|.*\.(?:localhost|local|internal|localdomain|home\.arpa|lan|intranet|corp|home|private))$/i;
const metadataNames = new Set(["metadata", "metadata.google.internal", "instance-data", "kubernetes.default.svc"]);

/** Why events cannot be sent there, as the end of a sentence that begins with `url`; undefined: they can. */
export function addressProblem(text: string, rules: AddressRules): string | undefined {
  if (text.length > 2048) return "must have at most 2048 characters";
  // The parser drops tabs and line breaks and mends backslashes: what is kept would not be what was judged.
  if (/[\s\\\u0000-\u001f]/.test(text)) return "must not have blanks or backslashes in it";
  if (!URL.canParse(text)) return "must be an absolute https address";
  const url = new URL(text);
  const here = rules.loopback && isLoopback(hostOf(url));
  if (url.protocol !== "https:" && !(here && url.protocol === "http:")) return "must be an https address";
  if (url.username !== "" || url.password !== "") return "must not have a user or a password in it";
  if (text.includes("#")) return "must not have a fragment";
  if (here) return undefined;
  const port = url.port === "" ? 443 : Number(url.port);
  if (port !== 443 && port <= 1023) return "must have port 443, or one above 1023";
  return hostProblem(hostOf(url));
}

function hostProblem(host: string): string | undefined {
  if (ipaddr.isValid(host)) return isPublic(host) ? undefined : "must be a public address";
  const name = host.replace(/\.$/, "");
  const known = !name.includes(".") || inside.test(name) || metadataNames.has(name.toLowerCase());
  return known ? "must be a public name" : undefined;
}

/** The host of an address without the brackets of IPv6. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}

function isLoopback(host: string): boolean {
  return host === "localhost" || (ipaddr.isValid(host) && ipaddr.parse(host).range() === "loopback");
}

/**
 * Whether an address is of the public internet. `ipaddr.js` calls IPv4-compatible addresses (`::7f00:1`) unicast, and
 * what is tunnelled in IPv6 by its tunnel: none of them is one.
 */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== "unicast") return false;
  return parsed.kind() === "ipv4" || !notPublic.some((range) => parsed.match(range));
}

/** IPv4-compatible, NAT64 for local use, ORCHIDv2, SRv6, and whatever is not yet given out (only 2000::/3 is). */
const notPublic = ["::/96", "64:ff9b:1::/48", "2001:20::/28", "5f00::/16", "0::/3", "4000::/2", "8000::/1"].map(
  (range) => ipaddr.parseCIDR(range),
);

/** A resolver, as `dns.lookup` with `all`: with an error it gives no addresses. */
export type Resolve = (
  name: string,
  done: (error: Error | null, addresses?: readonly { readonly address: string; readonly family: number }[]) => void,
) => void;

/** The look-up of a connection: every address of the name must be allowed, and they are gone to one after another. */
export function guardedLookup(resolve: Resolve, rules: AddressRules): LookupFunction {
  return (name, options, callback) => {
    resolve(name, (error, addresses = []) => {
      const allowed = ({ address }: { readonly address: string }): boolean =>
        isPublic(address) || (rules.loopback && isLoopback(name) && isLoopback(address));
      const [first] = addresses;
      if (error || first === undefined) callback(error ?? new Error(`${name} has no address`), "", 0);
      else if (!addresses.every(allowed)) callback(new BlockedAddress(name), "", 0);
      else if (options.all === true)
        callback(null, addresses.map((one) => ({ ...one }))); // biome-ignore format: short
      else callback(null, first.address, first.family);
    });
  };
}

export class BlockedAddress extends Error {
  constructor(name: string) {
    super(`${name} is not a public address`);
  }
}
