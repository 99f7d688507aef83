/**
 * Rules of records: a body with which a rule is false is rejected with the rule's error and changes nothing, and one with which it is
 * just true is accepted. The test looks for pairs of bodies that differ in one value, of which the rule allows one.
 */
import { type Json, type JsonObject, omit } from "../../base/json.ts";
import { fieldsIn, mentions, type TypedExpression } from "../../expression/typed.ts";
import type { InputMember } from "../../language/endpoints/input.ts";
import { lookup } from "../../language/resources/fields.ts";
import { Broken, type Case, NotTried } from "../case.ts";
import type { Caller } from "../caller.ts";
import type { Contract } from "../contract.ts";
import { codeIn, statusText } from "../errors/expected.ts";
import { expectError } from "../expect.ts";
import { truth } from "../expressions.ts";
import { knownTruth } from "../known-truth.ts";
import { scopeAfter } from "../trial/inputs.ts";
import type { KnownRecord } from "../trial/known.ts";
import type { Trial } from "../trial/trial.ts";
import { ifPossible, untilTried } from "../attempts.ts";
import { candidatesFor, distance, nextToOthers } from "./candidates.ts";
import { expectAccepted, possibleErrors, unchanged } from "./outcome.ts";
import { expectNoTrace, withMarker } from "./traces.ts";
import {
  creationsOf,
  makeToEdit,
  neededCreator,
  sendWrite,
  type Write,
  type WriteOptions,
  writesOf,
} from "./writing.ts";

export function ruleCases(contract: Contract): readonly Case[] {
  return Object.entries(contract.model.resources.rules).flatMap(([resource, rules]) =>
    rules.flatMap((rule, index) => {
      const path = `resources/rules/${resource}/${index}`;
      const condition = contract.typed.get(`${path}/holds`);
      if (rule.kind !== "holds" || condition === undefined) return [];
      return writesOf(contract, resource).flatMap((write) =>
        isObeyed(contract, write, { path, condition, code: rule.else }, rule.expression),
      );
    }),
  );
}

interface Rule {
  readonly path: string;
  readonly condition: TypedExpression;
  readonly code: string;
}

function isObeyed(contract: Contract, write: Write, rule: Rule, text: string): readonly Case[] {
  const { code, condition, path } = rule;
  const members = influencing(contract, write, condition);
  if (members.length === 0) return [];
  const { operation } = write.called;
  return [
    {
      id: `${path}: ${write.name}`,
      aspects: [{ path, expects: `${operation} gets ${code} if \`${text}\` is false, and is accepted if it is true` }],
      operation,
      run: async (trial) => {
        // Another record may be what a new one must not be like.
        if (mentions(condition, "records")) await trial.look(await trial.make(write.called.resource));
        const records = write.kind === "create" ? [false] : Array.from({ length: mostRecords }, () => true);
        await untilTried(records, async (isChange) => {
          const record = isChange ? await makeRecord(trial, write, condition) : undefined;
          const caller =
            record === undefined ? await neededCreator(trial, write.called) : await trial.callerFor(operation, record);
          const search = { ...rule, write, members, record, caller };
          const pairs = await pairsOf(trial, search);
          if (pairs.length === 0) throw new NotTried("the test finds no body with which the rule is false");
          let isTried = false;
          for (const { right, wrong } of pairs) {
            trial.startOver();
            // The changes before may have changed what the rule depends on.
            const isFalse = truthOf(trial, search, wrong, "certain") === false;
            const isRight = truthOf(trial, search, right, "certain") === true;
            if (isFalse) await expectViolation(trial, search, wrong);
            if (isRight) await expectObeyed(trial, search, right);
            isTried ||= isFalse || isRight;
          }
          if (!isTried) throw new NotTried("the rule reads records that the test does not know");
        });
      },
    },
  ];
}

/** How many records the test makes until a change of one can violate the rule. */
const mostRecords = 8;

/** Makes a record to be changed, with values on which the rule depends and that cannot be changed. */
async function makeRecord(trial: Trial, write: Write, condition: TypedExpression): Promise<KnownRecord> {
  const { contract, random } = trial;
  const { resource } = write.called;
  const [creation] = creationsOf(contract, resource);
  const values: Record<string, Json> = {};
  const changeable = new Set(influencing(contract, write, condition).map(({ name }) => name));
  for (const member of creation === undefined ? [] : influencing(contract, creation, condition)) {
    if (changeable.has(member.name)) continue;
    const value = random.pick(await candidatesFor(trial, member, condition, creation as Write));
    if (value !== undefined && value !== null) values[member.name] = value;
  }
  const record = await makeToEdit(trial, write, values);
  await trial.look(record);
  return record;
}

/** Returns the members of a body on which a condition about the record depends. */
function influencing(contract: Contract, write: Write, condition: TypedExpression): readonly InputMember[] {
  const names = new Set<string>();
  const pending = [...fieldsIn(condition)];
  for (const name of pending) {
    if (names.has(name)) continue;
    names.add(name);
    const computed = contract.typed.get(`resources/${write.called.resource}/${name}/computed`);
    if (computed !== undefined) pending.push(...fieldsIn(computed));
  }
  return write.members.filter(
    ({ name, field }) => names.has(name) && !(field.marks.includes("secret") && write.kind !== "create"),
  );
}

// ── Pairs ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Values of the members on which a rule depends; a member without an entry is left out. */
type Choice = JsonObject;

interface Pair {
  readonly right: Choice;
  readonly wrong: Choice;
}

/** What one case looks for: bodies of a write with which the rule is false, or just true. */
interface Search extends Rule {
  readonly write: Write;
  /** The members on which the rule depends. */
  readonly members: readonly InputMember[];
  readonly record: KnownRecord | undefined;
  readonly caller: Caller;
}

/** From how many bodies the test varies one member after the other. */
const mostBodies = 120;

/** Returns for each member the pair of bodies that differ in it the least, one of which violates this rule alone. */
async function pairsOf(trial: Trial, search: Search): Promise<readonly Pair[]> {
  const { condition, members } = search;
  const candidates = new Map<string, readonly (Json | undefined)[]>();
  for (const member of members)
    candidates.set(member.name, await candidatesFor(trial, member, condition, search.write));
  const best = new Map<string, Pair & { readonly distance: number }>();
  for (let count = 0; count < mostBodies; count += 1) {
    const choice = chosen(members.map(({ name }) => [name, trial.random.pick(candidates.get(name) ?? [undefined])]));
    for (const member of members) {
      const { name } = member;
      const all = [...(candidates.get(name) ?? []), ...nextToOthers(trial, member, choice)].map((value) => {
        const body = chosen([...Object.entries({ ...choice, [name]: undefined }), [name, value]]);
        return { value, body, truth: truthOf(trial, search, body) };
      });
      for (const right of all.filter((one) => one.truth === true)) {
        for (const wrong of all.filter((one) => one.truth === false)) {
          const pair = { right: right.body, wrong: wrong.body, distance: distance(right.value, wrong.value) };
          if (pair.distance < (best.get(name)?.distance ?? Number.POSITIVE_INFINITY)) best.set(name, pair);
        }
      }
    }
  }
  return [...best.values()];
}

function chosen(entries: readonly (readonly [string, Json | undefined])[]): Choice {
  return Object.fromEntries(entries.filter((entry): entry is readonly [string, Json] => entry[1] !== undefined));
}

/**
 * Returns whether the rule is true after the write; undefined if that is unknown, or if another rule is violated. `certain`: even with
 * records that the test does not know.
 */
function truthOf(
  trial: Trial,
  { caller, condition, path, record, write: { called } }: Search,
  choice: Choice,
  certainty?: "certain",
): boolean | undefined {
  const { typed, model } = trial.contract;
  const scope = scopeAfter(trial, called, { caller, record }, choice);
  const others = (lookup(model.resources.rules, called.resource) ?? []).flatMap((_, index) => {
    const other = `resources/rules/${called.resource}/${index}`;
    return other === path ? [] : (typed.get(`${other}/holds`) ?? []);
  });
  if (others.some((other) => truth(other, scope) === false)) return undefined;
  return certainty === undefined ? truth(condition, scope) : knownTruth(trial, condition, scope);
}

// ── Requests ───────────────────────────────────────────────────────────────────────────────────────────────────────

function requestOf({ write, members, record, caller }: Search, choice: Choice): WriteOptions {
  const dropped = write.kind === "change" ? [] : members.map(({ name }) => name);
  return { values: choice, record, caller, change: (body) => ({ ...omit(body, dropped), ...choice }) };
}

async function expectViolation(trial: Trial, search: Search, choice: Choice): Promise<void> {
  const { code, members, path, record, write } = search;
  const { contract } = trial;
  const expectUnchanged = await unchanged(trial, record, Object.keys(choice), path);
  const names = members.map(({ name }) => name);
  const marker = write.kind === "create" ? await ifPossible(() => withMarker(trial, write, names)) : undefined;
  const marked = marker === undefined ? choice : { ...choice, [marker.name]: marker.value };
  const written = await sendWrite(trial, write, requestOf(search, marked));
  const { interaction, response } = written;
  if (response.status < 300)
    throw new Broken(`the error ${code}, since the rule is violated`, String(response.status), interaction, path);
  const found = codeIn(contract, response);
  const others = possibleErrors(trial, written).filter((one) => one !== code);
  if (found !== undefined && found !== code && others.includes(found))
    throw new NotTried(`${write.called.operation} answered ${statusText(contract, response)}`);
  expectError(trial, interaction, { code }, path);
  if (marker !== undefined) await ifPossible(() => expectNoTrace(trial, written, marker, path));
  await expectUnchanged();
}

async function expectObeyed(trial: Trial, search: Search, choice: Choice): Promise<void> {
  const { code, path, record, write } = search;
  if (record !== undefined) await trial.look(record);
  const written = await sendWrite(trial, write, requestOf(search, choice));
  const { interaction, response } = written;
  const expected = "success, since the rule is obeyed";
  if (codeIn(trial.contract, response) === code)
    throw new Broken(expected, statusText(trial.contract, response), interaction, path);
  expectAccepted(trial, written, expected, path);
}
