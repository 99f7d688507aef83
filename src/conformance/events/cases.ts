/** What clients can observe of part 6: outgoing events by webhook and by stream, and incoming events. */
import type { PartCases } from "../case.ts";
import type { Contract } from "../contract.ts";
import { incomingCases } from "./incoming-cases.ts";
import { outgoingCases } from "./outgoing-cases.ts";
import { retryCases } from "./retry-cases.ts";
import { streamCases } from "./stream-cases.ts";
import { webhookCases } from "./webhook-cases.ts";

export function eventCases(contract: Contract): PartCases {
  const all = [outgoingCases, webhookCases, retryCases, streamCases, incomingCases].map((derive) => derive(contract));
  return { cases: all.flatMap(({ cases }) => cases), unobservable: all.flatMap((one) => one.unobservable) };
}
