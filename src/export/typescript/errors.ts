/** The types of refusals: which codes each operation has, and what the body of each code holds. */
import type { Json, JsonObject } from "../../base/json.ts";
import { componentNames } from "../openapi/names.ts";
import type { Exported } from "./client.ts";
import type { Method } from "./methods.ts";
import { comment, literal, memberName, union } from "./types.ts";

export function errorTypes(exported: Exported, methods: readonly Method[]): readonly string[] {
  const codes = methods.map(({ operation }) =>
    [...new Set(operation.refusals.map(({ code }) => code))].toSorted(byText),
  );
  const [first = [], ...others] = codes;
  const everywhere = first.filter((code) => others.every((some) => some.includes(code)));
  const all = [...new Set(codes.flat())].toSorted(byText);
  const refusals = methods.map(({ name }, index) => {
    const own = (codes[index] ?? []).filter((code) => !everywhere.includes(code));
    return `  readonly ${memberName(name)}: ${union(["RefusedAnywhere", ...own.map(literal)])};\n`;
  });
  const problems = all.map((code) => `  readonly ${memberName(code)}: ${problemType(exported, code)};\n`);
  return [
    ...standardProblem(exported),
    `${comment("The body of each refusal, by its code.", "")}export interface Problems {\n${problems.join("")}}\n`,
    `export type ErrorCode = keyof Problems;\n`,
    `${comment("Codes that whatever is asked can be refused with.", "")}export type RefusedAnywhere = ${union(everywhere.map(literal))};\n`,
    `${comment("The codes that each operation can be refused with.", "")}export interface Refusals {\n${refusals.join("")}}\n`,
    `${comment("What an operation can be refused with; `code` tells one from another.", "")}export type ErrorOf<Name extends keyof Refusals> = {
  readonly [Code in Refusals[Name]]: ApiError<Code, Problems[Code]>;
}[Refusals[Name]];
`,
    `${comment("Whether what was thrown is a refusal of this operation.", "")}export function isErrorOf<Name extends keyof Refusals>(thrown: unknown, operation: Name): thrown is ErrorOf<Name> {
  return thrown instanceof ApiError && thrown.operation === operation && thrown.code !== "unrecognized";
}
`,
  ];
}

/** What all bodies by RFC 9457 have in common; nothing where the document has a body of its own. */
function standardProblem({ plan, described, type }: Exported): readonly string[] {
  if (plan.problemBody !== "problem+json") return [];
  const any = described.schemas[componentNames(plan).anyProblem] ?? {};
  const required = (any["required"] ?? []) as readonly string[];
  const members = Object.entries(membersOf(any)).map(([name, schema]) => {
    const said = comment((schema as JsonObject)["description"], "  ");
    const text = name === "code" ? "Code" : name === "errors" ? "readonly FaultOfRequest[]" : type(schema, "  ");
    return `${said}  readonly ${memberName(name)}${required.includes(name) ? "" : "?"}: ${text};\n`;
  });
  return [
    `${comment("A refusal (RFC 9457).", "")}export interface Problem<Code extends string = ErrorCode> {\n${members.join("")}}\n`,
  ];
}

function problemType({ plan, described, type }: Exported, code: string): string {
  const names = componentNames(plan);
  const schema = described.schemas[names.problem(code)] ?? {};
  if (plan.problemBody !== "problem+json") return type(schema, "  ");
  const known = membersOf(described.schemas[names.anyProblem] ?? {});
  const extra = Object.entries(membersOf(schema)).filter(([name]) => !Object.hasOwn(known, name));
  const own = extra.map(([name, member]) => `readonly ${memberName(name)}?: ${type(member)}`);
  return `Problem<${literal(code)}>${own.length === 0 ? "" : ` & { ${own.join("; ")} }`}`;
}

function byText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

function membersOf(schema: JsonObject): Readonly<Record<string, Json>> {
  return (schema["properties"] ?? {}) as JsonObject;
}
