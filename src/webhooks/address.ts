/**
 * Decides to which addresses webhooks may be sent (R6.11, R6.12; OWASP API7): public ones with https. A name is checked at its
 * registration; its resolved addresses are checked at each connection, which uses exactly those addresses (no DNS rebinding).
 */
import type { LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";

export interface AddressRules {
  /** Whether http to this machine is allowed, for development and tests. */
  readonly loopback: boolean;
}

/** A regular expression for names of internal hosts, whatever DNS returns for them. */
const inside =
  /^(?:localhost|.*\.(?:localhost|local|internal|localdomain|home\.arpa|lan|intranet|corp|home|private))$/i;
const metadataNames = new Set(["metadata", "metadata.google.internal", "instance-data", "kubernetes.default.svc"]);

/** Returns why the address is not allowed, as the end of a sentence that begins with `url`; undefined if it is allowed. */
export function addressProblem(text: string, rules: AddressRules): string | undefined {
  if (text.length > 2048) return "must have at most 2048 characters";
  // The URL parser drops tabs and line breaks and corrects backslashes, so the stored text would differ from the checked one.
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

/** Returns the host without the brackets of IPv6. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}

function isLoopback(host: string): boolean {
  return host === "localhost" || (ipaddr.isValid(host) && ipaddr.parse(host).range() === "loopback");
}

/**
 * Whether an address is public. `ipaddr.js` reports IPv4-compatible addresses (`::7f00:1`) as unicast, and tunnelled addresses as
 * their tunnel's range: neither is public.
 */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== "unicast") return false;
  return parsed.kind() === "ipv4" || !notPublic.some((range) => parsed.match(range));
}

/**
 * Ranges that are not public: IPv4-compatible, local NAT64, ORCHIDv2, SRv6, and unallocated ranges (only 2000::/3 is
 * allocated).
 */
const notPublic = ["::/96", "64:ff9b:1::/48", "2001:20::/28", "5f00::/16", "0::/3", "4000::/2", "8000::/1"].map(
  (range) => ipaddr.parseCIDR(range),
);

/** A resolver of names, like `dns.lookup` with `all`. */
export type Resolve = (
  name: string,
  done: (error: Error | null, addresses?: readonly { readonly address: string; readonly family: number }[]) => void,
) => void;

/** Returns the DNS lookup of a connection: all addresses of the name must be allowed; Node tries them in order. */
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
