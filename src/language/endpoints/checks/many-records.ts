/** Reports an array of records in a body where no request can create them. */
import type { DocumentIndex } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";
import { bareType, fieldsOf, lookup } from "../../resources/fields.ts";
import { inputOf } from "../input.ts";
import type { ManyRecords } from "../model.ts";
import type { ResourceEndpoint } from "../resolve.ts";
import { type Batch, batchOf } from "../shape.ts";

/** The most records of one request: a transaction blocks other writes of its records. */
const mostRecords = 10_000;

const manyRecordsUnclear: Check = {
  code: "endpoints/many-records-unclear",
  severity: "error",
  why: "One request creates all records of an array or none, and answers with the created records.",
  *run(documentIndex) {
    const { endpoints, model } = documentIndex;
    for (const resolved of endpoints.values()) {
      const { endpoint, operation } = resolved;
      const batch = resolved.kind === "unclear" ? undefined : batchOf(model, resolved);
      const at = `endpoints/endpoints/${operation}`;
      if (batch !== undefined && resolved.kind === "resource") {
        for (const [member, message, help] of unfit(documentIndex, resolved, batch))
          yield { at: `${at}/${member}`, message, ...(help === undefined ? {} : { help }) };
      } else if (endpoint.manyRecords !== undefined && resolved.kind !== "unclear") {
        yield { at: `${at}/manyRecords`, ...notCreated(documentIndex, resolved, endpoint.manyRecords) };
      }
    }
  },
};

function notCreated(
  { model }: DocumentIndex,
  resolved: Pick<ResourceEndpoint, "operation"> & { action?: string; resource?: string | undefined },
  { of }: ManyRecords,
) {
  const { views = {}, resources } = model.resources;
  const { action, operation, resource = "" } = resolved;
  const target = lookup(views, of)?.of ?? (lookup(resources, of) === undefined ? undefined : of);
  if (target === undefined)
    return {
      message: `There is no view \`${of}\``,
      unknown: { name: of, known: [...Object.keys(views), ...Object.keys(resources)] },
    };
  if (target !== resource) return { message: `\`${of}\` is of ${target}, and \`${operation}\` is about ${resource}` };
  return {
    message: `\`${operation}\` creates no records: it is a ${action}`,
    help: "use `POST` and the path of a collection",
  };
}

type Unfit = readonly [member: string, message: string, help?: string];

function* unfit({ model }: DocumentIndex, resolved: ResourceEndpoint, { max, min }: Batch): Iterable<Unfit> {
  const { endpoint, operation, resource } = resolved;
  const takes = endpoint.manyRecords === undefined ? "takes" : "manyRecords";
  if (min > max) yield [takes, `\`${operation}\` takes at least ${min} and at most ${max} records`];
  if (max > mostRecords)
    yield [takes, `\`${operation}\` takes more than ${mostRecords} records`, "use several requests"];
  const fields = fieldsOf(model, resource);
  const unfitField = inputOf(model, resolved).find(({ name, field }) => {
    const isSecret = lookup(fields, name)?.marks.includes("secret") === true;
    return isSecret || bareType(field.type).kind === "file";
  });
  if (unfitField !== undefined)
    yield [
      takes,
      `\`${unfitField.name}\` cannot be in an array: it is a file or a secret`,
      "create such records one by one",
    ];
  if (endpoint.headers !== undefined) yield ["headers", `\`${operation}\` answers with several records, not with one`];
  for (const outcome of Object.keys(endpoint.statuses ?? {}))
    yield [`status/${outcome}`, `\`${operation}\` has a single outcome: it has created all records`];
}

export const checks: readonly Check[] = [manyRecordsUnclear];
