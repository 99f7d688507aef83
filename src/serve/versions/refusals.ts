/**
 * A refusal in the words of the version that it is told in: pointers, the names in its sentences, its members (R7.2). Its code
 * is brought down where it becomes an answer, since many are refused before their operation is known.
 */
import { fragmentTo, unescapeSegment } from "../../base/json-pointer.ts";
import type { Call } from "../context.ts";
import type { Fault, RefusalDetails } from "../refusal.ts";
import { Refusal } from "../refusal.ts";
import { fieldOf } from "../error-body.ts";
import { alreadyExists } from "../fault-texts.ts";
import { referredTo } from "../remove.ts";
import { stateConflict } from "../state-conflict.ts";
import type { Chain } from "./chain.ts";
import { segmentsDown } from "./terms.ts";

/** What is refused in the newest terms, for a call of an older version. */
export function refusalDown(call: Call, refusal: Refusal): Refusal {
  const { own } = call;
  if (own === undefined || refusal.details.own === true) return refusal;
  const { code, details } = refusal;
  const faults = details.faults && faultsDown(call, own.chain, code, details.faults);
  // What one fault says the refusal says, too.
  const same = details.faults?.findIndex(({ detail }) => detail === details.detail) ?? -1;
  const told: RefusalDetails = {
    ...details,
    ...(faults === undefined ? {} : faultsTold(faults)),
    ...(same < 0 ? {} : { detail: faults?.[same]?.detail ?? unfit.detail }),
    ...membersDown(call, own.chain, code, details),
    own: true,
  };
  return new Refusal(code, told);
}

/** Names of limits contain those of operations and resources (`collect-per-Parcel`). Gives a 429 the names of the older version. */
export function limitsDown(chain: Chain, details: RefusalDetails): RefusalDetails {
  const { members } = details;
  const names = members?.["violated-policies"];
  if (!Array.isArray(names)) return details;
  const told = (names as readonly string[]).map((name) => limitDown(chain, name));
  return { ...details, members: { ...members, "violated-policies": told } };
}

/** The same for the fields `RateLimit-Policy` and `RateLimit`, whose items begin with a name in quotes. */
export function limitFieldsDown(chain: Chain, fields: readonly string[]): readonly string[] {
  return fields.map((field) => field.replaceAll(/"([^"]+)"/g, (_, name: string) => `"${limitDown(chain, name)}"`));
}

function limitDown(chain: Chain, name: string): string {
  const [, of = "", per = "", rest = ""] = /^(\w+)-per-(\w+)(.*)$/.exec(name) ?? [];
  const down = (one: string): string => (/^[A-Z]/.test(one) ? chain.olderDefinition(one) : chain.olderOperation(one));
  return of === "" ? name : `${down(of)}-per-${down(per)}${rest}`;
}

const unfit = { pointer: "#", code: "does-not-fit", detail: "What comes of it fits no record" } as const;

function faultsDown(call: Call, chain: Chain, code: string, faults: readonly Fault[]): readonly (Fault | undefined)[] {
  const down = faults.map((fault) => faultDown(call, chain, fault));
  if (code !== "already-exists") return down;
  const detail = alreadyExists(down.flatMap((fault) => (fault === undefined ? [] : [fieldOf(fault)])));
  return down.map((fault) => fault && { ...fault, detail });
}

/** Of what the caller's version has no word for it is told that something does not fit. */
function faultsTold(down: readonly (Fault | undefined)[]): Pick<RefusalDetails, "faults"> {
  const known = down.filter((fault) => fault !== undefined);
  return { faults: known.length === 0 ? [unfit] : known };
}

/** Undefined where it is about a member that the caller's version does not have. */
function faultDown(call: Call, chain: Chain, fault: Fault): Fault | undefined {
  if (fault.pointer === undefined || fault.pointer === "#") return fault;
  const segments = fault.pointer
    .slice(2)
    .split("/")
    .map((one) => unescapeSegment(decodeURIComponent(one)));
  const down = segmentsDown(call, chain, segments);
  if (down === undefined) return undefined;
  return { ...fault, pointer: fragmentTo(down), detail: detailDown(fault, segments, down) };
}

/** A sentence about a member begins with its name (fault-texts.ts), and names no other. */
function detailDown({ code, detail }: Fault, now: readonly string[], then: readonly string[]): string {
  const name = (path: readonly string[], length: number): string => path.slice(0, length).join(".");
  // The newest version's values need not be those of the caller's.
  if (code === "not-one-of") return `${name(then, then.length)} is none of the values that can be sent here`;
  for (let length = now.length; length > 0; length -= 1) {
    for (const start of ["", "The name of "]) {
      const lead = `${start}${name(now, length)} `;
      if (detail.startsWith(lead)) return `${start}${name(then, length)} ${detail.slice(lead.length)}`;
    }
  }
  return detail;
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
    const [older] = chain.pointerDown({ kind: "record", resource }, [field]) ?? [];
    const definition = chain.olderDefinition(resource);
    const isKnown = call.version.plan.tables.some((table) => table.resource === definition);
    return older === undefined || !isKnown ? referredTo() : referredTo({ resource: definition, field: older });
  }
  return {};
}
