/** Reports a status, a name, a message or a body for an error that does not exist. */
import { declares } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";
import { bodyFor, violationCodes, protocolErrors, standardErrors, withoutField } from "../model.ts";

export const check: Check = {
  code: "errors/unknown-code",
  severity: "error",
  why: "The body would never be used, and the intended error would keep its standard body.",
  *run(documentIndex) {
    const { bodies = {}, status = {}, codes = {}, messages = {}, errors } = documentIndex.model.errors;
    const known = new Set([...Object.keys(standardErrors), ...Object.keys(protocolErrors), ...Object.keys(errors)]);
    for (const key of Object.keys(bodies)) {
      const { code, operation } = bodyFor(key);
      const at = `errors/bodies/${key}#key`;
      if (key !== withoutField && !known.has(code)) yield unknown(at, code, [withoutField, ...known]);
      if (operation !== undefined && declares(documentIndex, "endpoints") && !documentIndex.operations.has(operation))
        yield {
          at,
          message: `There is no operation \`${operation}\``,
          unknown: { name: operation, known: documentIndex.operations },
        };
    }
    const named = new Set([...known, ...violationCodes]);
    for (const [member, values, codesOf] of [
      ["status", status, known],
      ["codes", codes, named],
      ["messages", messages, named],
    ] as const) {
      for (const code of Object.keys(values)) {
        if (!codesOf.has(code)) yield unknown(`errors/${member}/${code}#key`, code, codesOf);
      }
    }
  },
};

function unknown(at: string, name: string, known: Iterable<string>) {
  const help = "name an error of this part, of the catalogue, or an HTTP error";
  return { at, message: `There is no error \`${name}\``, unknown: { name, known }, help };
}
