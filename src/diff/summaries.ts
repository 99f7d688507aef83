/** Differences of summaries: their groups, their measures, and the records that they are about. */
import { resolveEndpoint } from "../language/endpoints/resolve.ts";
import type { Endpoint, ResponseTemplate } from "../language/endpoints/model.ts";
import type { Model } from "../language/model.ts";
import { canonical, strictnessOf } from "./conditions.ts";
import { below, type Difference, difference, pairs, quoted, type Site } from "./difference.ts";
import type { Both } from "./resources.ts";

export function isSummary(model: Model, operation: string): boolean {
  const resolved = resolveEndpoint(model, operation);
  return resolved?.kind === "resource" && resolved.action === "summary";
}

/** Compares two summaries. A changed condition changes their numbers, whether more or fewer records are counted. */
export function* summaryDifferences(both: Both, name: string, old: Endpoint, now: Endpoint): Iterable<Difference> {
  const site = { subject: name, at: `endpoints/endpoints/${name}` };
  const isPage = (groups: Endpoint["group"]): boolean => Object.keys(groups ?? {}).length > 0;
  if (isPage(old.group) === isPage(now.group)) yield* groupDifferences(site, old.group ?? {}, now.group ?? {});
  else {
    const [shape, former] = isPage(now.group) ? ["a page of groups", "one object"] : ["one object", "a page of groups"];
    const message = `\`${name}\` responds with ${shape}, and responded with ${former}: its callers find no number where it was`;
    yield difference("breaking", "answer-changed", below(site, "group"), message);
  }
  yield* measureDifferences(site, textsOf(old.gives), textsOf(now.gives));
  const at = `${site.at}/where`;
  const strictness = strictnessOf(
    { side: both.old, path: at, text: old.where },
    { side: both.now, path: at, text: now.where },
  );
  if (strictness === "same") return;
  const values = `${quoted(now.where)}, and was ${quoted(old.where)}`;
  const message = `The condition of the summary \`${name}\` is ${values}: its callers get the numbers of other records`;
  yield difference("breaking", "where-changed", { subject: name, at }, message);
}

type Groups = Readonly<Record<string, string>>;

function* groupDifferences(site: Site, old: Groups, now: Groups): Iterable<Difference> {
  const { subject: of } = site;
  const all = pairs(old, now);
  const removed = all.filter((pair) => pair.now === undefined);
  const renamed = new Map(
    all
      .filter((pair) => pair.old === undefined)
      .flatMap((pair) => {
        const former = removed.find((other) => canonical(other.old) === canonical(pair.now));
        return former === undefined ? [] : [[pair.name, former.name] as const];
      }),
  );
  const formerNames = new Set(renamed.values());
  for (const { name, old: before, now: after } of all) {
    const former = renamed.get(name);
    const group = { subject: `${of}.${former ?? name}`, at: `${site.at}/group/${name}` };
    const changed = (kind: string, message: string): Difference => difference("breaking", kind, group, message);
    if (former !== undefined)
      yield changed("group-renamed", `The group \`${former}\` of \`${of}\` is called \`${name}\``);
    else if (before === undefined)
      yield changed(
        "group-added",
        `\`${of}\` has the new group \`${name}\`: its callers get numbers of smaller groups`,
      );
    else if (after !== undefined && canonical(before) !== canonical(after)) {
      const values = `${quoted(after)}, and was ${quoted(before)}`;
      const message = `The group \`${name}\` of \`${of}\` is ${values}: its callers get numbers of other groups`;
      yield changed("group-changed", message);
    } else if (after === undefined && !formerNames.has(name)) {
      const message = `\`${of}\` no longer has the group \`${name}\`: its callers get numbers of larger groups`;
      yield changed("group-removed", message);
    }
  }
}

function* measureDifferences(site: Site, old: Groups, now: Groups): Iterable<Difference> {
  const { subject: of } = site;
  for (const { name, old: before, now: after } of pairs(old, now)) {
    const subject = `${of}.${name}`;
    const measure = { subject, at: `${site.at}/gives/${name}` };
    if (before === undefined)
      yield difference("additive", "measure-added", measure, `\`${of}\` has the new number \`${name}\``);
    else if (after === undefined) {
      const entry = { kind: "remove", target: { of, field: name }, type: "json", seen: "null" } as const;
      const message = `\`${of}\` no longer has \`${name}\`: its callers do not find the number`;
      yield difference("breaking", "measure-removed", measure, message, { entry });
    } else if (canonical(before) !== canonical(after)) {
      const message = `\`${subject}\` is ${quoted(after)}, and was ${quoted(before)}: its callers get another number`;
      yield difference("breaking", "measure-changed", measure, message);
    }
  }
}

/** Returns the measures by name. */
function textsOf(gives: ResponseTemplate | undefined): Groups {
  if (gives === undefined || typeof gives === "string") return {};
  return Object.fromEntries(
    Object.entries(gives).flatMap(([name, text]) => (typeof text === "string" ? [[name, text]] : [])),
  );
}
