/**
 * Lists every construct of the language, each a path such as `limits/rate/per/ip`, by walking the models of the nine parts: each
 * optional member, each kind of a union, each word of a closed list. `grammar.ts` lists the constructs that a model stores as
 * text, such as the callers of a rate, from the readers' own lists.
 */
import { readFileSync } from "node:fs";
import { partNames } from "../../src/language/model.ts";
import type { Declarations, Member, Type } from "./declarations.ts";
import { readDeclarations } from "./declarations.ts";
import { grammar } from "./grammar.ts";

export function constructs(): readonly string[] {
  const walked = partNames.flatMap((part) => partConstructs(part));
  return [...new Set([...walked, ...grammar()])].filter(
    (construct) => !saidElsewhere.test(construct) && !saidNowhere.test(construct),
  );
}

/**
 * The members of a view are written like fields: of what types they are is proved of fields, and what makes or marks the
 * value of a field is refused there (`resources/view-unclear`, `resources/mark-misplaced`).
 */
const saidElsewhere = /^resources\/views\/members\/(?:type|default|marks|note|example)(?:\/|$)/;

/**
 * Members that only the models of older versions have, so no document declares them; the contract that callers know of an operation,
 * which changes nothing that the service does (test/contracts); and what only the exported description has (test/import).
 */
const saidNowhere = /^endpoints\/endpoints\/(?:meant|knownContract)(?:\/|$)|^events\/wire(?:\/|$)|\/openapi$/;

function partConstructs(part: string): readonly string[] {
  const file = new URL(`../../src/language/${part}/model.ts`, import.meta.url);
  const declarations = readDeclarations(readFileSync(file, "utf8"));
  const name = part.charAt(0).toUpperCase() + part.slice(1);
  return within({ declarations, around: [] }, part, { kind: "named", name });
}

interface Walk {
  readonly declarations: Declarations;
  /** The declared types that the walk is inside of: a type inside itself has no constructs of its own there. */
  readonly around: readonly string[];
}

/** The constructs below `path`, where a value of `type` stands. */
function within(walk: Walk, path: string, type: Type): readonly string[] {
  switch (type.kind) {
    case "object":
      return type.members.flatMap((member) => memberConstructs(walk, path, member));
    case "union":
      return type.of.flatMap((one) => alternative(walk, path, one));
    case "list":
    case "record":
      return within(walk, path, type.of);
    case "word":
      return [];
    case "items":
      return (walk.declarations.words.get(type.of) ?? unknown(type.of)).map((word) => `${path}/${word}`);
    case "named":
      return named(walk, path, type);
  }
}

/** Another part's type, and a text, has no constructs here. */
function named(walk: Walk, path: string, { name, member }: Type & { kind: "named" }): readonly string[] {
  const { declarations, around } = walk;
  const declared = declarations.types.get(name);
  if (declared === undefined || around.includes(name)) return [];
  const inside = { declarations, around: [...around, name] };
  if (member === undefined) return within(inside, path, declared);
  const found = declared.kind === "object" ? declared.members.find((one) => one.name === member) : undefined;
  return within(inside, path, found?.type ?? unknown(`${name}["${member}"]`));
}

function alternative(walk: Walk, path: string, type: Type): readonly string[] {
  if (type.kind === "word") return [`${path}/${type.word}`];
  if (type.kind !== "object") return within(walk, path, type);
  const kind = type.members.find(({ name }) => name === "kind")?.type;
  // Told apart by its members: `{ claim }` beside a list.
  if (kind?.kind !== "word" && kind?.kind !== "union") {
    return type.members.flatMap((member) => [
      `${path}/${member.name}`,
      ...within(walk, `${path}/${member.name}`, member.type),
    ]);
  }
  const words = kind.kind === "word" ? [kind] : kind.of.filter((one) => one.kind === "word");
  const rest = type.members.filter(({ name }) => name !== "kind");
  return words.flatMap(({ word }) => [
    `${path}/${word}`,
    ...within(walk, `${path}/${word}`, { kind: "object", members: rest }),
  ]);
}

/** A member that is always there and says one text or number is part of what has it. */
function memberConstructs(walk: Walk, path: string, { name, optional, type }: Member): readonly string[] {
  const at = name === "kind" || name === "on" ? path : `${path}/${name}`;
  const inner = within(walk, at, type);
  return optional || isRemovable(type) ? [at, ...inner] : inner;
}

function isRemovable(type: Type): boolean {
  return type.kind === "list" || type.kind === "record" || (type.kind === "named" && type.name === "boolean");
}

function unknown(what: string): never {
  throw new Error(`a model does not declare ${what}`);
}
