/** Compiles all versions of a document: the newest one, which runs, and older ones, which are converted to the newest. */
import type { OlderPlan, VersionLocation, VersionPlan, VersionsPlan } from "../plan/versioning/conversion-types.ts";
import { createValidators } from "./validation/validator.ts";
import type { CompiledOperation } from "./context/compiled.ts";
import { compileVersioned, compileOperations, type CompileOptions } from "./operations/compile.ts";
import { createProblems } from "./errors/problem.ts";
import { createVersionConverter, createStepConverters } from "./versions/compose-steps.ts";
import type { VersionedOperation, Served } from "./context/version.ts";

export interface VersionsOptions extends CompileOptions {
  /** Returns the absolute URL of an error code's documentation. */
  readonly documentation: (code: string) => string;
}

/** A version with its operations. */
export interface Version {
  readonly served: Served;
  readonly operations: readonly { readonly compiled: CompiledOperation; readonly received?: VersionedOperation }[];
}

/** Creates the versions, newest first; a single one without a name if the document has no versions. */
export function createVersions(
  options: VersionsOptions,
  newest: ReadonlyMap<string, CompiledOperation>,
): readonly Version[] {
  const { plan, kinds, documentation } = options;
  const { versions } = plan;
  const operations = [...newest.values()].map((compiled) => ({ compiled }));
  if (versions === undefined) {
    const problems = createProblems(plan, documentation);
    return [{ served: { plan, tag: "", prefix: "", headers: [], problems }, operations }];
  }
  const converterOf = createStepConverters(createValidators(undefined, plan.schemas));
  const steps = versions.list.map(({ older }) => older?.step);
  return versions.list.map((version, index): Version => {
    const info = versionInfoOf(versions, version, index);
    const { older } = version;
    if (older === undefined) {
      return { served: { ...info, plan, problems: createProblems(plan, documentation) }, operations };
    }
    const converter = createVersionConverter(
      steps
        .slice(1, index + 1)
        .toReversed()
        .flatMap((step) => (step === undefined ? [] : [converterOf(step)])),
    );
    const served = {
      ...info,
      plan: older.received,
      problems: createProblems(older.received, documentation),
      converter,
    };
    const running = runningOperations(options, older, newest);
    const received = compileVersioned(older.received, kinds);
    return {
      served,
      operations: received.flatMap((one) => {
        const compiled = running.get(converter.newerOperation(one.compiled.operation.name));
        return compiled === undefined ? [] : [{ compiled, received: one }];
      }),
    };
  });
}

/** Returns the newest version's operations; compiles them again if this version has other paths. */
function runningOperations(
  options: CompileOptions,
  { operations }: OlderPlan,
  newest: ReadonlyMap<string, CompiledOperation>,
): ReadonlyMap<string, CompiledOperation> {
  if (operations.length === 0) return newest;
  const byName = new Map(operations.map((operation) => [operation.name, operation]));
  // All operations are compiled again, because they refer to others of their resource (`Location`, allowed transitions).
  const { plan } = options;
  const mine = plan.operations.map((operation) => byName.get(operation.name) ?? operation);
  return compileOperations({ ...options, plan: { ...plan, operations: mine } });
}

type VersionInfo = Pick<Served, "name" | "tag" | "prefix" | "headers" | "vary" | "mediaType" | "deprecated">;

function versionInfoOf(
  { sent, scheme, list }: VersionsPlan,
  { name, deprecated }: VersionPlan,
  index: number,
): VersionInfo {
  const successor = list[index - 1]?.name;
  const since =
    deprecated?.since ?? (scheme === "dated" && successor !== undefined ? Date.parse(successor) : undefined);
  return {
    name,
    tag: `@${name}`,
    prefix: sent?.kind === "path" ? sent.template.replace("{n}", name) : "",
    headers: sent?.kind === "header" ? [sent.name, name] : [],
    ...varyOf(sent),
    ...(sent?.kind === "media-type" ? { mediaType: `; version=${name}` } : {}),
    ...(deprecated === undefined ? {} : { deprecated: { ...deprecated, ...(since === undefined ? {} : { since }) } }),
  };
}

function varyOf(sent: VersionLocation | undefined): Pick<Served, "vary"> {
  if (sent?.kind === "header") return { vary: sent.name };
  return sent?.kind === "media-type" ? { vary: "Accept" } : {};
}
