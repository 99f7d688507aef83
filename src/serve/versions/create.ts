/** All versions of a document made ready: the newest, which runs, and the older ones, which are converted to it. */
import type { OlderPlan, VersionPlace, VersionPlan, VersionsPlan } from "../../plan/version.ts";
import { createJudges } from "../judge.ts";
import { type Prepared, prepareAsked, prepareOperations, type PreparingOptions } from "../prepared.ts";
import { createProblems } from "../problem.ts";
import { createChain, createLinks } from "./chain.ts";
import type { AskedOperation, Served } from "./served.ts";

export interface VersionsOptions extends PreparingOptions {
  /** The absolute address of a code's page. */
  readonly documentation: (code: string) => string;
}

/** A version with the operations that its paths lead to. */
export interface Version {
  readonly served: Served;
  readonly operations: readonly { readonly prepared: Prepared; readonly asked?: AskedOperation }[];
}

/** Newest first; one without a name where the document has no versions. */
export function createVersions(options: VersionsOptions, newest: ReadonlyMap<string, Prepared>): readonly Version[] {
  const { plan, kinds, documentation } = options;
  const { versions } = plan;
  const operations = [...newest.values()].map((prepared) => ({ prepared }));
  if (versions === undefined) {
    const problems = createProblems(plan, documentation);
    return [{ served: { plan, tag: "", prefix: "", headers: [], problems }, operations }];
  }
  const linkOf = createLinks(createJudges(undefined, plan.schemas));
  const steps = versions.list.map(({ older }) => older?.step);
  return versions.list.map((version, index): Version => {
    const said = toldOf(versions, version, index);
    const { older } = version;
    if (older === undefined) {
      return { served: { ...said, plan, problems: createProblems(plan, documentation) }, operations };
    }
    const chain = createChain(
      steps
        .slice(1, index + 1)
        .toReversed()
        .flatMap((step) => (step === undefined ? [] : [linkOf(step)])),
    );
    const served = { ...said, plan: older.asked, problems: createProblems(older.asked, documentation), chain };
    const running = runningOperations(options, older, newest);
    const asked = prepareAsked(older.asked, kinds);
    return {
      served,
      operations: asked.flatMap((one) => {
        const prepared = running.get(chain.newerOperation(one.prepared.operation.name));
        return prepared === undefined ? [] : [{ prepared, asked: one }];
      }),
    };
  });
}

/** The newest version's operations, and this one's own where their paths differ. */
function runningOperations(
  options: PreparingOptions,
  { operations }: OlderPlan,
  newest: ReadonlyMap<string, Prepared>,
): ReadonlyMap<string, Prepared> {
  if (operations.length === 0) return newest;
  const own = new Map(operations.map((operation) => [operation.name, operation]));
  // All of them, since each knows those of its resource: where a record is found, which moves there are.
  const { plan } = options;
  const mine = plan.operations.map((operation) => own.get(operation.name) ?? operation);
  return prepareOperations({ ...options, plan: { ...plan, operations: mine } });
}

type Told = Pick<Served, "name" | "tag" | "prefix" | "headers" | "vary" | "mediaType" | "sunset">;

function toldOf({ sent, scheme, list }: VersionsPlan, { name, deprecated }: VersionPlan, index: number): Told {
  const successor = list[index - 1]?.name;
  const since =
    deprecated?.since ?? (scheme === "dated" && successor !== undefined ? Date.parse(successor) : undefined);
  const { sunset, guide } = deprecated ?? {};
  const ending =
    deprecated === undefined
      ? []
      : [
          // RFC 9745: a structured field's date. RFC 8594: an HTTP date.
          ...(since === undefined ? [] : ["Deprecation", `@${Math.floor(since / 1000)}`]),
          ...(sunset === undefined ? [] : ["Sunset", new Date(sunset).toUTCString()]),
          ...(guide === undefined ? [] : ["Link", `<${guide}>; rel="deprecation"; type="text/html"`]),
        ];
  return {
    name,
    tag: `@${name}`,
    prefix: sent?.kind === "path" ? sent.template.replace("{n}", name) : "",
    headers: [...(sent?.kind === "header" ? [sent.name, name] : []), ...ending],
    ...varyOf(sent),
    ...(sent?.kind === "media-type" ? { mediaType: `; version=${name}` } : {}),
    ...(sunset === undefined ? {} : { sunset }),
  };
}

function varyOf(sent: VersionPlace | undefined): Pick<Served, "vary"> {
  if (sent?.kind === "header") return { vary: sent.name };
  return sent?.kind === "media-type" ? { vary: "Accept" } : {};
}
