/** What a test needs to know of the implementation besides the document: a small file in YAML, or flags. */
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from "yaml";

/** A credential that the owner of the implementation lends the test. */
export interface LentCaller {
  readonly roles: readonly string[];
  readonly token: string;
  /** The caller's id in the implementation; absent: the test learns it from a record that the caller creates. */
  readonly user?: string;
  /** The credential of part 5; absent: the first one that sends a token. */
  readonly credential?: string;
}

export interface TestSettings {
  readonly url?: string;
  readonly callers: readonly LentCaller[];
  /** A command line that prints a credential; `{user}` and `{roles}` are replaced. */
  readonly obtain?: string;
  /** A command line that revokes the credentials of a user; `{user}` is replaced. */
  readonly revoke?: string;
  /** The secrets of the document, by the name of their environment variable. */
  readonly secrets: Readonly<Record<string, string>>;
  /** The address of a test clock. */
  readonly clock?: string;
  /** The address that empties the implementation's data: a `POST` without a body. */
  readonly reset?: string;
  /** The address at which the implementation reaches the test's receiver of webhooks. */
  readonly receiver?: string;
  /** The host that is no loopback address, and is meant all the same. */
  readonly confirm?: string;
  /** Operations that the test must not call. */
  readonly skip: readonly string[];
}

export interface SettingsRead {
  readonly settings: TestSettings;
  /** What is wrong, with the line. */
  readonly problems: readonly string[];
}

/** The settings that are one text each. */
export const textSettings = ["url", "obtain", "revoke", "clock", "reset", "receiver", "confirm"] as const;
const names: readonly string[] = [...textSettings, "callers", "secrets", "skip"];

/** Reads a settings file. A value `$NAME` is the value of an environment variable. */
export function readTestSettings(
  file: string,
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
): SettingsRead {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const problems = document.errors.map(({ message, pos }) => `${file}:${lines.linePos(pos[0]).line}: ${message}`);
  const complain = (node: Node | null, what: string): void => {
    problems.push(`${file}:${lines.linePos(node?.range?.[0] ?? 0).line}: ${what}`);
  };
  const textOf = (node: unknown): string | undefined => {
    if (!isScalar(node)) return undefined;
    const value = typeof node.value === "string" ? node.value : (node.source ?? String(node.value));
    const variable = /^\$([A-Za-z_][A-Za-z0-9_]*)$/.exec(value)?.[1];
    if (variable === undefined) return value;
    const found = environment[variable];
    if (found === undefined) complain(node, `the environment has no variable ${variable}`);
    return found ?? "";
  };
  const listOf = (node: unknown): readonly string[] =>
    isSeq(node) ? node.items.flatMap((item) => textOf(item) ?? []) : [textOf(node) ?? ""].filter((one) => one !== "");

  const found: Record<string, unknown> = {};
  const { contents } = document;
  if (contents !== null && !isMap(contents)) complain(contents, "settings have to be lines of `name: value`");
  for (const { key, value } of isMap(contents) ? contents.items : []) {
    const name = isScalar(key) ? String(key.value) : "";
    if (!names.includes(name)) complain(key as Node, `\`${name}\` is no setting; there are ${names.join(", ")}`);
    else if (name === "skip") found[name] = listOf(value);
    else if (name === "secrets")
      found[name] = Object.fromEntries(membersOf(value).map(([member, one]) => [member, textOf(one) ?? ""]));
    else if (name === "callers") found[name] = isSeq(value) ? value.items.flatMap((item) => callerOf(item)) : [];
    else found[name] = textOf(value);
  }
  return { settings: { callers: [], secrets: {}, skip: [], ...found }, problems };

  function callerOf(item: unknown): readonly LentCaller[] {
    const members = new Map(membersOf(item));
    const token = textOf(members.get("token"));
    if (token === undefined) {
      complain(item as Node, "a caller has a `token`, and `roles`: `{ roles: [courier], token: $ANN }`");
      return [];
    }
    const user = textOf(members.get("user"));
    const credential = textOf(members.get("credential"));
    return [
      {
        ...{ token, roles: members.has("roles") ? listOf(members.get("roles")) : [] },
        ...(user === undefined ? {} : { user }),
        ...(credential === undefined ? {} : { credential }),
      },
    ];
  }
}

function membersOf(node: unknown): readonly (readonly [string, unknown])[] {
  if (!isMap(node)) return [];
  return node.items.map(({ key, value }) => [isScalar(key) ? String(key.value) : "", value] as const);
}

/** Reads `courier=TOKEN`, `ann:courier+driver=TOKEN` or `=TOKEN`: a user, roles and a token. */
export function readCaller(text: string): LentCaller | undefined {
  const [, user, roles = "", token = ""] = /^(?:([^:=]+):)?([^=]*)=(.+)$/s.exec(text) ?? [];
  if (token === "") return undefined;
  return { roles: roles === "" ? [] : roles.split("+"), token, ...(user === undefined ? {} : { user }) };
}
