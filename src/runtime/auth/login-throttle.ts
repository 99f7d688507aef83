/**
 * Limits password guessing before a password is hashed (R5.7): ten failures a minute from one address, and ten for one name
 * from all addresses. Each attempt counts as a failure before it is verified and is refunded if it succeeds, so parallel
 * attempts cannot exceed the limit. If the limit is used up while other attempts are being verified, an attempt waits for
 * their outcome, so parallel logins with the correct password all succeed.
 *
 * Above the limit a correct password is rejected too; otherwise guessing would not be limited. The owner is not locked out:
 * the limit lasts a minute, an address from which the name has logged in before has ten failures of its own, and open sessions
 * stay valid.
 */
import { createHmac } from "node:crypto";
import { getOrMake } from "../../base/once.ts";
import { subscriberOf } from "../limits/limiter.ts";
import { refund, type Reservation } from "../limits/rate-limiter.ts";
import { ApiError } from "../errors/api-error.ts";
import { attempt as reserveAttempt, type FailureLimits } from "./failures.ts";
import { isHashingBusy } from "./password.ts";
import type { Attempt, LoginGuard } from "../context/login.ts";
import type { Value } from "../../expression/evaluate.ts";
import { idText } from "../context/caller.ts";

/** The most (name, address) pairs with a successful login that are remembered. */
const maximumKnown = 100_000;

/** Creates the guard of logins. `salt`: a secret, the same in all processes that share the counts. */
export function createLoginGuard(failures: FailureLimits, salt: string): LoginGuard {
  const fromAddress = failures("logins from an address");
  const forName = failures("logins of a name");
  const known = new Set<string>();
  // The counters contain HMACs, so that they reveal no names.
  const hashed = (...parts: readonly string[]) =>
    createHmac("sha256", salt).update(parts.join("\0")).digest("base64url");
  const countedBy = ({ credential, name, address }: Attempt): string => {
    const here = hashed(credential, name, subscriberOf(address));
    return known.has(here) ? here : hashed(credential, name);
  };
  /** The attempts in progress, by counter. */
  const active = new WeakMap<Reservation["bucket"], Set<Promise<unknown>>>();

  function begin(bucket: Reservation["bucket"], outcome: Promise<void>): void {
    getOrMake(active, bucket, () => new Set()).add(outcome);
  }

  /** Reserves a failure in each limit. If a limit is used up, waits for the attempts in progress, which may refund theirs. */
  async function admitted(attempt: Attempt, now: number, outcome: Promise<void>): Promise<readonly Reservation[]> {
    for (;;) {
      assertRoom();
      const wanted = [fromAddress(subscriberOf(attempt.address), now), forName(countedBy(attempt), now)];
      const reserved = await reserveAttempt(wanted, now);
      if ("reservations" in reserved) {
        // There is no `await` before this line, so that the next attempt finds this one in `active`.
        for (const { bucket } of reserved.reservations) begin(bucket, outcome);
        return reserved.reservations;
      }
      const others = reserved.full.map(({ bucket }) => [...(active.get(bucket) ?? [])]);
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
        if (isRight !== false) refund(reservations, now);
        for (const { bucket } of reservations) active.get(bucket)?.delete(outcome.promise);
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

/** Throws if too many logins wait to be hashed: hashing is slow on purpose, so the server rejects new logins then. */
export function assertRoom(): void {
  if (!isHashingBusy()) return;
  throw new ApiError("overloaded", { detail: "Too many logins at the moment", headers: ["Retry-After", "5"] });
}

/** Returns the name in a normal form (NFC) for the counters: keyboards differ in how they write `é`. */
export function nameText(name: Value): string {
  return (typeof name === "string" ? name : idText(name)).normalize("NFC");
}
