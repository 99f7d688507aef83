/** Learns the records that requests made without `make`, so that the test can delete them at its end, or before if a quota is used up. */
import { lookup } from "../../language/resources/fields.ts";
import type { Caller } from "../caller.ts";
import type { Operation } from "../contract.ts";
import { type Interaction, isResponse } from "../interaction.ts";
import { recordIn } from "../response.ts";
import { type KnownRecord, newRecord } from "./known.ts";
import { learnRepresentation } from "./learning.ts";
import type { Trial } from "./trial.ts";
import { findRecord } from "./world.ts";

export function learnMade(
  trial: Trial,
  called: Operation,
  creator: Caller,
  interaction: Interaction,
  parent?: KnownRecord,
): void {
  const { response } = interaction;
  if (called.action !== "create" || called.kind !== "resource" || !isResponse(response) || response.status >= 300)
    return;
  const observed = recordIn(trial.contract, called, response.json);
  const id = lookup(observed?.record ?? {}, "id");
  if (observed === undefined || id === undefined || findRecord(trial.world, called.resource, id) !== undefined) return;
  const [above, field] = [parent?.values.get("id"), called.parents.at(-1)?.field];
  const values = above === undefined || field === undefined ? {} : { [field]: above };
  const record: KnownRecord = { ...newRecord(called.resource, creator, [interaction], { id, ...values }), parent };
  record.observed.set("id", id);
  learnRepresentation(trial, record, creator, observed.record, observed.view);
  trial.world.records.push(record);
}
