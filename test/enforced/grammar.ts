/**
 * The words of one-line forms that the model stores as text, from the readers' lists: each a path below the member with the text.
 */
import { lifetimes, revocations } from "../../src/language/authentication/model.ts";
import { errorVariables, standardErrors } from "../../src/language/errors/model.ts";
import { envelopeVariables } from "../../src/language/events/model.ts";
import { pers, windowUnits } from "../../src/language/limits/model.ts";

export function grammar(): readonly string[] {
  return [
    ...below("authentication/credentials/lasts", lifetimes),
    ...below("authentication/credentials/revoked", revocations),
    ...below("endpoints/endpoints/gives", [
      "View",
      "View[]",
      "Resource",
      "count",
      "next",
      "page expression",
      "none",
      "{}",
    ]),
    ...below("endpoints/endpoints/path", pathForms),
    ...below("limits/rate", ["all", "anyone", "operation"]),
    ...below("limits/rate/window", Object.keys(windowUnits)),
    ...below("limits/rate/per", [...pers, "Resource"]),
    ...below("limits/quota", ["operation", "resource", "webhook"]),
    ...below("limits/size", ["request", "operation"]),
    ...below("limits/time", ["request", "operation"]),
    ...below("limits/keep/after", ["final", "state", "field"]),
    ...below("errors/standard", Object.keys(standardErrors)),
    ...below("errors/body/shape", errorVariables),
    ...below("events/envelope/shape", envelopeVariables),
    ...below("events/delivery/webhook/signed", signatureMembers),
  ];
}

/** The members of `SignatureScheme`, which no model declares. */
const signatureMembers = ["over", "headers", "separator", "key"];

/** What the parameters of a path name a record by, which the model stores as one text. */
const pathForms = [
  "id",
  "unique field",
  "fixed text",
  "parent",
  "field below the parent",
  "reference and field",
  "field of the reference",
  "fields together",
  "fields together below the parent",
  "fields together of a parent",
];

function below(path: string, words: readonly string[]): readonly string[] {
  return words.map((word) => `${path}/${word}`);
}
