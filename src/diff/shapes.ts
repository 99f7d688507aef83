/** Differences in the shapes of responses and bodies: `gives`, nesting of members, and views. */
import { resolveEndpoint } from "../language/endpoints/resolve.ts";
import { type Batch, batchOf, declaredInput } from "../language/endpoints/shape.ts";
import type { Model } from "../language/model.ts";
import type { Endpoint, ResponseTemplate } from "../language/endpoints/model.ts";
import { describeType } from "../expression/types.ts";
import { printFieldType } from "../language/resources/field-print.ts";
import { isExpandable, isOnRequest } from "../language/resources/fields.ts";
import type { Field, ViewDefinition } from "../language/resources/model.ts";
import { below, type Difference, difference, pairs, type Site, restated, same, unhandledKeys } from "./difference.ts";
import type { Both } from "./resources.ts";
import { typeDifferences } from "./types.ts";

export function* responseDifferences(both: Both, name: string, old: Endpoint, now: Endpoint): Iterable<Difference> {
  const gives = { subject: name, at: `endpoints/endpoints/${name}/gives` };
  if (same(old.gives, now.gives)) return;
  if (old.gives === undefined || now.gives === undefined) {
    const message = `\`${name}\` responds with ${now.gives === undefined ? "the record" : "a custom response"}`;
    yield difference("breaking", "answer-changed", gives, message);
    return;
  }
  for (const { name: member, old: before, now: after } of pairs(textsOf(old.gives), textsOf(now.gives))) {
    const subject = member === "" ? name : `${name}.${member.replaceAll("/", ".")}`;
    const site = { subject, at: member === "" ? gives.at : `${gives.at}/${member}` };
    if (before === undefined)
      yield difference("additive", "answer-added", site, `\`${subject}\` is new in the response`);
    else if (after === undefined) {
      const entry = { kind: "remove", target: { of: name, field: member }, type: "json", seen: "null" } as const;
      const details = member === "" || member.includes("/") ? {} : { entry };
      yield difference("breaking", "answer-removed", site, `\`${subject}\` is no longer in the response`, details);
    } else if (!same(before, after)) {
      const [was, is] = [both.old, both.now].map((side) => {
        const typed = side.typed().get(site.at);
        return typed && `${describeType(typed.type)}${typed.nullable ? " or null" : ""}`;
      });
      const effect = was !== undefined && was === is ? "neutral" : "breaking";
      yield* restated(effect, "answer-changed", site, `The value of \`${subject}\` in the response`, [before, after]);
    }
  }
}

/** Yields differences in the object around the pages of lists. `pages`: the lists in words. */
export function* pageDifferences(
  site: Site,
  pages: string,
  old: ResponseTemplate | undefined,
  now: ResponseTemplate | undefined,
): Iterable<Difference> {
  if (old === undefined && now === undefined) return;
  if (old === undefined || now === undefined) {
    const shape = now === undefined ? "again the usual object" : "now a custom object";
    yield difference("breaking", "list-shape-changed", site, `The response of ${pages} is ${shape}`);
    return;
  }
  for (const { name, old: before, now: after } of pairs(textsOf(old), textsOf(now))) {
    const member = { subject: `${site.subject}.${name.replaceAll("/", ".")}`, at: `${site.at}/${name}` };
    const effect = before === undefined ? "additive" : "breaking";
    yield* restated(effect, "answer-changed", member, `The member \`${name}\` of pages of ${pages}`, [before, after]);
  }
}

/** Returns the texts of a response template by their path; an empty object is `{}`. */
function textsOf(template: ResponseTemplate, path: readonly string[] = []): Readonly<Record<string, string>> {
  if (typeof template === "string") return { [path.join("/")]: template };
  const members = Object.entries(template);
  if (members.length === 0) return { [path.join("/")]: "{}" };
  return Object.assign({}, ...members.map(([name, inner]) => textsOf(inner, [...path, name]))) as Record<
    string,
    string
  >;
}

/** Yields a difference for each member of an operation's input that both documents have at different paths in the body. */
export function* locationDifferences(both: Both, name: string, old: Endpoint, now: Endpoint): Iterable<Difference> {
  const takes = { subject: name, at: `endpoints/endpoints/${name}/takes` };
  const before = declaredInput(both.old.model, name);
  const after = declaredInput(both.now.model, name);
  for (const { name: member, old: was, now: is } of pairs(before?.nesting, after?.nesting)) {
    const isInBoth = [before, after].every((shape) => Object.hasOwn(shape?.fields ?? {}, member));
    const site = { ...takes, subject: `${name}.${member}` };
    const what = `The path of \`${member}\` in the body of \`${name}\``;
    yield* restated(isInBoth ? "breaking" : "neutral", "input-moved", site, what, [was?.join("."), is?.join(".")]);
  }
  const many = [arrayOf(both.old.model, name), arrayOf(both.now.model, name)] as const;
  const [was, is] = many;
  const isWider =
    was !== undefined && is !== undefined && was.member === is.member && is.min <= was.min && is.max >= was.max;
  const texts = many.map(
    (one) => one && `${one.min} to ${one.max} records${one.member === undefined ? "" : ` in ${one.member}`}`,
  );
  yield* restated(
    isWider ? "additive" : "breaking",
    "input-many-changed",
    takes,
    `The array of records that \`${name}\` takes`,
    [texts[0], texts[1]],
  );
  const views = [old.takesView, now.takesView] as const;
  yield* restated("neutral", "input-said-otherwise", takes, `The view of the input of \`${name}\``, views);
}

function arrayOf(model: Model, operation: string): Batch | undefined {
  const resolved = resolveEndpoint(model, operation);
  return resolved === undefined || resolved.kind === "unclear" ? undefined : batchOf(model, resolved);
}

export function* viewDifferences(both: Both): Iterable<Difference> {
  const { views: old } = both.old.model.resources;
  const { views: now } = both.now.model.resources;
  for (const { name, old: before, now: after } of pairs(old, now)) {
    if (before !== undefined && after !== undefined) {
      yield* oneView(both, name, before, after);
      continue;
    }
    // The differences of the responses with this view report the effect on clients.
    const [kind, verb] = after === undefined ? ["view-removed", "is removed"] : ["view-added", "is new"];
    yield difference("neutral", kind, { subject: name, at: `resources/views/${name}` }, `The view \`${name}\` ${verb}`);
  }
}

function* oneView(both: Both, name: string, old: ViewDefinition, now: ViewDefinition): Iterable<Difference> {
  const view = { subject: name, at: `resources/views/${name}` };
  if (!both.alike(old.of, now.of))
    yield* restated("breaking", "view-subject-changed", below(view, "of"), `The resource of the view \`${name}\``, [
      old.of,
      now.of,
    ]);
  for (const { name: member, old: before, now: after } of pairs(membersOf(old), membersOf(now))) {
    const subject = `${name}.${member}`;
    const site = { subject, at: `${view.at}/${member}` };
    if (before === undefined) yield difference("additive", "view-member-added", site, `\`${subject}\` is new`);
    else if (after === undefined) {
      const entry = { kind: "remove", target: { of: name, field: member }, type: "json", seen: "null" } as const;
      const endsWith = before === "field" ? [subject, `${old.of}.${member}`] : [subject];
      yield difference("breaking", "view-member-removed", site, `\`${subject}\` is removed`, { entry, endsWith });
    } else yield* memberChanges(both, site, before, after);
  }
  // The order of response members has no meaning for clients.
  if (same(old.fields?.toSorted() ?? [], now.fields?.toSorted() ?? []))
    yield* restated("neutral", "view-order-changed", below(view, "fields"), `The order of \`${name}\``, [
      old.fields,
      now.fields,
    ]);
  yield* unhandledKeys(view, old, now, ["of", "fields", "members"]);
}

type ViewMember = Field | "field";

function* memberChanges(both: Both, site: Site, old: ViewMember, now: ViewMember): Iterable<Difference> {
  const kind = "view-member-changed";
  const { subject } = site;
  if (old === "field" || now === "field") {
    yield* restated("breaking", kind, site, `The declaration of \`${subject}\``, [textOf(old), textOf(now)]);
    return;
  }
  // Requests and responses may both use a view, so additional values break clients as much as removed ones.
  for (const { wording } of typeDifferences(old.type, now.type, both.alike))
    yield difference("breaking", kind, site, `\`${subject}\` ${wording}`);
  const [was, is] = [old, now].map((one) =>
    isOnRequest(one) ? "left out" : isExpandable(one) ? "an id" : "always a record",
  );
  if (was !== is) {
    const form = is === "always a record" ? is : `${is}, unless the request asks for it`;
    yield difference("breaking", kind, site, `\`${subject}\` is ${form}`);
  }
  const presence = `\`${subject}\` ${now.optional ? "may be absent" : "is always there"}`;
  if (old.optional !== now.optional) yield difference("breaking", kind, site, presence);
  yield* restated("neutral", kind, site, `The declaration of \`${subject}\``, [declarationOf(old), declarationOf(now)]);
}

function membersOf({ fields = [], members = {} }: ViewDefinition): Readonly<Record<string, ViewMember>> {
  return { ...Object.fromEntries(fields.map((name) => [name, "field" as const])), ...members };
}

function textOf(member: ViewMember): string {
  if (member === "field") return "the field";
  return `${printFieldType(member.type)}${member.optional ? "?" : ""} ${declarationOf(member)}`.trimEnd();
}

/** Returns a member's declaration without its type. */
function declarationOf({ optional: _optional, type: _type, computed, ...rest }: Field): string {
  const more = Object.values(rest).some((one) => (Array.isArray(one) ? one.length > 0 : one !== undefined));
  return [...(computed === undefined ? [] : [`:= ${computed}`]), ...(more ? [JSON.stringify(rest)] : [])].join(" ");
}
