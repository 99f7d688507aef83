/**
 * What a change leaves and what a replacement replaces; and that a request that fails leaves nothing: no part of a change, and no
 * record.
 */
import type { Json, JsonObject } from "../../base/json.ts";
import { defaultValue } from "../../language/resources/default-value.ts";
import { fieldsOf, isNeverReturned, isNullable, lookup } from "../../language/resources/fields.ts";
import type { InputMember } from "../../language/endpoints/input.ts";
import type { Field } from "../../language/resources/model.ts";
import { type Case, NotTried, shortText } from "../case.ts";
import { isUnexplained } from "../distinguishing.ts";
import { type Contract, requestStyle } from "../contract.ts";
import { brokenBy } from "../expect.ts";
import { admits } from "../permissions.ts";
import type { KnownRecord } from "../trial/known.ts";
import type { Trial } from "../trial/trial.ts";
import { invalidValues } from "../values/boundaries.ts";
import { validValue } from "../values/valid.ts";
import { each, ifPossible } from "../attempts.ts";
import { expectAccepted, expectValue, unchanged } from "./outcome.ts";
import { expectNoTrace, withMarker } from "./traces.ts";
import {
  isOnlyCreated,
  memberPath,
  otherValue,
  readField,
  sendWrite,
  supplyFor,
  type Write,
  writesOf,
  makeToEdit,
} from "./writing.ts";

export function editCases(contract: Contract): readonly Case[] {
  return writesOf(contract).flatMap((write) => {
    if (write.kind === "create") return leavesNoRecord(write);
    if (write.kind === "change")
      return [...leavesOthers(contract, write), ...removes(contract, write), ...failsEntirely(contract, write)];
    return [...replacesAll(contract, write), ...failsEntirely(contract, write)];
  });
}

/** Returns the members that a request may change and that somebody can read again. */
function visibleMembers(contract: Contract, write: Write): readonly InputMember[] {
  const { resource } = write.called;
  return write.members.filter((member) => {
    const stored = lookup(fieldsOf(contract.model, resource), member.name);
    const isReturned = !isNeverReturned(member.field) && (stored === undefined || !isNeverReturned(stored));
    return isReturned && !isOnlyCreated(contract, resource, member);
  });
}

/** Makes a record with a value in each field that a creation can set. */
async function makeFull(trial: Trial, write: Write, members: readonly InputMember[]): Promise<KnownRecord> {
  const values: Record<string, Json> = {};
  for (const { name, field } of members) {
    if (!isNullable(field)) continue;
    const value = validValue(trial.contract, field.type, await supplyFor(trial, field.type), "all");
    if (value !== undefined && value !== null) values[name] = value;
  }
  // A rule may forbid some of the values together.
  return (await ifPossible(() => makeToEdit(trial, write, values))) ?? makeToEdit(trial, write);
}

// ── Changes ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A change of one field leaves all others. */
function leavesOthers(contract: Contract, write: Write): readonly Case[] {
  const { operation, resource } = write.called;
  const members = visibleMembers(contract, write);
  const path = `endpoints/endpoints/${operation}`;
  if (members.length === 0) return [];
  return [
    {
      id: `${path}: leaves other fields`,
      aspects: [{ path, expects: "a change of one field leaves all others" }],
      operation,
      run: async (trial) => {
        await each(members, async ({ name, field }) => {
          trial.startOver();
          const record = await makeFull(trial, write, members);
          const before = await valuesOf(trial, record);
          const value = await otherValue(trial, field.type, [before.get(name)]);
          if (value === undefined) throw new NotTried(`the test finds no other value for \`${name}\``);
          const written = await sendWrite(trial, write, { record, values: { [name]: value }, isValid: true });
          expectAccepted(trial, written, `a change of \`${name}\` to be accepted`);
          const after = await valuesOf(trial, record);
          for (const [other, was] of before) {
            // A rule may have made the request change more than the one field.
            if (lookup(written.body, other) !== undefined || mayChange(contract, resource, other)) continue;
            const is = after.get(other);
            const type = lookup(fieldsOf(contract.model, resource), other)?.type;
            if (type !== undefined)
              expectValue(trial, { name: other, type }, was, is, ", since the request does not name it");
          }
        });
      },
    },
  ];
}

/** Returns the values that responses show, by field. */
async function valuesOf(trial: Trial, record: KnownRecord): Promise<ReadonlyMap<string, Json>> {
  record.observed.clear();
  await trial.look(record);
  if (record.observed.size === 0) throw new NotTried(`no caller of the test can read the ${record.resource}`);
  return new Map(record.observed);
}

/** Whether a field may change with another one. */
function mayChange({ model }: Contract, resource: string, name: string): boolean {
  const field = lookup(fieldsOf(model, resource), name);
  if (field === undefined || isUnexplained(field)) return true;
  return field.computed !== undefined || field.default?.kind === "now-on-change";
}

/**
 * Null removes an optional field, and so does an empty text if the document declares it. A member in `takes` that may be left out
 * need not be null.
 */
function removes(contract: Contract, write: Write): readonly Case[] {
  const { endpoint, operation, resource } = write.called;
  const mayBeNull = ({ name, field }: InputMember): boolean => {
    const stored = lookup(fieldsOf(contract.model, resource), name);
    const isUsed = lookup(endpoint.takes ?? {}, name) !== undefined;
    return (
      isNullable(field) && stored !== undefined && isNullable(stored) && (!isUsed || field.type.kind === "nullable")
    );
  };
  const removable = visibleMembers(contract, write).filter(mayBeNull);
  const byEmpty = requestStyle(contract, write.called).empty === "removes" ? removable : [];
  const [emptyPath = ""] = [`endpoints/endpoints/${operation}/requests/empty`, "endpoints/requests/empty"].filter(
    (one) => contract.places.has(one),
  );
  const removing = ({ name }: InputMember, path: string, what: string, value: Json): Case => ({
    id: `resources/${resource}/${name}: removed by ${operation}${value === null ? "" : ` with ${what}`}`,
    aspects: [{ path, expects: `${what} removes \`${name}\`` }],
    operation,
    run: async (trial) => {
      const record = await makeFull(trial, write, write.members);
      const present = await readField(trial, record, name);
      if (present === undefined) throw new NotTried(`no response shows \`${name}\``);
      const removed = await sendWrite(trial, write, { record, values: { [name]: value }, isValid: true });
      expectAccepted(trial, removed, `${what} for \`${name}\` to be accepted`, path);
      const after = await readField(trial, record, name, removed.caller);
      if (after === null || after === undefined) return;
      throw brokenBy(trial, `no \`${name}\``, shortText(after), path);
    },
  });
  return [
    ...removable.map((one) => removing(one, memberPath(contract, write.called, one.name), "null", null)),
    ...byEmpty.map((one) => removing(one, emptyPath, "an empty text", "")),
  ];
}

/** If one member is invalid, the others are not changed either. */
function failsEntirely(contract: Contract, write: Write): readonly Case[] {
  const { operation } = write.called;
  const path = `endpoints/endpoints/${operation}`;
  const members = visibleMembers(contract, write);
  if (members.length < 2) return [];
  return [
    {
      id: `${path}: all or nothing in ${write.name}`,
      aspects: [{ path, expects: "a request with an invalid member changes nothing" }],
      operation,
      run: async (trial) => {
        const record = await makeToEdit(trial, write);
        for (const { name, field } of members) {
          const expectUnchanged = await unchanged(trial, record, [name], path);
          const before = record.observed.get(name);
          const value = before === undefined ? undefined : await otherValue(trial, field.type, [before]);
          const wrong = await invalidMember(trial, write, name);
          if (before === undefined || value === undefined || wrong === undefined) continue;
          const written = await sendWrite(trial, write, {
            record,
            values: { [name]: value },
            change: (body) => ({ ...body, ...wrong }),
          });
          // Other cases are about what is invalid.
          if (written.response.status < 300) throw new NotTried(`${operation} accepted an invalid value`);
          return expectUnchanged();
        }
        throw new NotTried("the test finds no invalid value for another member");
      },
    },
  ];
}

/** Returns a member with an invalid value; undefined if the test finds none besides that member. */
async function invalidMember(trial: Trial, write: Write, except: string): Promise<JsonObject | undefined> {
  const { contract } = trial;
  for (const { name, field } of write.members) {
    if (name === except || field.marks.includes("secret")) continue;
    const [wrong] = invalidValues(contract, field.type, await supplyFor(trial, field.type)).filter(
      ({ stated, completeOnly }) => stated && !completeOnly,
    );
    if (wrong !== undefined) return { [name]: wrong.value };
  }
  return undefined;
}

// ── Replacements ───────────────────────────────────────────────────────────────────────────────────────────────────

/** A replacement replaces the whole record: what it leaves out is absent, or gets its default. */
function replacesAll(contract: Contract, write: Write): readonly Case[] {
  const { operation, resource } = write.called;
  const path = `endpoints/endpoints/${operation}`;
  const omittable = visibleMembers(contract, write).filter(({ required }) => !required);
  if (omittable.length === 0) return [];
  return [
    {
      id: `${path}: replaces all`,
      aspects: [{ path, expects: "a replacement removes each member that it leaves out, or sets it to its default" }],
      operation,
      run: async (trial) => {
        const record = await makeFull(trial, write, omittable);
        await valuesOf(trial, record);
        const without = omittable.map(({ name }) => name);
        const written = await sendWrite(trial, write, { record, without, isValid: true });
        expectAccepted(trial, written, "a body with only the required members to be accepted");
        for (const { name, field } of omittable) {
          // A replacement leaves what its caller does not see.
          const seeing = lookup(contract.model.authentication.show, `${resource}.${name}`);
          if (seeing?.some((grant) => grant.if === undefined && admits(grant, written.caller)) === false) continue;
          const after = await readField(trial, record, name, written.caller);
          const expected = expectedDefault(contract, resource, name, field);
          if (expected !== undefined) expectValue(trial, { name, type: field.type }, expected, after);
        }
      },
    },
  ];
}

/** Returns the value of a member that is left out: null if it is absent, undefined if the test cannot know it. */
function expectedDefault({ model }: Contract, resource: string, name: string, field: Field): Json | undefined {
  const declared = lookup(fieldsOf(model, resource), name) ?? field;
  return declared.default === undefined ? null : defaultValue(model, declared);
}

// ── Creations ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** A creation that fails leaves no record. */
function leavesNoRecord(write: Write): readonly Case[] {
  const { operation } = write.called;
  const path = `endpoints/endpoints/${operation}`;
  return [
    {
      id: `${path}: no trace of a failure`,
      aspects: [{ path, expects: "a creation that fails leaves no record" }],
      operation,
      run: async (trial) => {
        const marker = await withMarker(trial, write, []);
        const wrong = await invalidMember(trial, write, marker.name);
        if (wrong === undefined) throw new NotTried("the test finds no invalid value for another member");
        const written = await sendWrite(trial, write, {
          values: { [marker.name]: marker.value },
          change: (body) => ({ ...body, ...wrong }),
        });
        if (written.response.status < 300) throw new NotTried(`${operation} accepted an invalid value`);
        await expectNoTrace(trial, written, marker, path);
      },
    },
  ];
}
