/** Fields that clients cannot set: those of the server never, create-only ones not after the creation. */
import { unixTimeOf } from "../../base/unix-time.ts";
import type { Json } from "../../base/json.ts";
import { bareType, fieldsOf, isChangeable, isServerSet } from "../../language/resources/fields.ts";
import { defaultValue } from "../../language/resources/default-value.ts";
import type { Field } from "../../language/resources/model.ts";
import { type Case, NotTried, shortText } from "../case.ts";
import type { Contract } from "../contract.ts";
import { brokenBy } from "../expect.ts";
import { membersOf } from "../trial/learning.ts";
import type { Trial } from "../trial/trial.ts";
import { isSame } from "../values/same.ts";
import { expectRejected, possibleErrors } from "./outcome.ts";
import {
  fieldIn,
  otherValue,
  readField,
  sendWrite,
  type Write,
  type Written,
  writesOf,
  recordToChange,
} from "./writing.ts";

export function fixedCases(contract: Contract): readonly Case[] {
  return writesOf(contract).flatMap((write) =>
    Object.entries(fieldsOf(contract.model, write.called.resource))
      .filter(([name, field]) => isFixed(contract, write, name, field))
      .map(([name, field]) => cannotBeSet(write, name, field)),
  );
}

function isFixed(contract: Contract, { called, kind }: Write, name: string, field: Field): boolean {
  if (bareType(field.type).kind === "file") return false;
  if (kind === "create") return isServerSet(field);
  return !isChangeable(name, field) && !membersOf(contract, called).some((one) => one.name === name && one.sets);
}

function cannotBeSet(write: Write, name: string, field: Field): Case {
  const { operation, resource } = write.called;
  const path = `resources/${resource}/${name}`;
  return {
    id: `${path}: not set by ${write.name}`,
    aspects: [{ path, expects: `${operation} cannot set \`${name}\`` }],
    operation,
    run: async (trial) => {
      const record = await recordToChange(trial, write);
      const before = record === undefined ? undefined : await readField(trial, record, name);
      if (record !== undefined && before === undefined) throw new NotTried(`no response shows \`${name}\``);
      const value = await valueToSet(trial, field, before);
      if (value === undefined) throw new NotTried(`the test finds no other value for \`${name}\``);
      const written = await sendWrite(trial, write, {
        record,
        change: (body) => ({ ...body, [name]: value }),
        obeysRules: true,
      });
      await expectNotSet(trial, written, { name, field, path, before, value });
    },
  };
}

/** Returns a valid value that the server would not choose itself. */
async function valueToSet(trial: Trial, field: Field, before: Json | undefined): Promise<Json | undefined> {
  const bare = bareType(field.type);
  if (bare.kind === "scalar" && bare.name === "datetime") {
    const moment = "2001-02-03T04:05:06.000Z";
    return bare.unix === undefined ? moment : unixTimeOf(moment, bare.unix);
  }
  if (bare.kind === "id" && bare.made === "counter") return 987_654_321;
  return otherValue(trial, field.type, [before, defaultValue(trial.contract.model, field)]);
}

interface Setting {
  readonly name: string;
  readonly field: Field;
  readonly path: string;
  readonly before: Json | undefined;
  readonly value: Json;
}

/** Expects that the request was rejected, or at least that it did not set the field. */
async function expectNotSet(
  trial: Trial,
  written: Written,
  { name, field, path, before, value }: Setting,
): Promise<void> {
  const { interaction, record, response, write } = written;
  const { model } = trial.contract;
  if (response.status >= 300) {
    const mistaken = { what: "another value", member: name, codes: ["read-only", "unknown-field"], path };
    expectRejected(trial, write.called, interaction, mistaken, [...possibleErrors(trial, written), "not-found"]);
  }
  const after =
    fieldIn(trial, written, name) ?? (record === undefined ? undefined : await readField(trial, record, name));
  if (write.kind !== "create" && before !== undefined && after !== undefined) {
    // Time and the service itself may change a field, but not to this value.
    if (!isSame(model, field.type, value, after) || isSame(model, field.type, before, after)) return;
    throw brokenBy(trial, `\`${name}\` with ${shortText(before)} as before`, shortText(after), path);
  }
  if (response.status >= 300) return;
  if (after === undefined) throw new NotTried(`no response shows \`${name}\``);
  if (isSame(model, field.type, value, after) && isUnlikely(field, value))
    throw brokenBy(trial, `\`${name}\` with another value than that of the request`, shortText(after), path);
}

/** Whether the server would hardly choose the value itself. */
function isUnlikely({ default: written }: Field, value: Json): boolean {
  return written !== undefined || JSON.stringify(value).length > 6;
}
