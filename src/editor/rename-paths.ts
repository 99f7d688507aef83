/**
 * What a rename changes in the paths of part 4, which imply names without containing references: the parameter of a renamed
 * field (`/articles/{slug}`), and the resource of an operation, which needs `of` if its path no longer implies it.
 */
import { camelCase, kebabCase, snakeCase } from "../base/case.ts";
import type { Entry, MapNode } from "../document/document.ts";
import { positionIn } from "../document/source.ts";
import { partsOf } from "../language/endpoints/model.ts";
import type { ResolvedEndpoint } from "../language/endpoints/resolve.ts";
import type { Model } from "../language/model.ts";
import type { Analysis } from "./analysis.ts";
import type { Name } from "./names.ts";
import type { TextEdit } from "./rename.ts";

/** A changed endpoint, as the model has it, and the edits that change it. */
export interface PathChange {
  readonly operation: string;
  readonly changed: Partial<Pick<Model["endpoints"]["endpoints"][string], "of" | "path">>;
  readonly edits: readonly TextEdit[];
}

/** Returns the paths whose parameters have the name of a renamed field or resource. */
export function parameterChanges(analysis: Analysis, renamed: Name, to: string): readonly PathChange[] {
  const { kind, name, of } = renamed;
  if (kind !== "field" && kind !== "resource") return [];
  return [...analysis.index.endpoints].flatMap(([operation, resolved]): PathChange[] => {
    const parameters =
      kind === "field"
        ? fieldParameters(resolved, name, of).map((from) => [from, renamedIn(from, name, to)] as const)
        : resourceParameters(resolved, name, to);
    const edits = parameters.flatMap(([from, fresh]) => parameterEdits(analysis, operation, from, fresh));
    if (edits.length === 0) return [];
    const path = parameters.reduce(
      (all, [from, fresh]) => all.replace(`{${from}}`, `{${fresh}}`),
      resolved.endpoint.path,
    );
    return [{ operation, changed: { path }, edits }];
  });
}

/** Returns the parameters that are the field, or a path over it: `{owner}`, `{owner.login}`. */
function fieldParameters(resolved: ResolvedEndpoint, name: string, of: string | undefined): readonly string[] {
  if (resolved.kind === "unclear") return [];
  const { key, parents, resource } = resolved;
  const own = key === undefined ? [] : partsOf(key);
  const found = [
    ...own.filter(({ column }) => resource === of && column === name),
    ...parents
      .filter((parent) => parent.resource === of)
      .flatMap(partsOf)
      .filter(({ column }) => column === name),
    ...[...own, ...parents.flatMap(partsOf)].filter(({ parameter }) => parameter.startsWith(`${name}.`)),
  ];
  return [...new Set(found.map(({ parameter }) => parameter))];
}

function renamedIn(parameter: string, name: string, to: string): string {
  return parameter
    .split(".")
    .map((part) => (part === name ? to : part))
    .join(".");
}

/** Returns the parameters that are named after the resource, `{owner}` and `{ownerId}` of `Owner`, with their new names. */
function resourceParameters(
  resolved: ResolvedEndpoint,
  name: string,
  to: string,
): readonly (readonly [from: string, to: string])[] {
  if (resolved.kind === "unclear") return [];
  const { key, parents, resource } = resolved;
  const found = [
    ...parents.filter((parent) => parent.resource === name),
    ...(key !== undefined && resource === name ? [key] : []),
  ];
  const all = new Set(found.flatMap(partsOf).map(({ parameter }) => parameter));
  return [...all].flatMap((parameter) => {
    const style = [camelCase, snakeCase, kebabCase].find((one) =>
      new RegExp(`^${one(name)}(?:[_-]?id)?$`, "i").test(parameter),
    );
    return style === undefined ? [] : [[parameter, style(to) + parameter.slice(style(name).length)] as const];
  });
}

function parameterEdits(
  { index, lines, text }: Analysis,
  operation: string,
  from: string,
  to: string,
): readonly TextEdit[] {
  if (from === to) return [];
  const path = `endpoints/endpoints/${operation}`;
  const span = index.places.get(`${path}/at#value`) ?? index.places.get(`${path}#value`);
  const at = span === undefined ? -1 : text.slice(span.start.offset, span.end.offset).indexOf(`{${from}}`);
  if (span === undefined || at < 0) return [];
  const start = span.start.offset + at + 1;
  return [{ span: { start: positionIn(lines, start), end: positionIn(lines, start + from.length) }, text: to }];
}

/** Returns the operations whose path does not imply the renamed resource. `after`: the document with the other name. */
export function resourceChanges(
  before: Analysis,
  after: Analysis,
  { kind, name }: Name,
  to: string,
): readonly PathChange[] {
  if (kind !== "resource") return [];
  return [...before.index.endpoints].flatMap(([operation, resolved]): PathChange[] => {
    const found = after.index.endpoints.get(operation);
    if (resolved.kind === "unclear" || resolved.resource === undefined || resolved.endpoint.of !== undefined) return [];
    const of = resolved.resource === name ? to : resolved.resource;
    if (found !== undefined && isSameResolution(resolved, found, of, name, to)) return [];
    const edits = ownerEdits(before, operation, of);
    return edits.length === 0 ? [] : [{ operation, changed: { of }, edits }];
  });
}

function isSameResolution(
  before: ResolvedEndpoint,
  after: ResolvedEndpoint,
  of: string,
  name: string,
  to: string,
): boolean {
  if (before.kind === "unclear" || after.kind === "unclear") return false;
  const parents = before.parents.map(({ resource }) => (resource === name ? to : resource));
  return after.resource === of && String(parents) === String(after.parents.map(({ resource }) => resource));
}

/** Returns the edits that declare the resource of an operation; around an address on one line, so that it can change too. */
function ownerEdits({ index, lines, text }: Analysis, operation: string, of: string): readonly TextEdit[] {
  const endpoints = entryOf(index.sections.parts.endpoints.body, "endpoints")?.value;
  const value = endpoints?.kind === "map" ? entryOf(endpoints, operation)?.value : undefined;
  const insert = (offset: number, added: string): TextEdit => {
    const at = positionIn(lines, offset);
    return { span: { start: at, end: at }, text: added };
  };
  if (value?.kind === "text") {
    const quote = value.quoted ? "" : '"';
    return [insert(value.span.start.offset, `{ at: ${quote}`), insert(value.span.end.offset, `${quote}, of: ${of} }`)];
  }
  const first = value?.kind === "map" ? value.entries[0]?.key.span.start : undefined;
  if (value === undefined || first === undefined) return [];
  const isFlow = text[value.span.start.offset] === "{";
  return [insert(first.offset, isFlow ? `of: ${of}, ` : `of: ${of}\n${" ".repeat(first.column - 1)}`)];
}

function entryOf({ entries }: MapNode, key: string): Entry | undefined {
  return entries.find((entry) => entry.key.value === key);
}
