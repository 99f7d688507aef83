/** Creates a client from the description of a service. */
import { callOf } from "./calls.ts";
import type { OperationDescription, ServiceDescription, WaitDescription } from "./description.ts";
import { listed } from "./lists.ts";
import { type ParsedResponse, type Query, type Request, type Scalar, type UsedOptions, valueOf } from "./request.ts";
import { fetchChecked } from "./requests.ts";
import { followed } from "./streams.ts";
import { waiting } from "./waits.ts";

export { clientOf };

// ── The client ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** Creates a function for each operation and each wait; the types above describe arguments and results. */
function clientOf(
  service: ServiceDescription,
  waits: Readonly<Record<string, WaitDescription>>,
  clientOptions: UsedOptions,
): Readonly<Record<string, unknown>> {
  const root = clientOptions.baseUrl.replace(/\/+$/, "") + service.mount;
  const send = (request: Request): Promise<ParsedResponse> => fetchChecked(service, clientOptions, root, request);
  const methods = Object.entries(service.operations).map(([name, operation]): [string, unknown] => {
    const requestFrom = (values: readonly unknown[]): Request => argumentsOf(name, operation, values);
    if (operation.stream !== undefined)
      return [name, (...values: unknown[]) => followed(service, clientOptions, root, requestFrom(values))];
    if (operation.page !== undefined) return [name, (...values: unknown[]) => listed(send, requestFrom(values))];
    return [name, (...values: unknown[]) => callOf(send(requestFrom(values)).then(valueOf))];
  });
  const client = Object.fromEntries(methods);
  for (const [name, wait] of Object.entries(waits)) client[name] = waiting(client, service, wait);
  return client;
}

/** Assigns the arguments to path parameters, body, query and options, of which each operation takes only some. */
function argumentsOf(name: string, operation: OperationDescription, values: readonly unknown[]): Request {
  const count = operation.path.match(/\{/g)?.length ?? 0;
  const rest = [...values.slice(count)];
  return {
    name,
    operation,
    parameters: values.slice(0, count) as readonly Scalar[],
    ...(operation.requestType === undefined ? {} : { body: rest.shift() }),
    ...(operation.query === undefined ? {} : { query: rest.shift() as Query | undefined }),
    options: (rest.shift() ?? {}) as Request["options"],
  };
}
