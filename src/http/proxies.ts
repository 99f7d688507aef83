/** Reads forwarded fields, only from proxies that the operator trusts (R1.7). */
import { BlockList, isIP, isIPv6 } from "node:net";
import type { RequestHeaders } from "./message.ts";

export interface Forwarding {
  peer(address: string, headers: RequestHeaders): Peer;
}

export interface Peer {
  /** The client's IP address. */
  readonly address: string;
  /** Whether a trusted proxy reports plain HTTP on any hop (`insecure`), or TLS on all (`secure`). */
  readonly insecure: boolean;
  readonly secure: boolean;
}

/** Creates the reader. `proxies`: trusted addresses or networks (`10.0.0.0/8`). */
export function createForwarding(proxies: readonly string[]): Forwarding {
  if (proxies.length === 0) return { peer: direct };
  const trusted = new BlockList();
  for (const proxy of proxies) {
    const [address = "", bits] = proxy.split("/");
    const family = isIPv6(address) ? "ipv6" : "ipv4";
    if (bits === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(bits), family);
  }
  const isTrusted = (address: string) => trusted.check(address, isIPv6(address) ? "ipv6" : "ipv4");
  return {
    peer(address, headers) {
      if (!isTrusted(plainAddress(address))) return direct(address);
      const schemes = items(headers.get("x-forwarded-proto"));
      const insecure = schemes.some((scheme) => scheme.toLowerCase() === "http");
      const secure = !insecure && schemes.some((scheme) => scheme.toLowerCase() === "https");
      return { address: senderOf(address, items(headers.get("x-forwarded-for")), isTrusted), insecure, secure };
    },
  };
}

function direct(address: string): Peer {
  return { address, insecure: false, secure: false };
}

/** Returns the last hop that is no trusted proxy. An invalid address ends the search, because no proxy wrote it. */
function senderOf(peer: string, hops: readonly string[], isTrusted: (address: string) => boolean): string {
  let sender = peer;
  for (const hop of hops.toReversed()) {
    const address = hopAddress(hop);
    if (isIP(address) === 0) return sender;
    sender = address;
    if (!isTrusted(address)) return sender;
  }
  return sender;
}

/** Returns the address of a hop without its port: `192.0.2.1:8080` and `[2001:db8::1]:8080`. */
function hopAddress(hop: string): string {
  return plainAddress(/^\[([^\]]*)\](?::\d+)?$/.exec(hop)?.[1] ?? /^([\d.]+):\d+$/.exec(hop)?.[1] ?? hop);
}

function items(field: string | undefined): readonly string[] {
  return (field ?? "")
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

function plainAddress(address: string): string {
  return address.startsWith("::ffff:") ? address.slice(7) : address;
}
