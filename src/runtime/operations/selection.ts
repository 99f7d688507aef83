/** Reads the parameters with which a request selects what the response contains. */
import { defined } from "../../base/defined.ts";
import { fragmentTo } from "../../base/json-pointer.ts";
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import type { Operation, PathParameterPlan } from "../../plan/endpoints/types.ts";
import type { ForKind, MemberPath, MemberSelection } from "../context/compiled.ts";
import type { VersionConverter } from "../context/version.ts";
import { type ApiError, invalid, malformed, type Violation } from "../errors/api-error.ts";
import type { RepeatedQuery } from "../routing/target.ts";

/** The most paths for records in place of ids: each is one more subquery. */
const maximumPaths = 20;

/** The most members that a request may name. */
const maximumFields = 100;

/** Whether a query parameter selects what the response contains: `expand`, `expand[]` or `expand[0]`. */
export function selects({ expand, fields }: Operation, name: string): boolean {
  return [expand, fields].some((parameter) => parameter !== undefined && isParameter(parameter, name));
}

function isParameter({ name, hasBrackets }: PathParameterPlan, sent: string): boolean {
  if (!hasBrackets) return sent === name;
  return sent.startsWith(name) && /^\[[0-9]{0,4}\]$/.test(sent.slice(name.length));
}

/** Splits the member for `expand` off a body that has one; the operation's own member of that name takes precedence. */
export function bodyPaths(
  { expand, body }: Operation,
  parsed: JsonObject,
): { readonly rest: JsonObject; readonly paths?: readonly string[] } {
  if (expand?.hasBrackets !== true || !Object.hasOwn(parsed, expand.name)) return { rest: parsed };
  const declared = body?.envelope === undefined ? body?.schema["properties"] : undefined;
  if (isObject(declared) && Object.hasOwn(declared, expand.name)) return { rest: parsed };
  const { [expand.name]: sent, ...rest } = parsed;
  // In a form with indexes a list is an object.
  const texts: unknown = isObject(sent) ? Object.values(sent) : Array.isArray(sent) ? sent : [sent];
  const paths = (texts as readonly Json[]).filter((text) => typeof text === "string");
  if (paths.length === (texts as readonly Json[]).length) return { rest, paths };
  const detail = `${expand.name} has to be a list of texts`;
  throw invalid([{ pointer: fragmentTo([expand.name]), code: "wrong-type", detail }]);
}

/** A path that a request asks for, and where the request has it. */
interface RequestedPath {
  readonly text: string;
  readonly at: Pick<Violation, "parameter" | "pointer">;
}

function requestedPaths(
  plan: PathParameterPlan,
  { query, repeated }: RepeatedQuery,
  inBody: readonly string[],
): readonly RequestedPath[] {
  const inQuery = [...query].flatMap(([parameter, first]): readonly RequestedPath[] => {
    if (!isParameter(plan, parameter)) return [];
    const texts = (repeated?.get(parameter) ?? [first]).flatMap((text) =>
      plan.hasBrackets ? [text] : text.split(","),
    );
    return texts.map((text) => ({ text, at: { parameter } }));
  });
  const pointed = inBody.map((text, index): RequestedPath => {
    return { text, at: { pointer: fragmentTo([plan.name, String(index)]) } };
  });
  return [...inQuery, ...pointed];
}

/** What a request asks for, and the kind of caller whose responses contain it. */
export interface Selected {
  readonly kind: ForKind;
  /** For older callers: the only members of a response, by their older names. */
  readonly olderFields?: readonly MemberPath[];
}

/** Returns the kind of caller for a request that asks for something; undefined for any other request. */
export function selectedKind(
  operation: Operation,
  kind: ForKind,
  sent: RepeatedQuery,
  bodyPaths: readonly string[] | undefined,
  converter: VersionConverter | undefined,
): Selected | undefined {
  const { expand, fields } = operation;
  if (expand === undefined && fields === undefined) return undefined;
  const newest = (plan: PathParameterPlan, inBody: readonly string[]): readonly NewestPath[] =>
    newestPaths(operation, plan, requestedPaths(plan, sent, inBody), converter);
  const expandPaths = expand === undefined ? [] : newest(expand, bodyPaths ?? []);
  const fieldPaths = fields === undefined ? [] : newest(fields, []);
  if (expandPaths.length === 0 && fieldPaths.length === 0) return undefined;
  const namesOf = (paths: readonly NewestPath[]): readonly MemberPath[] =>
    paths.flatMap(({ path }) => (path === undefined ? [] : [path]));
  const selection: MemberSelection = {
    expand: namesOf(expandPaths),
    ...(fieldPaths.length === 0 ? {} : { fields: namesOf(fieldPaths) }),
  };
  const selected = kind.selected(selection);
  if ("unknown" in selected) {
    const isExpand = selected.parameter === "expand";
    const among = isExpand ? expandPaths : fieldPaths;
    const wrong = among.find(({ path }) => path?.join(".") === selected.unknown.join("."));
    throw unknownPath(defined(wrong, "the unknown path").requested, isExpand);
  }
  if (converter === undefined || fieldPaths.length === 0) return { kind: selected };
  // The response is narrowed after its conversion, which may need the other members.
  const full = kind.selected({ expand: selection.expand }) as ForKind;
  return { kind: full, olderFields: fieldPaths.map(({ requested }) => requested.text.split(".")) };
}

interface NewestPath {
  readonly requested: RequestedPath;
  /** The names in the newest version; undefined if it has removed the member. */
  readonly path: MemberPath | undefined;
}

function newestPaths(
  operation: Operation,
  plan: PathParameterPlan,
  paths: readonly RequestedPath[],
  converter: VersionConverter | undefined,
): readonly NewestPath[] {
  const [first] = paths;
  const isExpand = plan === operation.expand;
  const most = isExpand ? maximumPaths : maximumFields;
  if (first !== undefined && paths.length > most)
    throw wrongPath(first, "too-many", `\`${plan.name}\` takes at most ${most} paths`);
  return paths.map((requested) => {
    const sent = requested.text.split(".");
    if (isExpand && sent.length > (operation.expand?.depth ?? 0))
      throw wrongPath(requested, "too-many", `A path of \`${plan.name}\` has at most ${operation.expand?.depth} names`);
    if (plan.prefix.some((outer, index) => sent[index] !== outer)) throw unknownPath(requested, isExpand);
    const path = sent.slice(plan.prefix.length);
    const newer = converter === undefined ? path : converter.newerPath(subjectOf(operation), path);
    if (newer === "unknown") throw unknownPath(requested, isExpand);
    // What the newest version has removed is in the response as older callers know it.
    return { requested, path: newer === "removed" ? undefined : newer };
  });
}

function subjectOf({ name, resource, response }: Operation) {
  return response.kind === "record"
    ? ({ kind: "record", resource } as const)
    : ({ kind: "gives", operation: name } as const);
}

function unknownPath(requested: RequestedPath, isExpand: boolean): ApiError {
  const name = `\`${requested.text.slice(0, 80)}\``;
  return wrongPath(
    requested,
    "unknown-field",
    isExpand ? `${name} cannot be expanded` : `${name} is no member of the response`,
  );
}

function wrongPath({ at }: RequestedPath, code: string, detail: string): ApiError {
  return at.pointer === undefined ? malformed({ ...at, code, detail }) : invalid([{ ...at, code, detail }]);
}
