/** Forwarded fields count only from proxies that the operator named (R1.7). */
import { BlockList, isIPv6 } from "node:net";
import type { RequestHeaders } from "./exchange.ts";

export interface Forwarding {
  /** Who really sends, and whether the caller's own hop was plain HTTP behind a trusted proxy. */
  peer(address: string, headers: RequestHeaders): { readonly address: string; readonly insecure: boolean };
}

/** `proxies`: addresses or networks (`10.0.0.0/8`) whose word is taken. */
export function createForwarding(proxies: readonly string[]): Forwarding {
  if (proxies.length === 0) return { peer: (address) => ({ address, insecure: false }) };
  const trusted = new BlockList();
  for (const proxy of proxies) {
    const [address = "", bits] = proxy.split("/");
    const family = isIPv6(address) ? "ipv6" : "ipv4";
    if (bits === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(bits), family);
  }
  const isTrusted = (address: string) =>
    trusted.check(plainAddress(address), isIPv6(plainAddress(address)) ? "ipv6" : "ipv4");
  return {
    peer(address, headers) {
      if (!isTrusted(address)) return { address, insecure: false };
      const hops = (headers.get("x-forwarded-for") ?? "")
        .split(",")
        .map((hop) => hop.trim())
        .filter((hop) => hop !== "");
      const sender = hops.toReversed().find((hop) => !isTrusted(hop)) ?? hops[0] ?? address;
      return { address: sender, insecure: headers.get("x-forwarded-proto")?.toLowerCase() === "http" };
    },
  };
}

function plainAddress(address: string): string {
  return address.startsWith("::ffff:") ? address.slice(7) : address;
}
