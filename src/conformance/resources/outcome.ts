/** What a response to a write shows: that the request is accepted, invalid, or something that the test does not know. */
import type { Json } from "../../base/json.ts";
import { nodesOf, type TypedExpression } from "../../expression/typed.ts";
import { fieldsOf, isChangeable, lookup } from "../../language/resources/fields.ts";
import type { FieldType } from "../../language/resources/model.ts";
import { Broken, NotTried, shortText } from "../case.ts";
import { mayRun } from "../permissions.ts";
import type { Contract, Operation } from "../contract.ts";
import { furtherEffects, furtherErrors, guardErrors, setAtCreation } from "../effects.ts";
import { determinesUnique } from "../distinguishing.ts";
import { codeIn, isError, isStated, knownCodes, nameOf, statusOf, statusText, textsIn } from "../errors/expected.ts";
import { brokenBy, expectError } from "../expect.ts";
import { isFileValue } from "../files.ts";
import type { Interaction, Response } from "../interaction.ts";
import { knownTruth } from "../known-truth.ts";
import { pointerOf } from "../request.ts";
import { scopeAfter } from "../trial/inputs.ts";
import type { KnownRecord } from "../trial/known.ts";
import type { Trial } from "../trial/trial.ts";
import { isSame } from "../values/same.ts";
import { possibleConflicts } from "./constraints.ts";
import { readField, sets, type Write, type Written } from "./writing.ts";

/** What a response shows of a request. */
export type Outcome = "accepted" | "invalid" | "conflict" | "other";

/**
 * Returns what the response to a write shows. `conflict`: another record has a value that no other record can have; `other`: the
 * response may have a reason that the test does not know.
 */
export function outcomeOf(
  trial: Trial,
  written: Pick<Written, "write" | "response" | "caller" | "body" | "record">,
): Outcome {
  const { body, response, write } = written;
  if (response.status < 300) return "accepted";
  if (violatesForm(trial.contract, written)) return "invalid";
  const isAboutOthers = namesOtherFields(trial.contract, written);
  const possible = possibleErrors(trial, written).filter((code) => code !== "already-exists" || !isAboutOthers);
  const hasFileLimit =
    Object.values(body).some(isFileValue) && trial.contract.model.limits.size?.["request"] === undefined;
  if (hasFileLimit && isError(trial.contract, response, "too-large", write.called.operation)) return "invalid";
  // The invalid value may be in another record that the operation also writes.
  if (isInvalid(trial.contract, write.called, response, possible))
    return possible.includes("invalid-request") ? "other" : "invalid";
  return codeIn(trial.contract, response) === "already-exists" && !possible.includes("already-exists")
    ? "conflict"
    : "other";
}

/** The violations by a value of the wrong form alone, whatever else the service knows. */
const formViolations: readonly string[] = [
  ...["wrong-type", "not-one-of", "too-short", "too-long", "too-small", "too-large", "too-few", "too-many"],
  ...["wrong-pattern", "wrong-format"],
];

/**
 * Whether the body of an error says that members are required which the document lets a request leave out, or that members of the
 * request have values of the wrong form. A further write sets all that its record requires, so the error is about the request; the
 * service may compute other values than the request has.
 */
function violatesForm(
  contract: Contract,
  { body: sent, response, write }: Pick<Written, "body" | "response" | "write">,
): boolean {
  const { called } = write;
  const at = (placeholder: Parameters<typeof textsIn>[4]): readonly string[] =>
    textsIn(contract, response, called, "invalid-request", placeholder);
  const named = [...at("{field}"), ...at("{parameter}")];
  const violated = at("{fault}");
  const isNamed = (code: string): boolean => violated.includes(nameOf(contract, code));
  const isOptional = (name: string): boolean =>
    lookup(sent, name) === undefined && write.members.some((one) => one.name === name && !one.required);
  const computed = new Set([
    ...setAtCreation(contract, called),
    ...furtherEffects(contract, called).writes.flatMap(({ write: { set, with: values } }) =>
      Object.keys({ ...set, ...values }),
    ),
  ]);
  const isSent = (name: string): boolean =>
    lookup(sent, name) !== undefined && sets(write, name) && !computed.has(name);
  if (named.length === 0) return false;
  return (isNamed("required") && named.every(isOptional)) || (formViolations.some(isNamed) && named.every(isSent));
}

/** Whether the body of an error names fields, and only such members of the request as need not be unique. */
function namesOtherFields(contract: Contract, { response, write }: Pick<Written, "write" | "response">): boolean {
  const { called } = write;
  const named = textsIn(contract, response, called, "invalid-request", "{field}");
  const isOther = (name: string): boolean => sets(write, name) && !determinesUnique(contract, called.resource, name);
  return named.length > 0 && named.every(isOther);
}

/** Whether a response says that the request is invalid. `possible`: other errors that the request may get. */
export function isInvalid(
  contract: Contract,
  { operation }: Operation,
  response: Response,
  possible: readonly string[],
): boolean {
  const code = codeIn(contract, response);
  if (code !== undefined && knownCodes(contract).has(code)) return code === "invalid-request";
  const { status } = response;
  if (![400, 422, statusOf(contract, "invalid-request", operation)].includes(status)) return false;
  return !possible.some((one) => statusOf(contract, one, operation) === status);
}

/**
 * Returns the errors besides `invalid-request` that a write may get: of rules that the test cannot evaluate or that are false, of
 * unique values that may be in use, of what `choose` finds, of guards.
 */
export function possibleErrors(
  trial: Trial,
  { body, caller, record, write }: Pick<Written, "write" | "caller" | "body" | "record">,
): readonly string[] {
  const { contract } = trial;
  const { model, typed } = contract;
  const { called, kind } = write;
  const { endpoint, operation, resource } = called;
  const existing = kind === "create" ? undefined : record;
  const after = scopeAfter(trial, called, { caller, record: existing }, body);
  const found: string[] = [];
  for (const [of, rules] of Object.entries(model.resources.rules)) {
    for (const [index, rule] of rules.entries()) {
      const condition = typed.get(`resources/rules/${of}/${index}/holds`);
      if (rule.kind !== "holds") continue;
      const isPossible =
        condition === undefined ||
        (of === resource ? knownTruth(trial, condition, after) !== true : mayViolate(contract, write, condition));
      if (isPossible) found.push(rule.else);
    }
  }
  found.push(...possibleConflicts(contract, write, body, existing));
  const { differs } = endpoint.statuses ?? {};
  if (differs !== undefined) found.push(differs);
  found.push(...guardErrors(contract, called), ...furtherErrors(contract, called));
  if (mayRun(contract, operation, caller, trial.around(existing)) !== true) found.push("forbidden", "not-found");
  return found;
}

/** Whether a write may violate a rule of another resource, which reads all records of this one, or a field that the write changes. */
function mayViolate({ model }: Contract, { called: { resource }, kind }: Write, condition: TypedExpression): boolean {
  return nodesOf(condition).some((node) => {
    if (node.kind === "records") return node.resource === resource;
    if (node.kind !== "walk" || node.resource !== resource || kind === "create") return false;
    const field = lookup(fieldsOf(model, resource), node.name);
    return field === undefined || isChangeable(node.name, field);
  });
}

/** A part of a body that has to be rejected. */
export interface Mistaken {
  /** What was sent, with its article: `a text of 81 characters`. */
  readonly what: string;
  readonly member: string;
  /** The part of the value that is wrong, behind the pointer to the member: `/street`. */
  readonly pointer?: string;
  readonly codes: readonly string[];
  /** The error that the request gets; by default `invalid-request`. */
  readonly error?: string | undefined;
  /** The path of the statement that is broken if the request is accepted. */
  readonly path: string;
}

/** Expects an invalid request to be rejected. `possible`: other errors that the request may get. */
export function expectRejected(
  trial: Trial,
  called: Operation,
  interaction: Interaction,
  { what, member, pointer = "", codes, path, error = "invalid-request" }: Mistaken,
  possible: readonly string[] = [],
): void {
  const { contract } = trial;
  const response = trial.responseOf(interaction);
  if (response.status < 400)
    throw new Broken(`${what} for \`${member}\` to be rejected`, statusText(contract, response), interaction, path);
  if (!isStated(contract, error)) return;
  const code = codeIn(contract, response);
  if (code !== undefined && code !== error && possible.includes(code)) return;
  // A wrong value may exceed the size limit of the request.
  const hasSize = Object.keys(contract.model.limits.size ?? {}).length > 0;
  if (hasSize && isError(contract, response, "too-large", called.operation)) return;
  if (error !== "invalid-request") {
    expectError(trial, interaction, { code: error }, path);
    return;
  }
  if (code === undefined && !isInvalid(contract, called, response, possible)) {
    // The body does not name the error, so another one of the same status may have come.
    if (possible.some((one) => statusOf(contract, one, called.operation) === response.status)) return;
  }
  const place = `${pointerOf(contract, called, member)}${pointer}`;
  expectError(trial, interaction, { code: "invalid-request", entries: [{ place, codes }] }, path);
}

// ── Expectations ──────────────────────────────────────────────────────────────────────────────────────────────────

/** Expects a valid write to succeed. @throws NotTried if it fails for a reason that the test does not know */
export function expectAccepted(trial: Trial, written: Written, expected: string, path?: string): void {
  const outcome = outcomeOf(trial, written);
  if (outcome === "accepted") return;
  const got = `${statusText(trial.contract, written.response)} ${shortText(written.response.json)}`;
  if (outcome !== "other") throw new Broken(expected, got, written.interaction, path);
  throw new NotTried(`${written.write.called.operation} answered ${got}`);
}

/** A field, and the statement that is broken if it has another value; by default the case's. */
export interface Compared {
  readonly name: string;
  readonly type: FieldType;
  readonly path?: string | undefined;
}

/** Expects a field with a value, if a response has shown the field. `why`: the words after the expected value. */
export function expectValue(
  trial: Trial,
  { name, type, path }: Compared,
  expected: Json,
  got: Json | undefined,
  why = "",
): void {
  if (got === undefined || isSame(trial.contract.model, type, expected, got)) return;
  throw brokenBy(trial, `\`${name}\` with ${shortText(expected)}${why}`, shortText(got), path);
}

/**
 * Reads fields of a record before a request that is to be rejected. Returns a function that expects them to be as they were; without a
 * record there is nothing to compare.
 */
export async function unchanged(
  trial: Trial,
  record: KnownRecord | undefined,
  names: readonly string[],
  path: string,
): Promise<() => Promise<void>> {
  if (record === undefined) return async () => {};
  const before = new Map<string, Json | undefined>();
  for (const name of names) before.set(name, await readField(trial, record, name));
  return async () => {
    for (const [name, value] of before) {
      const type = lookup(fieldsOf(trial.contract.model, record.resource), name)?.type;
      if (type === undefined || value === undefined) continue;
      expectValue(trial, { name, type, path }, value, await readField(trial, record, name), whyUnchanged);
    }
  };
}

const whyUnchanged = ", since the request was rejected";
