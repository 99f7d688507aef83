/** Whether a creation that failed has left a record: one with a value that no other record has. */
import { withArticle } from "../../base/case.ts";
import { isObject, type Json } from "../../base/json.ts";
import { bareType, fieldsOf, isNeverReturned, isUnique, lookup } from "../../language/resources/fields.ts";
import { Broken, NotTried } from "../case.ts";
import { mayRun } from "../permissions.ts";
import { observableFields } from "../response.ts";
import { readersOf } from "../trial/looking.ts";
import { pagesOf } from "../trial/pages.ts";
import type { Trial } from "../trial/trial.ts";
import { distinctValue } from "../values/valid.ts";
import { sendWrite, supplyFor, type Write, type Written } from "./writing.ts";

/** A member whose value only one record has. */
export interface Marker {
  readonly name: string;
  readonly value: Json;
}

/** Texts that are shorter may be in use. */
const shortest = 8;

/** Returns a member with a value that no record has, other than those members. @throws NotTried if there is none */
export async function withMarker(trial: Trial, write: Write, except: readonly string[]): Promise<Marker> {
  const { contract, world } = trial;
  const { model } = contract;
  const candidates = write.members.filter(({ name, field }) => {
    const type = bareType(field.type);
    const isText = type.kind === "scalar" && ["string", "text", "email"].includes(type.name);
    return isText && !isNeverReturned(field) && !except.includes(name);
  });
  const isFirst = (name: string): number => Number(isUnique(model, write.called.resource, name));
  for (const { name, field } of candidates.toSorted((one, other) => isFirst(other.name) - isFirst(one.name))) {
    const value = distinctValue(contract, field.type, await supplyFor(trial, field.type), world.count());
    if (typeof value === "string" && value.length >= shortest) return { name, value };
  }
  throw new NotTried("the test finds no member whose value identifies the record");
}

/** How many pages the test reads to find a record. */
const mostPages = 10;

/** Expects no record with the marker: in the lists that the caller may read, or, if it is unique, by a second creation. */
export async function expectNoTrace(trial: Trial, written: Written, marker: Marker, path: string): Promise<void> {
  const { contract } = trial;
  const { called } = written.write;
  let isTried = false;
  for (const reader of readersOf(trial, called.resource)) {
    if (reader.action !== "list" || reader.parents.length > 0 || reader.endpoint.where !== undefined) continue;
    const isObserved = observableFields(contract, called.resource).includes(marker.name);
    if (!isObserved || mayRun(contract, reader.operation, written.caller, trial.around()) === false) continue;
    for await (const page of pagesOf(trial, reader, { caller: written.caller }, mostPages)) {
      isTried = true;
      if (page.items.some((item) => isObject(item) && lookup(item, marker.name) === marker.value))
        throw new Broken(
          "no record from the request that failed",
          `a record with \`${marker.name}\` ${JSON.stringify(marker.value)}`,
          page.interaction,
          path,
        );
    }
  }
  const isUniqueMarker =
    lookup(fieldsOf(contract.model, called.resource), marker.name)?.marks.includes("unique") === true;
  if (isUniqueMarker) {
    const again = await sendWrite(trial, written.write, {
      values: { [marker.name]: marker.value },
      caller: written.caller,
      isValid: true,
    });
    if (again.response.status === 409)
      throw new Broken(
        "no record from the request that failed",
        "its unique value is already used",
        again.interaction,
        path,
      );
    isTried ||= again.response.status < 300;
  }
  if (!isTried) throw new NotTried(`no list shows whether ${withArticle(called.resource)} exists`);
}
