/** The service by hand, for the same store: with keys it keeps what `nonet-more` keeps of an answer, and no events, rates or quotas. */
import { documented } from "./documented.ts";
import type { Peer } from "./peer.ts";

export function handwritten(withKeys: boolean): Peer {
  return {
    stores: ["postgres"],
    differs: [
      "who calls is verified once (caller.mjs); no journal, events, rates, quotas, ETags, pages after the first or versions",
      ...(withKeys ? ["keeps the answer of each POST under its Idempotency-Key, in the transaction of its work"] : []),
    ],
    serve: (port, data) => ["bench/peers/handwritten/main.mjs", `${port}`, data],
    ...documented("/parcels", withKeys ? "by-hand" : undefined),
  };
}
