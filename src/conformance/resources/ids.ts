/** Ids: those that the service makes are new each time, and those that clients choose are within what the document writes. */
import { withArticle } from "../../base/case.ts";
import type { Json } from "../../base/json.ts";
import { createdKeys, creates } from "../../language/endpoints/input.ts";
import { fieldsOf } from "../../language/resources/fields.ts";
import type { Field } from "../../language/resources/model.ts";
import { ifPossible } from "../attempts.ts";
import { Broken, type Case, NotTried, shortText } from "../case.ts";
import { type Contract, deletionOf } from "../contract.ts";
import { statusText } from "../errors/expected.ts";
import { brokenBy } from "../expect.ts";
import type { Trial } from "../trial/trial.ts";
import { edgeValues, invalidValues } from "../values/boundaries.ts";
import { expectAccepted } from "./outcome.ts";
import { creationsOf, readField, sendWrite, supplyFor, type Write, type Written } from "./writing.ts";

export function idCases(contract: Contract): readonly Case[] {
  return Object.keys(contract.model.resources.resources).flatMap((resource) => {
    const field = fieldsOf(contract.model, resource)["id"];
    if (field === undefined) return [];
    return creationsOf(contract, resource).flatMap((write) => [
      isId(contract, write, field),
      ...(createdKeys(contract.model, write.called).includes("id") ? [isChosen(write, field)] : []),
    ]);
  });
}

/** Ids in the path that are just long enough create a record, and others do not. */
function isChosen(write: Write, { type }: Field): Case {
  const { operation, resource } = write.called;
  const path = `resources/${resource}/id`;
  return {
    id: `${path}: in the path of ${operation}`,
    aspects: [{ path, expects: `${operation} creates a record if the id in its path is valid, and none otherwise` }],
    operation,
    run: async (trial) => {
      const { contract } = trial;
      const supply = await supplyFor(trial, type);
      const edges = edgeValues(contract, type, supply).filter(isSendable);
      const mistakes = invalidValues(contract, type, supply).filter(isSendable);
      if (edges.length + mistakes.length === 0) throw new NotTried("the document declares no limit for the id");
      for (const { what, value } of edges) {
        trial.startOver();
        const written = await sendWrite(trial, write, { id: value, isValid: true });
        expectAccepted(trial, written, `${what} as the id to be accepted`, path);
      }
      for (const { what, value } of mistakes) {
        trial.startOver();
        const { interaction, response } = await sendWrite(trial, write, { id: value, obeysRules: true });
        if (response.status < 300)
          throw new Broken(`${what} as the id to be rejected`, statusText(contract, response), interaction, path);
      }
    },
  };
}

/** Longer ids may be too long for a path. */
const longest = 1000;

/** Whether the document writes a limit, and a path can contain the value. */
function isSendable({ stated, value }: { readonly stated: boolean; readonly value: Json }): boolean {
  return stated && typeof value === "string" && value.length <= longest && !["", ".", ".."].includes(value);
}

function isId(contract: Contract, write: Write, { type }: Field): Case {
  const { called } = write;
  const { operation, resource } = called;
  const path = `resources/${resource}/id`;
  const isPut = creates(contract.model, called);
  const isCounted = type.kind === "id" && type.made === "counter";
  const isGenerated = type.kind === "id" && type.made !== "client";
  return {
    id: `${path}: ${write.name}`,
    aspects: [{ path, expects: isPut ? "the record gets the id of the path" : "each record gets another id" }],
    operation,
    run: async (trial) => {
      const ids: Json[] = [];
      for (let count = 0; count < 2; count += 1) {
        const written = await sendWrite(trial, write, { isValid: true });
        expectAccepted(trial, written, `${operation} to create a record`);
        const { record } = written;
        const sent = record?.values.get("id");
        const observed = record === undefined ? undefined : await readField(trial, record, "id", written.caller);
        if (observed === undefined) throw new NotTried(`no response shows the id of ${withArticle(resource)}`);
        if (isPut && sent !== undefined && sent !== observed)
          throw brokenBy(trial, `the id ${shortText(sent)} of the path`, shortText(observed), path);
        ids.push(observed);
        if (isCounted && record !== undefined && count === 0) await remove(trial, resource, record);
      }
      const [first, second] = ids as [Json, Json];
      // An id that clients choose may be one of few.
      if (!isGenerated) return;
      if (isCounted ? Number(second) > Number(first) : second !== first) return;
      throw brokenBy(
        trial,
        isCounted ? `an id greater than ${shortText(first)}, since no id is used again` : "another id",
        shortText(second),
        path,
      );
    },
  };
}

/** Deletes a record if somebody may, since a counted id must not be used again after that. */
async function remove(trial: Trial, resource: string, record: NonNullable<Written["record"]>): Promise<void> {
  const found = deletionOf(trial.contract, resource);
  if (found !== undefined) await ifPossible(() => trial.call(found.operation, { record }));
}
