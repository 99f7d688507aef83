/** A read that is of no record: what the service as a whole says, by one prepared query (R4.15, R4.16). */
import { textTag } from "../records/entity-tag.ts";
import type { Call } from "../context/context.ts";
import type { HttpResponse } from "../../http/message.ts";
import { readResponse } from "./read.ts";
import { ApiError } from "../errors/api-error.ts";
import { versionedText } from "../versions/request.ts";

export async function readAll(call: Call): Promise<HttpResponse> {
  const { kind, compiled, variables } = call;
  const { guard } = compiled.operation;
  const aggregate = await kind.aggregate(variables);
  if (aggregate === undefined) throw new ApiError("forbidden");
  if (guard !== undefined && (await kind.readAggregate(variables)) === undefined) throw new ApiError(guard.else);
  const text = versionedText(call, aggregate);
  return readResponse(call, text, textTag(call, text));
}
