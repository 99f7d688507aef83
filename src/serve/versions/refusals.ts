/**
 * A refusal in the words of the version that it is told in: pointers, the names in its sentences, its members (R7.2). Its code
 * is brought down where it becomes an answer, since many are refused before their operation is known.
 */
import { fragmentTo, unescapeSegment } from "../../base/json-pointer.ts";
import type { Json } from "../../base/json.ts";
import type { Call } from "../context.ts";
import type { Fault, RefusalDetails } from "../refusal.ts";
import { Refusal } from "../refusal.ts";
import { stateConflict } from "../state-conflict.ts";
import type { Chain } from "./chain.ts";
import { segmentsDown } from "./terms.ts";

/** What is refused in the newest terms, for a call of an older version. */
export function refusalDown(call: Call, refusal: Refusal): Refusal {
  const { own } = call;
  if (own === undefined || refusal.details.own === true) return refusal;
  const { code, details } = refusal;
  const names = new Map<string, string>();
  const faults = details.faults?.map((fault) => faultDown(call, own.chain, fault, names));
  const detail = details.detail === undefined ? {} : { detail: withNames(details.detail, names) };
  const told: RefusalDetails = {
    ...details,
    ...detail,
    ...(faults === undefined ? {} : { faults }),
    ...membersDown(call, own.chain, code, details),
    own: true,
  };
  return new Refusal(code, told);
}

function faultDown(call: Call, chain: Chain, fault: Fault, names: Map<string, string>): Fault {
  if (fault.pointer === undefined || fault.pointer === "#") return fault;
  const segments = fault.pointer
    .slice(2)
    .split("/")
    .map((one) => unescapeSegment(decodeURIComponent(one)));
  const down = segmentsDown(call, chain, segments);
  for (const [index, segment] of segments.entries()) {
    const older = down[index];
    if (older !== undefined && older !== segment) names.set(segment, older);
  }
  const pointer = fragmentTo(down);
  return { ...fault, pointer, detail: withNames(fault.detail, names) };
}

/** Whole words only: sentences name a field as it is written. */
function withNames(text: string, names: ReadonlyMap<string, string>): string {
  if (names.size === 0) return text;
  return text.replace(/[A-Za-z_]\w*/g, (word) => names.get(word) ?? word);
}

function membersDown(call: Call, chain: Chain, code: string, { members }: RefusalDetails): Partial<RefusalDetails> {
  if (members === undefined) return {};
  if (code === "state-conflict") {
    const { state, moves } = members;
    const { resource } = call.prepared.operation;
    const record = chain.down({ kind: "record", resource }, { state: state ?? null });
    const known = new Set(call.own?.prepared.siblings.map(({ name }) => name));
    const allowed = ((moves ?? []) as readonly string[])
      .map((name) => chain.olderOperation(name))
      .filter((name) => known.has(name));
    const told = record["state"] ?? state;
    return stateConflict(typeof told === "string" ? told : "", allowed);
  }
  if (code === "still-referenced") {
    const { resource, field } = members as { readonly resource: string; readonly field: string };
    const [older = field] = chain.pointerDown({ kind: "record", resource }, [field]);
    const definition = chain.olderDefinition(resource);
    const told: Readonly<Record<string, Json>> = { resource: definition, field: older };
    return { detail: `A ${definition} refers to it by ${older}`, members: told };
  }
  return {};
}
