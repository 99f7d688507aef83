/** Learns the records that requests made without `make`, so that the test can delete them at its end, or before if a quota is used up. */
import { lookup } from "../../language/resources/fields.ts";
import type { Caller } from "../caller.ts";
import type { Operation } from "../contract.ts";
import { type Interaction, isResponse } from "../interaction.ts";
import { recordIn } from "../response.ts";
import { newRecord } from "./known.ts";
import type { Trial } from "./trial.ts";
import { findRecord } from "./world.ts";

export function learnMade(trial: Trial, called: Operation, creator: Caller, interaction: Interaction): void {
  const { response } = interaction;
  if (called.action !== "create" || called.kind !== "resource" || !isResponse(response) || response.status >= 300)
    return;
  const id = lookup(recordIn(trial.contract, called, response.json)?.record ?? {}, "id");
  if (id === undefined || findRecord(trial.world, called.resource, id) !== undefined) return;
  const record = newRecord(called.resource, creator, [interaction], { id });
  record.observed.set("id", id);
  trial.world.records.push(record);
}
