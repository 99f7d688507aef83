/** A request while the service responds to it; each stage of `respond.ts` adds what it finds out. */
import type { HttpRequest, HttpResponse } from "../../http/message.ts";
import type { ApiError } from "../errors/api-error.ts";
import type { ObservationBuilder } from "./observation.ts";

export interface IncomingRequest {
  readonly httpRequest: HttpRequest;
  readonly observation: ObservationBuilder;
  /** Renders an error as the response that the caller gets. */
  readonly rejected: (error: ApiError) => HttpResponse;
  /** The files that its body brought; those that no record was given are deleted at the end, whatever happened. */
  readonly uploads: string[];
}
