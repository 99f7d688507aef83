/** Reads the bodies of error responses, also of those that a document declares. */
import type { ProblemDescription, ServiceDescription } from "./description.ts";
import { ApiError, type FaultOfRequest } from "./errors.ts";
import { at, type ParsedResponse, type Request } from "./request.ts";

export { errorOf };

// ── Refusals ───────────────────────────────────────────────────────────────────────────────────────────────────────

function errorOf({ problem }: ServiceDescription, { name, operation }: Request, reply: ParsedResponse): ApiError {
  const { response, body } = reply;
  const candidates = operation.possibleErrors?.[response.status] ?? [];
  const read = (problem?.bodies ?? []).flatMap((shape) => readAs(shape, body) ?? []);
  const standard = standardOf(body);
  const found = standard ?? read.find((one) => one.code !== undefined) ?? read[0] ?? { faults: [] };
  const code = problem === undefined ? found.code : codeOf(problem, candidates, found);
  const detail = found.message ?? (response.statusText || "refused");
  return new ApiError(name, code ?? "unrecognized", { detail, faults: found.faults }, response, body);
}

/** The content of an error body, whatever its form. */
interface Reading {
  readonly code?: string;
  readonly message?: string;
  readonly faults: readonly FaultOfRequest[];
}

/** Reads an RFC 9457 body with Nonet's additional members. */
function standardOf(body: unknown): Reading | undefined {
  const [code, message, faults] = [at(body, ["code"]), at(body, ["detail"]), at(body, ["errors"])];
  if (typeof code !== "string" || typeof message !== "string") return undefined;
  return { code, message, faults: Array.isArray(faults) ? (faults as readonly FaultOfRequest[]) : [] };
}

/** Selects a code of this status: the one in the body, the only one, or the one with this message. */
function codeOf(
  { externalCodes, messages }: ProblemDescription,
  candidates: readonly string[],
  { code, message, faults }: Reading,
): string | undefined {
  if (code !== undefined) return externalCodes[code]?.find((one) => candidates.includes(one)) ?? code;
  const matching = candidates.filter((one) => messages[one] === message);
  const [only, ...others] = candidates.length === 1 ? candidates : matching;
  if (only !== undefined && others.length === 0) return only;
  return faults.length > 0 && candidates.includes("invalid-request") ? "invalid-request" : undefined;
}

/** Matches a body with the shape of a custom error body; undefined if it does not match. */
function readAs(shape: unknown, value: unknown): Reading | undefined {
  const variables: Record<string, string> = {};
  const faults: FaultOfRequest[] = [];
  const fits = (form: unknown, here: unknown, field: string | undefined): boolean => {
    if (typeof form === "string") {
      const variable = /^\{([a-z-]+)\}$/.exec(form)?.[1];
      if (variable === undefined) return form === here || /\{[a-z-]+\}/.test(form);
      if (typeof here !== "string" && typeof here !== "number") return false;
      if (field !== undefined && variable === "message")
        faults.push({ field, code: "unrecognized", detail: String(here) });
      variables[variable] ??= String(here);
      return true;
    }
    if (Array.isArray(form))
      return Array.isArray(here) && here.every((one) => form.some((item) => itemFits(item, one, field)));
    if (typeof form !== "object" || form === null) return form === here;
    if (typeof here !== "object" || here === null) return false;
    return Object.entries(form).every(([name, member]) => {
      if (!name.includes("{")) return Object.hasOwn(here, name) && fits(member, at(here, [name]), field);
      // This member appears once per invalid field, under the field's name.
      const rest = Object.entries(here).filter(([memberName]) => !Object.hasOwn(form, memberName));
      return rest.every(([memberName, one]) => fits(member, one, memberName));
    });
  };
  /** Matches an item that contains the name of the invalid field. */
  const itemFits = (item: unknown, one: unknown, field: string | undefined): boolean => {
    const about = at(one, [Object.entries(item ?? {}).find(([, variable]) => variable === "{field}")?.[0] ?? ""]);
    return fits(item, one, typeof about === "string" ? about : field);
  };
  if (!fits(shape, value, undefined)) return undefined;
  const { code, message } = variables;
  return { ...(code === undefined ? {} : { code }), ...(message === undefined ? {} : { message }), faults };
}
