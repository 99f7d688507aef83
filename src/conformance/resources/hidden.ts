/** Fields for writing alone, and secrets: no response ever contains their values. */
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { fieldsOf, isNeverReturned, lookup } from "../../language/resources/fields.ts";
import { Broken, type Case, NotTried } from "../case.ts";
import type { Contract } from "../contract.ts";
import { type Interaction, isResponse } from "../interaction.ts";
import { pointerOf } from "../request.ts";
import type { Trial } from "../trial/trial.ts";
import { problemOf } from "../values/fits.ts";
import { expectAccepted } from "./outcome.ts";
import { sendWrite, sets, type Write, writesOf } from "./writing.ts";

export function hiddenCases(contract: Contract): readonly Case[] {
  return Object.keys(contract.model.resources.resources).flatMap((resource) =>
    Object.entries(fieldsOf(contract.model, resource)).flatMap(([name, field]) => {
      if (!isNeverReturned(field)) return [];
      const writes = writesOf(contract, resource).filter((write) => sets(write, name));
      return writes.length === 0
        ? []
        : [
            ...writes.filter(({ kind }) => kind === "create").map((write) => isInvisible(write, name)),
            never(contract, resource, name, writes),
          ];
    }),
  );
}

/** The record without the value is what everybody sees. */
function isInvisible(write: Write, name: string): Case {
  const { operation, resource } = write.called;
  const path = `resources/${resource}/${name}`;
  return {
    id: `${path}: not shown after ${write.name}`,
    aspects: [{ path, expects: `no response shows \`${name}\` after ${operation}` }],
    operation,
    run: async (trial) => {
      const chosen = distinctiveValue(trial, write, name);
      const values = chosen === undefined ? {} : { [name]: chosen };
      const written = await sendWrite(trial, write, { values, isValid: true });
      expectAccepted(trial, written, `${operation} to create a record`);
      // Each response is compared with the fields that the caller sees, so reading as everybody is enough.
      if (written.record !== undefined)
        for (const caller of await trial.callers()) await trial.readAs(written.record, caller);
      const value = lookup(written.body, name);
      const observed = isDistinctive(value) ? trial.interactions.find((one) => contains(one, value)) : undefined;
      if (observed !== undefined)
        throw new Broken(`no response with the value of \`${name}\``, "the value", observed, path);
    },
  };
}

/** Returns a value by which a response that shows it is known; undefined if the type has none. */
function distinctiveValue({ contract, random }: Trial, write: Write, name: string): string | undefined {
  const type = write.members.find((one) => one.name === name)?.field.type;
  const max = type?.kind === "scalar" ? (type.max ?? 24) : 24;
  const value = random.text(Math.min(max, 24));
  return type !== undefined && isDistinctive(value) && problemOf(contract, type, value, "input") === undefined
    ? value
    : undefined;
}

/** No response of the whole run contains a value that a request had. */
function never(contract: Contract, resource: string, name: string, writes: readonly Write[]): Case {
  const path = `resources/${resource}/${name}`;
  return {
    id: `${path}: in no response`,
    aspects: [{ path, expects: `no response of the run contains a value of \`${name}\` from a request` }],
    last: true,
    run: async ({ world }) => {
      const pointers = new Map(writes.map(({ called }) => [called.operation, pointerOf(contract, called, name)]));
      const sent = new Set(world.all.flatMap((one) => valueAt(one, pointers.get(one.operation ?? "")) ?? []));
      const distinctive = [...sent].filter(isDistinctive);
      if (distinctive.length === 0)
        throw new NotTried(`no request had a value of \`${name}\` that is long enough to recognize in a response`);
      for (const value of distinctive) {
        const observed = world.all.find((one) => contains(one, value));
        if (observed !== undefined)
          throw new Broken(`no response with a value of \`${name}\``, "a value that was sent", observed, path);
      }
    },
  };
}

/** A value that a response hardly contains by chance: a long text of different characters. */
function isDistinctive(value: Json | undefined): value is string {
  return typeof value === "string" && value.length >= 12 && new Set(value).size >= 8;
}

function contains({ response }: Interaction, value: string): boolean {
  return isResponse(response) && response.text.includes(JSON.stringify(value).slice(1, -1));
}

function valueAt({ request: { body } }: Interaction, pointer: string | undefined): Json | undefined {
  if (pointer === undefined || typeof body !== "string") return undefined;
  let at: Json | undefined;
  try {
    at = JSON.parse(body) as Json;
  } catch {
    return undefined;
  }
  for (const step of pointer.split("/").slice(1)) at = isObject(at) ? lookup(at as JsonObject, step) : undefined;
  return at;
}
