/**
 * Mutants of which the cases of their own part do not catch the mistake although somebody could notice it, with the reason. The test of the score fails for a
 * missed mutant that is not here, and for one that is here although it is caught: so the list only becomes shorter.
 */

/** Mutants of which the tester catches some and misses others, by the form of their `document: mutant`. */
export const mayBeMissed: readonly (readonly [RegExp, reason: string])[] = [
  [
    /^(?:todo-backend|service-broker|hotel-bookings): limits\/rate(?:\/(?:all|anyone)\b.*)?: /,
    "the limit is 6,000 requests, and the test sends at most 2,000 for one limit",
  ],
  [
    /^parcel-lockers: limits\/quota\/announceParcel/,
    "the quota is 5,000 parcels, and the test makes at most 500 records for one quota",
  ],
  [/^courier-rates: limits\/keep(?:\/Day|: )/, "each credential of the test ends years before a day is deleted"],
  [
    /^[\w-]+: resources\/\w+\/(?:created|updated)At\/marks: with unique$/,
    "two requests get the same millisecond by chance alone, and the slower the service, the less often",
  ],
  [
    /^courier-rates: resources\/Day\/\w+(?:: without(?: all of it)?|\/marks: with unique)$/,
    "a function makes the days, and fails for such a field: a list without days is what the document allows",
  ],
  [/^courier-rates: resources\/Day\/invoices\/type\/max: 999999/, "nobody makes a million invoices for a test"],
  [
    /^service-broker: states\/ServiceInstance\/moves\/ready -> updating\/set\//,
    "only a second provision with other values shows what an update has stored",
  ],
  [
    /^service-broker: states\/ServiceInstance\/moves\/\w+ -> \w+\/on\/duration: 0s for 1s$/,
    "no response names the state, and what lastOperation computes from it is the same for several",
  ],
  [/^service-broker: limits\/keep(?:\/ServiceInstance|: )/, "no operation shows an instance after it is gone"],
  [
    /^conduit: authentication\/credentials\/session\/revoked/,
    "no response shows the id of a user, which a revocation needs",
  ],
  [/^authentication: authentication\/credentials\/jwks$/, "only the issuer signs such tokens, and lends the test none"],
  [
    /^card-payments: states\/PaymentIntent\/moves\/open -> succeeded\/[01]\/if: (?!.*'manual'.* for )(?:confirm && )?payment_method != null/,
    "a payment whose capture is manual has made the transition above, which the same operation makes",
  ],
  [
    /^hotel-bookings: authentication\/credentials\/basic\/name/,
    "the operator makes the users, and lends the test their credentials as the service takes them",
  ],
  [
    /^conduit: resources\/views\/Profile\/following\/computed: Follow\.exists\(f, f\.follower == caller\.id\)/,
    "the test reads no profile of a third user while it follows somebody",
  ],
  [
    /^service-broker: versioning\/policy\/unknown\/error/,
    "the bodies differ in a member that the stated one does not exclude",
  ],
  [
    /^service-broker: endpoints\/endpoints\/\w+\/query\/(?:operation: without$|\w+\/type\/(?:max: [79]9|min: 2) for )/,
    "errors name no parameter, and a service may reject a value of it for a reason of its own",
  ],
];

/** Returns why the tester may miss a mutant; undefined if it must not. */
export function whyMayBeMissed(name: string): string | undefined {
  return mayBeMissed.find(([form]) => form.test(name))?.[1];
}

/** By `document: mutant`, why the tester misses it. */
export const missed: Readonly<Record<string, string>> = {};
