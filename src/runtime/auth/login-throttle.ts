/**
 * Passwords can be guessed, so attempts are limited before a password is hashed (R5.7): ten failures in a minute from one
 * address, and ten for one name, wherever they come from. An attempt is counted as a failure before it is verified and refunded
 * where it was none, so that any number of attempts at once are no more than one after another. One that finds the limit full
 * while others are being verified waits for their outcome: parallel logins with the right password all pass.
 *
 * Unlike keys, of which nobody guesses one, a right password in that minute is refused as well, or guessing would not be limited
 * at all. The owner is not locked out by that: what holds is a minute, an address from which the name has logged in before has
 * ten failures of its own, and sessions go on.
 */
import { createHmac } from "node:crypto";
import { subscriberOf } from "../limits/limiter.ts";
import type { Reservation } from "../limits/reservation.ts";
import { ApiError } from "../errors/api-error.ts";
import { attempt as reserveAttempt, type FailureLimits, noFailure } from "./failures.ts";
import { isHashingBusy } from "./password.ts";
import type { Attempt, LoginGuard } from "../context/login.ts";
import type { Value } from "../../expression/evaluate.ts";
import { idText } from "../context/caller.ts";

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
  /** The attempts under way, by the place that counts them. */
  const active = new WeakMap<Reservation["bucketRef"], Set<Promise<unknown>>>();

  function begin(bucketRef: Reservation["bucketRef"], outcome: Promise<void>): void {
    const others = active.get(bucketRef);
    if (others === undefined) active.set(bucketRef, new Set([outcome]));
    else others.add(outcome);
  }

  /** Reserves a failure, once none of those that might be refunded is under way. */
  async function admitted(attempt: Attempt, now: number, outcome: Promise<void>): Promise<readonly Reservation[]> {
    for (;;) {
      assertRoom();
      const wanted = [fromAddress(subscriberOf(attempt.address), now), forName(countedBy(attempt), now)];
      const reserved = await reserveAttempt(wanted, now);
      if ("reservations" in reserved) {
        // At once: an attempt that is answered next finds this one under way.
        for (const { bucketRef } of reserved.reservations) begin(bucketRef, outcome);
        return reserved.reservations;
      }
      const others = reserved.full.map(({ bucketRef }) => [...(active.get(bucketRef) ?? [])]);
      if (others.some((some) => some.length === 0)) {
        throw new ApiError("rate-limited", {
          detail: "Too many failed logins from this address or for this name",
          headers: ["Retry-After", String(reserved.waitSeconds)],
        });
      }
      await Promise.race(others.flat());
    }
  }

  return {
    async verified(attempt, now, verify) {
      const outcome = Promise.withResolvers<void>();
      const reservations = await admitted(attempt, now, outcome.promise);
      let isRight: boolean | undefined;
      try {
        assertRoom();
        isRight = await verify();
      } finally {
        if (isRight !== false) noFailure(reservations, now);
        for (const { bucketRef } of reservations) active.get(bucketRef)?.delete(outcome.promise);
        outcome.resolve();
      }
      if (isRight) {
        if (known.size >= maximumKnown) known.delete(known.values().next().value as string);
        known.add(hashed(attempt.credential, attempt.name, subscriberOf(attempt.address)));
      }
      return isRight;
    },
  };
}

/** Hashing takes its time on purpose: where too many wait for it, nobody more is made to. */
export function assertRoom(): void {
  if (!isHashingBusy()) return;
  throw new ApiError("overloaded", { detail: "Too many logins at the moment", headers: ["Retry-After", "5"] });
}

/** What names are counted by: keyboards differ in how they write `é`. */
export function nameText(name: Value): string {
  return (typeof name === "string" ? name : idText(name)).normalize("NFC");
}
