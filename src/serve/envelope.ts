/** Bodies that stand in objects of the document's own: what is wrong with these, and where on the wire a fault is (R7.2). */
import { fragmentTo, unescapeSegment } from "../base/json-pointer.ts";
import type { JsonObject } from "../base/json.ts";
import type { Opened } from "../plan/envelope.ts";
import type { Judge } from "./judge.ts";
import type { Fault } from "./refusal.ts";
import { Refusal } from "./refusal.ts";

const sentences = {
  required: (name: string) => `${name} is required`,
  "wrong-type": (name: string) => `${name} must be an object`,
  "unknown-field": (name: string) => `${name} is not a field that can be sent here`,
} as const;

/** The judge of what was in the envelope, which also tells what is wrong with the envelope itself. */
export function judgeOpened({ faults, places }: Opened, judge: Judge | undefined): Judge {
  const told = faults.map(({ path, code }): Fault => {
    return {
      pointer: fragmentTo(path),
      field: path.at(-1) ?? "body",
      code,
      detail: sentences[code](path.join(".")),
      placed: true,
    };
  });
  // Of what an object that is not there should have held nothing is said: that it is missing says it.
  const missing = faults.filter(({ code }) => code !== "unknown-field").map(({ path }) => fragmentTo(path));
  return (value) => [
    ...told,
    ...(judge?.(value) ?? []).filter(({ code, pointer }) => {
      if (code !== "required" || pointer === undefined) return true;
      const at = pointerAt(pointer, places);
      return !missing.some((one) => at.startsWith(`${one}/`));
    }),
  ];
}

/** The refusal with its faults where they stand in the body as it was sent. */
export function refusalAt(refusal: Refusal, places: Opened["places"]): Refusal {
  const { faults } = refusal.details;
  if (faults === undefined) return refusal;
  const moved = faults.map(({ placed, ...fault }): Fault => {
    if (placed === true || fault.pointer === undefined) return fault;
    return { ...fault, field: memberOf(fault.pointer), pointer: pointerAt(fault.pointer, places) };
  });
  return new Refusal(refusal.code, { ...refusal.details, faults: moved });
}

/** The outermost member of a pointer into what the envelope held. */
function memberOf(pointer: string): string {
  return unescapeSegment(decodeURIComponent(pointer.slice(2).split("/")[0] ?? "")) || "body";
}

/** A member without a place of its own stands beside the first that has one. */
function pointerAt(pointer: string, places: Opened["places"]): string {
  const [, first, rest = ""] = /^#\/([^/]*)(\/.*)?$/.exec(pointer) ?? [];
  if (first === undefined) return pointer;
  const name = unescapeSegment(decodeURIComponent(first));
  const [beside = []] = places.values();
  return `${fragmentTo([...(places.get(name) ?? beside), name])}${rest}`;
}

/** A body taken out of its envelope. */
export interface Unwrapped extends Opened {
  /** The body as it was sent, by which a repeated request is told from another one. */
  readonly sent: JsonObject;
}
