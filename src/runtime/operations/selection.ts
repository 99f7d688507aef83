/** Reads the parameters with which a request selects what the response contains. */
import { fragmentTo } from "../../base/json-pointer.ts";
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import type { ExpandPlan, Operation, PathParameterPlan } from "../../plan/endpoints/types.ts";
import type { ForKind, MemberPath } from "../context/compiled.ts";
import type { VersionConverter } from "../context/version.ts";
import { type ApiError, invalid, malformed, type Violation } from "../errors/api-error.ts";
import type { RepeatedQuery } from "../routing/target.ts";

/** The most paths of a request: each is one more subquery. */
const maximumPaths = 20;

/** Returns the name of a parameter as requests repeat it. */
export function sentName({ name, hasBrackets }: PathParameterPlan): string {
  return hasBrackets ? `${name}[]` : name;
}

/** Whether a query parameter selects what the response contains: `expand`, `expand[]` or `expand[0]`. */
export function selects({ expand }: Operation, name: string): boolean {
  return expand !== undefined && isParameter(expand, name);
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

/** Returns the kind of caller whose responses contain what the request asks for. */
export function selectedKind(
  operation: Operation,
  kind: ForKind,
  sent: RepeatedQuery & { readonly bodyPaths?: readonly string[] | undefined },
  converter: VersionConverter | undefined,
): ForKind {
  const { expand } = operation;
  if (expand === undefined) return kind;
  const paths = requestedPaths(expand, sent, sent.bodyPaths ?? []);
  return paths.length === 0 ? kind : expandedKind(operation, expand, kind, paths, converter);
}

function expandedKind(
  operation: Operation,
  plan: ExpandPlan,
  kind: ForKind,
  requested: readonly RequestedPath[],
  converter: VersionConverter | undefined,
): ForKind {
  const [first] = requested;
  if (first !== undefined && requested.length > maximumPaths)
    throw wrongPath(first, "too-many", `\`${plan.name}\` takes at most ${maximumPaths} paths`);
  const found = requested.flatMap((one): readonly { readonly one: RequestedPath; readonly path: MemberPath }[] => {
    const path = pathOf(plan, one);
    const newer = converter === undefined ? path : converter.newerPath(subjectOf(operation), path);
    if (newer === "unknown") throw notExpandable(one);
    // What the newest version has removed is in the response as older callers know it.
    return newer === "removed" ? [] : [{ one, path: newer }];
  });
  const selected = kind.expanded(found.map(({ path }) => path));
  if (!("unknown" in selected)) return selected;
  const wrong = found.find(({ path }) => path.join(".") === selected.unknown.join("."));
  throw notExpandable(wrong?.one ?? (first as RequestedPath));
}

/** Returns the names of a path behind those of the objects around the record. */
function pathOf({ depth, name, prefix }: ExpandPlan, requested: RequestedPath): MemberPath {
  const names = requested.text.split(".");
  if (names.length > depth) throw wrongPath(requested, "too-many", `A path of \`${name}\` has at most ${depth} names`);
  if (prefix.some((outer, index) => names[index] !== outer)) throw notExpandable(requested);
  return names.slice(prefix.length);
}

function subjectOf({ name, resource, response }: Operation) {
  return response.kind === "record"
    ? ({ kind: "record", resource } as const)
    : ({ kind: "gives", operation: name } as const);
}

function notExpandable(requested: RequestedPath): ApiError {
  return wrongPath(requested, "unknown-field", `\`${requested.text.slice(0, 80)}\` cannot be expanded`);
}

function wrongPath({ at }: RequestedPath, code: string, detail: string): ApiError {
  return at.pointer === undefined ? malformed({ ...at, code, detail }) : invalid([{ ...at, code, detail }]);
}
