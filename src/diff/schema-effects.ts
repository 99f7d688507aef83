/** Turns a change of a schema into its effect on clients: a request must not become narrower, a response not wider. */
import type { Effect } from "../language/grammar/changes.ts";
import type { Direction, SchemaChange, SchemaChangeKind, Use } from "./schema-walk.ts";

type Change = Pick<SchemaChange, "kind" | "direction">;

/** The exceptions from the rule that the direction decides. */
const exceptions: Partial<Record<SchemaChangeKind, Partial<Record<Use, Effect>>>> = {
  // Callers need not send it, and readers ignore unknown members.
  "member-added": { request: "additive", response: "additive" },
  "other-members": { response: "additive" },
  // The service rejects or ignores it now.
  "member-removed": { request: "breaking", response: "breaking" },
};

export function effectOf({ kind, direction }: Change, use: Use): Effect {
  return direction === "same" ? "neutral" : (exceptions[kind]?.[use] ?? effectsOf[use][direction]);
}

const effectsOf: Readonly<Record<Use, Readonly<Record<Exclude<Direction, "same">, Effect>>>> = {
  request: { narrower: "breaking", wider: "additive", other: "breaking" },
  response: { narrower: "additive", wider: "breaking", other: "breaking" },
};

/** Whom a breaking change breaks, by its kind: callers who send the value, or readers of it. */
const broken: Readonly<Record<SchemaChangeKind, Readonly<Record<Use, string>>>> = {
  type: { request: "breaks callers who send another type", response: "breaks readers of the old type" },
  null: { request: "breaks callers who send null", response: "breaks readers who expect a value" },
  value: {
    request: "breaks callers who send another value",
    response: "may break readers who know only the old values",
  },
  range: { request: "breaks callers outside of it", response: "may break readers who rely on the old range" },
  pattern: { request: "breaks callers who send other texts", response: "may break readers who rely on the old form" },
  "member-added": { request: "breaks nobody", response: "breaks nobody" },
  "member-required": { request: "breaks callers who omit it", response: "breaks readers who need it" },
  "member-removed": { request: "may break callers who send it", response: "breaks readers of it" },
  "other-members": { request: "breaks callers who send others", response: "breaks nobody" },
  alternative: {
    request: "breaks callers who send it",
    response: "may break readers who know only the old alternatives",
  },
  condition: { request: "breaks callers who do not meet it", response: "may break readers who rely on it" },
  default: { request: "breaks callers who omit it and rely on the default", response: "breaks nobody" },
  annotation: { request: "breaks nobody", response: "breaks nobody" },
};

export function whomOf({ kind }: Pick<SchemaChange, "kind">, use: Use): string {
  return broken[kind][use];
}
