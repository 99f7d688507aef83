/**
 * Reads and prints grants, the alternatives of a permission, in `allow`, `show` and `set` of part 5 and `for` of part 6.
 *
 *     grants     one-line: grant | grant …   list: [grant, grant]   or `none`: nobody
 *     grant      who   or   who if condition        map: { who, if }
 *     who        a role, `signed-in`, `any-scope` or `anyone`
 *     condition  an expression, as it is, in brackets or in quotes; `own` in it is the resource's ownership expression.
 *                A single `|` ends it, `||` belongs to it.
 *
 * The order of grants does not matter, and a repeated grant counts once.
 */
import type { Node } from "../../document/document.ts";
import type { Tree } from "../../document/print.ts";
import type { Grammar } from "../grammar/grammar.ts";
import { shared } from "../grammar/schema.ts";
import { unlocatedText, type SourceText, sourceTextOf, slice, spanOf, splitAt } from "../grammar/source-text.ts";
import { expectText, isNone, knownEntries, type Path, locateAt, type Reader, report } from "../grammar/reader.ts";
import { mapItems, mapMembers, mapName, type MapNames } from "../grammar/references.ts";
import type { Model } from "../model.ts";
import type { Grant } from "./model.ts";
import { bindsByScopes, rolesByScope } from "./oauth.ts";

/**
 * Reads the grants at `path` and appends them to those in `before`. A grant has the path `path/index`, its condition
 * `path/index/if`.
 */
export function readGrants(reader: Reader, path: Path, node: Node, before: readonly Grant[] = []): readonly Grant[] {
  if (isNone(node)) return before;
  const read =
    node.kind === "list"
      ? node.items.flatMap((item) => alternatives(reader, path, item))
      : alternatives(reader, path, node);
  const merged: Grant[] = [...before];
  const known = new Set(before.map(keyOf));
  for (const { grant, source, condition } of read) {
    if (known.has(keyOf(grant))) continue;
    known.add(keyOf(grant));
    const at = [...path, String(merged.length)];
    locateAt(reader, at, source);
    if (condition !== undefined) locateAt(reader, [...at, "if"], condition);
    merged.push(grant);
  }
  return merged;
}

export const grants: Grammar<readonly Grant[]> = {
  schema: shared("grants"),
  mapNames: (value, scope) => mapItems(value, scope, mapGrant),
  read: (reader, path, { value }) => readGrants(reader, path, value),
  print: (value) => printGrants(value),
};

const mapGrant: MapNames<Grant> = (grant, scope) => {
  const { who } = grant;
  const role = who.kind === "role" ? mapName(who.role, scope, { references: "role" }) : "";
  if (role === undefined) return undefined;
  const isSame = who.kind !== "role" || role === who.role;
  return mapMembers<Grant>(isSame ? grant : { ...grant, who: { kind: "role", role } }, scope, {
    if: (text, at) => at.walk.expression(text, at),
  });
};

/** Prints the canonical form: one line if a line can express the grants, else a list. */
export function printGrants(grants: readonly Grant[]): Tree {
  if (grants.length === 0) return "none";
  const lines = grants.map(printGrant);
  return lines.every((line) => typeof line === "string") ? lines.join(" | ") : lines;
}

export function sameGrant(one: Grant, other: Grant): boolean {
  return nameOf(one) === nameOf(other) && one.if === other.if;
}

/** Returns the same text for equal grants. */
function keyOf(grant: Grant): string {
  return `${nameOf(grant)} if ${grant.if}`;
}

/** Returns `signed-in`, `any-scope`, `anyone` or the name of the role. */
export function nameOf({ who }: Pick<Grant, "who">): string {
  if (who.kind === "role") return who.role;
  return who.kind === "signed-in" && who.anyScope === true ? "any-scope" : who.kind;
}

/** Whether every caller of the kind `narrower` is also of the kind `wider`. */
export function includes(wider: Grant["who"], narrower: Grant["who"]): boolean {
  if (wider.kind === "anyone") return true;
  if (wider.kind === "signed-in") return narrower.kind !== "anyone";
  return narrower.kind === "role" && narrower.role === wider.role;
}

interface ReadGrant {
  readonly grant: Grant;
  readonly source: SourceText | Node;
  readonly condition?: SourceText;
}

function alternatives(reader: Reader, path: Path, node: Node): ReadGrant[] {
  if (node.kind === "map") return grantOfMap(reader, path, node);
  const text = expectText(reader, path, node, "Who may");
  if (text === undefined) return [];
  const line = sourceTextOf(text);
  const commas = splitAt(line, ",");
  if (commas.length > 1) {
    report(reader, `${path[0]}/comma-between-grants`, node.span, "Alternatives are separated by `|`, not by a comma", {
      help: `write \`${commas.map((piece) => piece.text).join(" | ")}\``,
    });
    return [];
  }
  return splitAt(line, "|").flatMap((piece) => grantOfText(reader, path, piece));
}

function grantOfText(reader: Reader, path: Path, sourceText: SourceText): ReadGrant[] {
  const match = /^(\S+)\s+if\b\s*(.*)$/s.exec(sourceText.text);
  const name = match === null ? sourceText : slice(sourceText, 0, (match[1] as string).length);
  const who = readWho(reader, path, name);
  if (who === undefined) return [];
  if (match === null) return [{ grant: { who }, source: sourceText }];
  const condition = unquoted(slice(sourceText, sourceText.text.length - (match[2] as string).length));
  if (condition.text === "") {
    report(reader, `${path[0]}/bad-grant`, spanOf(sourceText), `\`${sourceText.text}\` has no condition after \`if\``, {
      help: `write \`${name.text} if own\` or another condition after \`if\``,
    });
    return [];
  }
  return [{ grant: { who, if: condition.text }, source: sourceText, condition }];
}

function grantOfMap(reader: Reader, path: Path, node: Node & { kind: "map" }): ReadGrant[] {
  const entries = knownEntries(reader, path, node, ["who", "if"], "A grant");
  if (entries.who === undefined) {
    report(reader, `${path[0]}/bad-grant`, node.span, "This permission needs `who`", {
      help: "write it as `{ who: courier, if: own }`",
    });
    return [];
  }
  const name = expectText(reader, path, entries.who.value, "`who`");
  const who = name && readWho(reader, path, sourceTextOf(name));
  if (who === undefined) return [];
  if (entries.if === undefined) return [{ grant: { who }, source: node }];
  const condition = expectText(reader, path, entries.if.value, "A condition");
  if (condition === undefined) return [];
  return [{ grant: { who, if: sourceTextOf(condition).text }, source: node, condition: sourceTextOf(condition) }];
}

/** Words of other systems for callers, with the word of this language. */
const otherNames: Readonly<Record<string, string>> = {
  public: "anyone",
  everyone: "anyone",
  anonymous: "anyone",
  authenticated: "signed-in",
  "signed in": "signed-in",
  "logged in": "signed-in",
  "logged-in": "signed-in",
  nobody: "none",
};

/** The words that mean callers of any role. */
export const anyRole = ["signed-in", "any-scope", "anyone"] as const;

function readWho(reader: Reader, path: Path, name: SourceText): Grant["who"] | undefined {
  if (name.text === "signed-in" || name.text === "anyone") return { kind: name.text };
  if (name.text === "any-scope") return { kind: "signed-in", anyScope: true };
  const meant = Object.hasOwn(otherNames, name.text) ? otherNames[name.text] : undefined;
  if (meant !== undefined) {
    report(reader, `${path[0]}/bad-grant`, spanOf(name), `\`${name.text}\` is not a word of this language`, {
      help: `write \`${meant}\``,
      fix: { title: `write \`${meant}\``, span: spanOf(name), text: meant },
    });
    return undefined;
  }
  if (/^[A-Za-z][\w-]*$/.test(name.text) && name.text !== "none" && name.text !== "if") {
    return { kind: "role", role: name.text };
  }
  const [first, ...rest] = name.text.split(/\s+/);
  report(
    reader,
    `${path[0]}/bad-grant`,
    spanOf(name),
    name.text === ""
      ? "An alternative is empty"
      : `\`${name.text}\` is neither a role nor \`signed-in\`, \`any-scope\` or \`anyone\``,
    {
      help:
        rest.length > 0 && /^[A-Za-z][\w-]*$/.test(first ?? "")
          ? `a condition follows \`if\`: \`${first} if ${rest.join(" ")}\``
          : "write a role, `signed-in`, `any-scope` or `anyone`, and `if` with a condition after it if it has one",
    },
  );
  return undefined;
}

/** Returns the text inside the quotes if the whole text is one quoted string: a condition may be quoted as a whole. */
function unquoted(sourceText: SourceText): SourceText {
  const quoted = /^(["'])((?:(?!\1)[^\\])*)\1$/s.exec(sourceText.text);
  return quoted === null ? sourceText : slice(sourceText, 1, sourceText.text.length - 1);
}

/** Prints a grant on one line if reading the line returns the same grant. */
function printGrant(grant: Grant): Tree {
  const name = nameOf(grant);
  if (grant.if === undefined) return name;
  const line = `${name} if ${grant.if}`;
  const same = unlocatedText(line);
  const pieces = splitAt(same, "|").length === 1 && splitAt(same, ",").length === 1;
  return pieces && unquoted(slice(same, name.length + 4)).text === grant.if ? line : { who: name, if: grant.if };
}

/** A grant, with `readsCaller`: whether its condition reads `caller`. Absent if that is not known. */
export interface ConditionalGrant extends Grant {
  readonly readsCaller?: boolean;
}

/**
 * Whether the grant excludes every token that is restricted by scopes, whatever its roles: a token without a suitable scope must
 * not satisfy a condition about the caller either.
 */
export function excludesTokens({ readsCaller, who }: Pick<ConditionalGrant, "who" | "readsCaller">): boolean {
  return who.kind === "signed-in" ? who.anyScope !== true : who.kind === "anyone" && readsCaller === true;
}

/**
 * Whether `outer` includes all callers of `inner`, apart from conditions. A grant for `signed-in` or `anyone` whose condition
 * reads `caller` does not include tokens with scopes (docs/decisions/0022-oauth.md).
 */
export function covers(
  { authentication }: Pick<Model, "authentication">,
  outer: ConditionalGrant,
  inner: ConditionalGrant,
): boolean {
  const { who } = inner;
  if (outer.who.kind === "role") return nameOf(outer) === nameOf(inner);
  if (who.kind === "anyone" && outer.who.kind !== "anyone") return false;
  if (!excludesTokens(outer) || excludesTokens(inner)) return true;
  return !Object.values(authentication.credentials).some(
    (credential) =>
      bindsByScopes(credential) &&
      (who.kind !== "role" ||
        Object.values(rolesByScope(credential) ?? {})
          .flat()
          .includes(who.role)),
  );
}
