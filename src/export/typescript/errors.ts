/** Writes the types of errors: the codes of each operation, and the body of each code. */
import type { Json, JsonObject } from "../../base/json.ts";
import { componentNames } from "../openapi/names.ts";
import type { Exported } from "./client.ts";
import type { Method } from "./methods.ts";
import { comment, literal, memberName, union } from "./types.ts";

export function errorTypes(exported: Exported, methods: readonly Method[]): readonly string[] {
  const codes = methods.map(({ operation }) =>
    [...new Set(operation.possibleErrors.map(({ code }) => code))].toSorted(byText),
  );
  const [first = [], ...others] = codes;
  const everywhere = first.filter((code) => others.every((some) => some.includes(code)));
  const all = [...new Set(codes.flat())].toSorted(byText);
  const possibleErrors = methods.map(({ name }, index) => {
    const specific = (codes[index] ?? []).filter((code) => !everywhere.includes(code));
    return `  readonly ${memberName(name)}: ${union(["RefusedAnywhere", ...specific.map(literal)])};\n`;
  });
  const problems = all.map((code) => `  readonly ${memberName(code)}: ${problemType(exported, code)};\n`);
  return [
    ...standardProblem(exported),
    `${comment("The body of each error, by its code.", "")}export interface Problems {\n${problems.join("")}}\n`,
    `export type ErrorCode = keyof Problems;\n`,
    `${comment("The codes that every operation can fail with.", "")}export type RefusedAnywhere = ${union(everywhere.map(literal))};\n`,
    `${comment("The codes that each operation can fail with.", "")}export interface Refusals {\n${possibleErrors.join("")}}\n`,
    `${comment("The errors of an operation; `code` distinguishes them.", "")}export type ErrorOf<Name extends keyof Refusals> = {
  readonly [Code in Refusals[Name]]: ApiError<Code, Problems[Code]>;
}[Refusals[Name]];
`,
    `${comment("Whether a thrown value is an error of this operation.", "")}export function isErrorOf<Name extends keyof Refusals>(thrown: unknown, operation: Name): thrown is ErrorOf<Name> {
  return thrown instanceof ApiError && thrown.operation === operation && thrown.code !== "unrecognized";
}
`,
  ];
}

/** Returns the type with the common members of RFC 9457 bodies; empty if the document replaces all of them. */
function standardProblem(exported: Exported): readonly string[] {
  const [first] = standardSchemas(exported);
  if (first === undefined) return [];
  const { type } = exported;
  const required = requiredOf(first);
  const members = Object.entries(membersOf(first))
    .filter(([name]) => required.includes(name))
    .map(([name, schema]) => {
      const { description, type: kind } = schema as JsonObject;
      const text = name === "code" ? "Code" : type({ type: kind ?? "string" }, "  ");
      return `${comment(description, "  ")}  readonly ${memberName(name)}: ${text};\n`;
    });
  const errorsMember = "  /** Every invalid value of the request. */\n  readonly errors?: readonly FaultOfRequest[];\n";
  const docComment = comment("A refusal (RFC 9457).", "");
  return [
    `${docComment}export interface Problem<Code extends string = string> {\n${members.join("")}${errorsMember}}\n`,
  ];
}

function standardSchemas({ plan, described }: Exported): readonly JsonObject[] {
  const names = componentNames(plan);
  const schemas = Object.keys(plan.errors).map((code) => described.schemas[names.problem(code)] ?? {});
  return schemas.filter(isStandard);
}

function isStandard(schema: JsonObject): boolean {
  const required = requiredOf(schema);
  return ["type", "detail", "instance", "code", "request_id"].every((member) => required.includes(member));
}

/** Returns the type of a code's body in any operation. */
function problemType(exported: Exported, code: string): string {
  const { plan, described } = exported;
  const names = componentNames(plan);
  const bodies = [
    names.problem(code),
    ...Object.keys(plan.problemBodies).flatMap((key) => {
      const [of, operation] = key.split(" in ");
      return of === code && operation !== undefined ? [names.problemIn(code, operation)] : [];
    }),
  ];
  // No response of the description has an error that only functions return, so it has no schema of its own.
  const unknown = standardSchemas(exported).length > 0 ? `Problem<${literal(code)}>` : "unknown";
  return union(
    bodies.map((name) => {
      const { [name]: schema } = described.schemas;
      return schema === undefined ? unknown : bodyType(exported, schema);
    }),
  );
}

function bodyType({ type }: Exported, schema: JsonObject): string {
  if (!isStandard(schema)) return type(schema, "  ");
  const required = requiredOf(schema);
  const { code, ...members } = membersOf(schema);
  const extra = Object.entries(members).filter(([name]) => !required.includes(name) && name !== "errors");
  const specific = extra.map(([name, member]) => `readonly ${memberName(name)}?: ${type(member)}`);
  return `Problem<${type(code ?? {})}>${specific.length === 0 ? "" : ` & { ${specific.join("; ")} }`}`;
}

function requiredOf(schema: JsonObject): readonly string[] {
  return (schema["required"] ?? []) as readonly string[];
}

function byText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

function membersOf(schema: JsonObject): Readonly<Record<string, Json>> {
  return (schema["properties"] ?? {}) as JsonObject;
}
