/**
 * Finds the operations that a handler performs by its contract (`wire`) in one document, and Nonet in the other. Their clients
 * notice the difference of two contracts, one of which a later phase derives.
 */
import type { Endpoint, EndpointContract } from "../language/endpoints/model.ts";
import { resolveEndpoint } from "../language/endpoints/resolve.ts";
import type { Model } from "../language/model.ts";
import { lookup } from "../language/resources/fields.ts";
import type { Difference } from "./difference.ts";

export interface Handover {
  readonly operation: string;
  /** Who performs the operation in the newer document. */
  readonly to: "Nonet" | "a handler";
  /** The contract of the handler. */
  readonly contract: EndpointContract;
  readonly old: Endpoint;
  readonly now: Endpoint;
}

/** The differences of handed over operations, which take the place of all other differences of them. */
export interface HandoverDifferences {
  readonly operations: ReadonlySet<string>;
  readonly differences: readonly Difference[];
}

/** Returns the operations of both documents that are handed over. */
export function handovers(old: Model, now: Model): readonly Handover[] {
  return Object.entries(now.endpoints.endpoints).flatMap(([operation, after]): Handover[] => {
    const before = lookup(old.endpoints.endpoints, operation);
    if (before === undefined) return [];
    const found = { operation, old: before, now: after };
    if (before.wire !== undefined && isPerformed(now, operation))
      return [{ ...found, to: "Nonet", contract: before.wire }];
    if (after.wire !== undefined && isPerformed(old, operation))
      return [{ ...found, to: "a handler", contract: after.wire }];
    return [];
  });
}

function isPerformed(model: Model, operation: string): boolean {
  return resolveEndpoint(model, operation)?.kind === "resource";
}

/** Returns the contract of the old endpoint with the names that the new one has for the parameters of the path. */
export function withPathNames(contract: EndpointContract, old: Endpoint, now: Endpoint): EndpointContract {
  if (contract.path === undefined || old.path === now.path || routeShape(old) !== routeShape(now)) return contract;
  const [before, after] = [old, now].map(({ path }) =>
    [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name = ""]) => name),
  );
  const renamed = new Map(before?.map((name, index) => [name, after?.[index] ?? name]));
  const path = Object.entries(contract.path).map(([name, one]) => [renamed.get(name) ?? name, one] as const);
  return { ...contract, path: Object.fromEntries(path) };
}

/** Returns the route without the names of its parameters, which no request contains. */
export function routeShape({ method, path }: Endpoint): string {
  return `${method} ${path}`.replaceAll(/\{[^{}]*\}/g, "{}");
}
