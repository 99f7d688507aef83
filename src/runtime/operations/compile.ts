/**
 * Compiles operations at start, so that a request only looks up its validators and queries. Everything that depends on the kind
 * of caller is compiled at its first request (`compile-for-role.ts`).
 */
import { getOrMake } from "../../base/once.ts";
import type { Operation } from "../../plan/endpoints/types.ts";
import type { Plan } from "../../plan/plan.ts";
import { noTable } from "../../plan/resources/tables.ts";
import type { Table } from "../../plan/resources/types.ts";
import type { Store } from "../../store/port/store.ts";
import type { CallerKinds } from "../context/caller.ts";
import type { CompiledOperation, Extensions, ForKind, ResourceView } from "../context/compiled.ts";
import { tableOf } from "../context/context.ts";
import type { Reads, VersionConverter, VersionedOperation } from "../context/version.ts";
import { contractValidator } from "../functions/contract-input.ts";
import { compileContract } from "../functions/contract-response.ts";
import { viewOf } from "../records/views.ts";
import { partlyHiddenColumns, withoutWriteOnly } from "../records/write-only.ts";
import { idPatterns } from "../validation/messages.ts";
import { createValidators, operationValidators } from "../validation/validator.ts";
import { compileForRole } from "./compile-for-role.ts";

export interface CompileOptions {
  readonly plan: Plan;
  readonly tables: ReadonlyMap<string, Table>;
  readonly store: Store;
  readonly kinds: CallerKinds;
  readonly extensions?: Extensions;
}

export function compileOperations({
  plan,
  tables,
  store,
  kinds,
  extensions = {},
}: CompileOptions): ReadonlyMap<string, CompiledOperation> {
  const validatorOf = createValidators(idPatterns(plan.tables), plan.schemas);
  const views = new Map<string, ResourceView>();
  const recordView = (table: Table, kind: number): ResourceView => {
    const key = `${table.resource} ${kind}`;
    return getOrMake(views, key, () =>
      viewOf(table, kinds.subject(kind), (resource) => recordView(tableOf({ tables }, resource), kind).view),
    );
  };
  const compileOperation = (operation: Operation): CompiledOperation => {
    const table = tableAbout(operation, tables);
    const { validate, ...validators } = operationValidators(operation, validatorOf);
    const { shape } = operation.response;
    const perKind: (ForKind | undefined)[] = [];
    return {
      operation,
      table,
      ...validators,
      validate: operation.wire === undefined ? validate : validate && contractValidator(validate, operation.wire),
      validateResponse: shape && validatorOf(shape.schema),
      strip: shape && withoutWriteOnly(shape.schema, plan.schemas),
      wire: compileContract(operation, validatorOf, plan.schemas),
      secrets: table.columns.filter(({ marks }) => marks.includes("secret")),
      partlyHidden: partlyHiddenColumns(table, plan.schemas),
      reading: plan.operations.find(
        ({ action, resource, key }) => action === "read" && resource === operation.resource && key !== undefined,
      ),
      extension: extensions[operation.name],
      siblings: siblingsOf(plan, operation),
      forKind: (kind) =>
        (perKind[kind] ??= compileForRole(
          operation,
          store,
          recordView(table, kind),
          {
            views: plan.views,
            subject: kinds.subject(kind),
            record: (resource) => recordView(tableOf({ tables }, resource), kind).view,
          },
          [...tables.values()],
        )),
    };
  };
  return new Map(plan.operations.map((operation) => [operation.name, compileOperation(operation)]));
}

function tableAbout({ resource }: Operation, tables: ReadonlyMap<string, Table>): Table {
  return resource === "" ? noTable : tableOf({ tables }, resource);
}

/** Compiles the bodies and views of an older version's operations; they never query the store. */
export function compileVersioned(plan: Plan, kinds: CallerKinds): readonly VersionedOperation[] {
  const validatorOf = createValidators(idPatterns(plan.tables), plan.schemas);
  const tables = new Map(plan.tables.map((table) => [table.resource, table]));
  return plan.operations.map((operation): VersionedOperation => {
    const table = tableAbout(operation, tables);
    const views: ResourceView[] = [];
    const compiled: CompiledOperation = {
      operation,
      table,
      ...operationValidators(operation, validatorOf),
      validateResponse: undefined,
      wire: undefined,
      secrets: [],
      partlyHidden: new Set(),
      reading: undefined,
      extension: undefined,
      siblings: siblingsOf(plan, operation),
      forKind: () => {
        throw new Error(`${operation.name} of an older version is not run`);
      },
    };
    const viewFor = (kind: number): ResourceView => (views[kind] ??= viewOf(table, kinds.subject(kind)));
    const reads: (Reads | "none" | undefined)[] = [];
    return {
      compiled,
      viewFor,
      readsFor(number, kind, converter) {
        const made = (reads[number] ??= readsOf(operation, kind, viewFor(number), converter) ?? "none");
        return made === "none" ? undefined : made;
      },
    };
  });
}

function readsOf(
  { response }: Operation,
  kind: ForKind,
  own: ResourceView,
  converter: VersionConverter,
): Reads | undefined {
  if (kind.own !== undefined || response.kind === "shape") return undefined;
  const { view } = kind.record;
  const olderView = converter.changes({ kind: "record", resource: view.resource })
    ? converter.viewToOlder(view)
    : undefined;
  if (olderView === undefined) return undefined;
  // Members hidden from this caller are hidden in the older version too.
  const members = own.tag === "" ? olderView.members : olderView.members.filter(({ name }) => own.known.has(name));
  return kind.readsIn({ ...olderView, members });
}

/** Returns the operations that make transitions of existing records of the same resource. */
function siblingsOf({ operations }: Plan, { resource }: Operation): readonly Operation[] {
  return operations.filter((one) => one.moves.length > 0 && one.action !== "create" && one.resource === resource);
}
