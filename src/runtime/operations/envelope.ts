/**
 * Removes the enclosing objects of bodies: reports their violations, and converts pointers to those of the sent body (R7.2).
 */
import { fragmentTo, pathOf, unescapeSegment } from "../../base/json-pointer.ts";
import type { Opened } from "../../plan/endpoints/envelope.ts";
import { isUnknown } from "../validation/messages.ts";
import type { Validator } from "../validation/validator.ts";
import { type Violation, ApiError } from "../errors/api-error.ts";

const messages = {
  required: (name: string) => `${name} is required`,
  "wrong-type": (name: string) => `${name} must be an object`,
  "unknown-field": isUnknown,
} as const;

/** Creates a validator for the content that also reports the violations of the enclosing objects. */
export function envelopeValidator({ violations, paths }: Opened, validate: Validator | undefined): Validator {
  const envelopeViolations = violations.map(({ path, code }): Violation => {
    return {
      pointer: fragmentTo(path),
      field: path.at(-1) ?? "body",
      code,
      detail: messages[code](path.join(".")),
      isLocated: true,
    };
  });
  // For a missing object, its missing members are not reported as well.
  const missing = violations.filter(({ code }) => code !== "unknown-field").map(({ path }) => fragmentTo(path));
  return (value) => [
    ...envelopeViolations,
    ...(validate?.(value) ?? []).filter(({ code, pointer }) => {
      if (code !== "required" || pointer === undefined) return true;
      const at = pointerAt(pointer, paths);
      return !missing.some((one) => at.startsWith(`${one}/`));
    }),
  ];
}

/** Returns the error with pointers into the sent body. */
export function errorInEnvelope(error: ApiError, paths: Opened["paths"]): ApiError {
  const { violations } = error.details;
  if (violations === undefined) return error;
  const relocated = violations.map(({ isLocated, ...violation }): Violation => {
    if (isLocated === true || violation.pointer === undefined) return violation;
    const pointer = pointerAt(violation.pointer, paths);
    const [name, field] = [nameAt(violation.pointer), fieldAt(violation.pointer, paths)];
    return { ...violation, field, pointer, detail: renamed(violation.detail, name, field) };
  });
  // The detail of an error with a single violation is that of the violation.
  const index = violations.findIndex(({ detail }) => detail === error.details.detail);
  const detail = relocated[index]?.detail;
  return new ApiError(error.code, {
    ...error.details,
    ...(detail === undefined ? {} : { detail }),
    violations: relocated,
  });
}

/** Returns the message with the name of a member that clients know. */
function renamed(message: string, name: string, to: string): string {
  return name !== "" && name !== to && message.startsWith(name) ? `${to}${message.slice(name.length)}` : message;
}

/** Returns the name of the member of the flat body to which a pointer leads. */
function nameAt(pointer: string): string {
  return pathOf(pointer)[0] ?? "";
}

/** Returns the name that clients know of the member to which a pointer leads. */
function fieldAt(pointer: string, paths: Opened["paths"]): string {
  const name = nameAt(pointer);
  return (paths.get(name)?.at(-1) ?? name) || "body";
}

/** Returns the pointer into the sent body. A member without a path is next to the first member that has one. */
function pointerAt(pointer: string, paths: Opened["paths"]): string {
  const [, first, rest = ""] = /^#\/([^/]*)(\/.*)?$/.exec(pointer) ?? [];
  if (first === undefined) return pointer;
  const name = unescapeSegment(decodeURIComponent(first));
  const [path = []] = paths.values();
  return `${fragmentTo(paths.get(name) ?? [...path.slice(0, -1), name])}${rest}`;
}
