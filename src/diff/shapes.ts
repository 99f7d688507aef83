/** Differences in the shapes of responses and bodies: `gives`, nesting of members, and views. */
import { inputShape } from "../language/endpoints/shape.ts";
import type { Endpoint, ResponseTemplate } from "../language/endpoints/model.ts";
import { describeType } from "../expression/types.ts";
import { printFieldType } from "../language/resources/field-print.ts";
import type { Field, ViewDefinition } from "../language/resources/model.ts";
import { type Difference, difference, pairs, restated, same, unhandledKeys } from "./difference.ts";
import type { Both } from "./resources.ts";
import { typeDifferences } from "./types.ts";

export function* responseDifferences(both: Both, name: string, old: Endpoint, now: Endpoint): Iterable<Difference> {
  const at = `endpoints/endpoints/${name}/gives`;
  if (same(old.gives, now.gives)) return;
  if (old.gives === undefined || now.gives === undefined) {
    const message = `\`${name}\` answers with ${now.gives === undefined ? "the record" : "a shape of its own"}`;
    yield difference("breaking", "answer-changed", name, at, message);
    return;
  }
  for (const { name: member, old: before, now: after } of pairs(textsOf(old.gives), textsOf(now.gives))) {
    const subject = member === "" ? name : `${name}.${member.replaceAll("/", ".")}`;
    const memberPath = member === "" ? at : `${at}/${member}`;
    if (before === undefined)
      yield difference("additive", "answer-added", subject, memberPath, `\`${subject}\` is new in the answer`);
    else if (after === undefined) {
      const entry = { kind: "remove", target: { of: name, field: member }, type: "json", seen: "null" } as const;
      const details = member === "" || member.includes("/") ? {} : { entry };
      yield difference(
        "breaking",
        "answer-removed",
        subject,
        memberPath,
        `\`${subject}\` is not in the answer any more`,
        details,
      );
    } else if (!same(before, after)) {
      const types = [both.old.typed().get(memberPath), both.now.typed().get(memberPath)].map((typed) =>
        typed === undefined ? undefined : `${describeType(typed.type)}${typed.nullable ? " or null" : ""}`,
      );
      const effect = types[0] !== undefined && types[0] === types[1] ? "neutral" : "breaking";
      const statement = {
        kind: "answer-changed",
        subject,
        at: memberPath,
        what: `What \`${subject}\` is in the answer`,
      };
      yield* restated(statement, before, after, effect);
    }
  }
}

/** The texts of a response template by their path; an empty object is `{}`. */
function textsOf(template: ResponseTemplate, path: readonly string[] = []): Readonly<Record<string, string>> {
  if (typeof template === "string") return { [path.join("/")]: template };
  const members = Object.entries(template);
  if (members.length === 0) return { [path.join("/")]: "{}" };
  return Object.assign({}, ...members.map(([name, inner]) => textsOf(inner, [...path, name]))) as Record<
    string,
    string
  >;
}

/** Compares the path in the body of each member that both documents take. */
export function* locationDifferences(both: Both, name: string, old: Endpoint, now: Endpoint): Iterable<Difference> {
  const at = `endpoints/endpoints/${name}/takes`;
  const before = inputShape(both.old.model, old);
  const after = inputShape(both.now.model, now);
  for (const { name: member, old: was, now: is } of pairs(before?.nesting, after?.nesting)) {
    const both = Object.hasOwn(before?.fields ?? {}, member) && Object.hasOwn(after?.fields ?? {}, member);
    const memberPath = {
      kind: "input-moved",
      subject: `${name}.${member}`,
      at,
      what: `Where \`${name}\` takes \`${member}\``,
    };
    yield* restated(memberPath, was?.join("."), is?.join("."), both ? "breaking" : "neutral");
  }
  const statement = { kind: "input-said-otherwise", subject: name, at, what: `What \`${name}\` takes is said by` };
  yield* restated(statement, old.takesView, now.takesView, "neutral");
}

export function* viewDifferences(both: Both): Iterable<Difference> {
  const { views: old } = both.old.model.resources;
  const { views: now } = both.now.model.resources;
  for (const { name, old: before, now: after } of pairs(old, now)) {
    const at = `resources/views/${name}`;
    if (before !== undefined && after !== undefined) {
      yield* oneView(both, name, before, after);
      continue;
    }
    // The differences of the responses with this view report the effect on clients.
    const [kind, verb] = after === undefined ? ["view-removed", "is gone"] : ["view-added", "is new"];
    yield difference("neutral", kind, name, at, `The view \`${name}\` ${verb}`);
  }
}

function* oneView(both: Both, name: string, old: ViewDefinition, now: ViewDefinition): Iterable<Difference> {
  const at = `resources/views/${name}`;
  const of = { kind: "view-subject-changed", subject: name, at: `${at}/of`, what: `What the view \`${name}\` is of` };
  if (!both.alike(old.of, now.of)) yield* restated(of, old.of, now.of, "breaking");
  for (const { name: member, old: before, now: after } of pairs(membersOf(old), membersOf(now))) {
    const subject = `${name}.${member}`;
    const memberPath = `${at}/${member}`;
    if (before === undefined)
      yield difference("additive", "view-member-added", subject, memberPath, `\`${subject}\` is new`);
    else if (after === undefined) {
      const entry = { kind: "remove", target: { of: name, field: member }, type: "json", seen: "null" } as const;
      yield difference("breaking", "view-member-removed", subject, memberPath, `\`${subject}\` is gone`, { entry });
    } else yield* memberChanges(both, subject, memberPath, before, after);
  }
  // The order of response members has no meaning for clients.
  const order = { kind: "view-order-changed", subject: name, at: `${at}/fields`, what: `The order of \`${name}\`` };
  const sorted = (view: ViewDefinition): string => (view.fields ?? []).toSorted().join();
  if (sorted(old) === sorted(now)) yield* restated(order, old.fields, now.fields, "neutral");
  yield* unhandledKeys({ subject: name, at }, old, now, ["of", "fields", "members"]);
}

type ViewMember = Field | "field";

function* memberChanges(
  both: Both,
  subject: string,
  at: string,
  old: ViewMember,
  now: ViewMember,
): Iterable<Difference> {
  const statement = { kind: "view-member-changed", subject, at, what: `What \`${subject}\` is` };
  if (old === "field" || now === "field") {
    yield* restated(statement, textOf(old), textOf(now), "breaking");
    return;
  }
  // Requests and responses may both use a view, so that more values break as much as fewer.
  for (const { wording } of typeDifferences(old.type, now.type, both.alike))
    yield difference("breaking", "view-member-changed", subject, at, `\`${subject}\` ${wording}`);
  const details = `\`${subject}\` ${now.optional ? "may be absent" : "is always there"}`;
  if (old.optional !== now.optional) yield difference("breaking", "view-member-changed", subject, at, details);
  yield* restated(statement, declarationOf(old), declarationOf(now), "neutral");
}

function membersOf({ fields = [], members = {} }: ViewDefinition): Readonly<Record<string, ViewMember>> {
  return { ...Object.fromEntries(fields.map((name) => [name, "field" as const])), ...members };
}

function textOf(member: ViewMember): string {
  if (member === "field") return "the field";
  return `${printFieldType(member.type)}${member.optional ? "?" : ""} ${declarationOf(member)}`.trimEnd();
}

/** A member's declaration besides its type. */
function declarationOf({ optional: _optional, type: _type, computed, ...rest }: Field): string {
  const more = Object.values(rest).some((one) => (Array.isArray(one) ? one.length > 0 : one !== undefined));
  return [...(computed === undefined ? [] : [`:= ${computed}`]), ...(more ? [JSON.stringify(rest)] : [])].join(" ");
}
