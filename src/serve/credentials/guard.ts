/**
 * Passwords can be guessed, so they are limited before they are looked at (R5.7): ten failures in a minute from one address,
 * and ten for one name, wherever they come from. Unlike keys, of which nobody guesses one, a right password in that minute is
 * refused as well, or guessing would not be limited at all. The owner is not locked out by that: what holds is a minute, an
 * address from which the name has logged in before has ten failures of its own, and sessions go on.
 */
import { createHmac } from "node:crypto";
import { subscriberOf } from "../address.ts";
import { Refusal } from "../refusal.ts";
import type { FailureLimits } from "./failures.ts";
import { isHashingBusy } from "./password.ts";

export interface Attempt {
  readonly credential: string;
  readonly name: string;
  /** The peer's. */
  readonly address: string;
}

export interface LoginGuard {
  /** Refuses one that comes too soon. */
  admit(attempt: Attempt, now: number): void;
  failed(attempt: Attempt, now: number): void;
  succeeded(attempt: Attempt): void;
}

/** So many names are remembered with the addresses that they have logged in from. */
const maximumKnown = 100_000;

/** `salt`: the same for all processes that count failures together, and known to nobody else. */
export function createLoginGuard(failures: FailureLimits, salt: string): LoginGuard {
  const fromAddress = failures("logins from an address");
  const forName = failures("logins of a name");
  const known = new Set<string>();
  // Names are in no table: what they are counted by cannot be turned back.
  const hashed = (...parts: readonly string[]) =>
    createHmac("sha256", salt).update(parts.join("\0")).digest("base64url");
  const countedBy = ({ credential, name, address }: Attempt): string => {
    const here = hashed(credential, name, subscriberOf(address));
    return known.has(here) ? here : hashed(credential, name);
  };
  return {
    admit(attempt, now) {
      assertRoom();
      const wait = Math.max(
        fromAddress.waitSeconds(subscriberOf(attempt.address), now),
        forName.waitSeconds(countedBy(attempt), now),
      );
      if (wait === 0) return;
      throw new Refusal("rate-limited", {
        detail: "Too many failed logins from this address, or for this name",
        headers: ["Retry-After", String(wait)],
      });
    },
    failed(attempt, now) {
      fromAddress.note(subscriberOf(attempt.address), now);
      forName.note(countedBy(attempt), now);
    },
    succeeded({ credential, name, address }) {
      if (known.size >= maximumKnown) known.delete(known.values().next().value as string);
      known.add(hashed(credential, name, subscriberOf(address)));
    },
  };
}

/** Hashing takes its time on purpose: where too many wait for it, nobody more is made to. */
export function assertRoom(): void {
  if (!isHashingBusy()) return;
  throw new Refusal("overloaded", { detail: "Too many are logging in at the moment", headers: ["Retry-After", "5"] });
}
