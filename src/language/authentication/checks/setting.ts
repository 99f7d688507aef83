/** Reports lines of `set` that have no effect, and required fields that some callers of an operation may not set. */
import { allowedTo, declares } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";
import { inputOf } from "../../endpoints/input.ts";
import { fieldsOf, lookup } from "../../resources/fields.ts";
import { covers, nameOf } from "../grants.ts";

/** Reports a field that no body sets, so that nobody is restricted. */
const setByNoRequest: Check = {
  code: "authentication/set-by-no-request",
  severity: "error",
  why: "The line restricts what callers send, and only the service sets this field.",
  *run(documentIndex) {
    const { model, endpoints } = documentIndex;
    const set = Object.keys(model.authentication.set ?? {});
    if (set.length === 0 || !declares(documentIndex, "resources", "endpoints")) return;
    const accepted = new Set(
      [...endpoints.values()].flatMap((resolved) =>
        resolved.kind === "resource"
          ? inputOf(model, resolved).flatMap(({ name, sets }) => (sets ? [`${resolved.resource}.${name}`] : []))
          : [],
      ),
    );
    for (const subject of set) {
      const [resource = "", name = ""] = subject.split(".");
      // Another check reports unknown names.
      if (accepted.has(subject) || lookup(fieldsOf(model, resource), name) === undefined) continue;
      yield {
        at: `authentication/set/${subject}`,
        message: `No request sets \`${subject}\``,
        help: "remove the line, or let an operation take the field",
      };
    }
  },
};

/** Reports a required field of a new record that a caller of the operation may not set. */
const requiredNotSettable: Check = {
  code: "authentication/required-not-settable",
  severity: "error",
  why: "Every request of such a caller fails: with the field the caller may not set it, and without the field it is missing.",
  *run(documentIndex) {
    const { model, endpoints } = documentIndex;
    for (const [subject, setters] of Object.entries(model.authentication.set ?? {})) {
      const [resource = "", field = ""] = subject.split(".");
      for (const resolved of endpoints.values()) {
        if (resolved.kind !== "resource" || resolved.resource !== resource || resolved.action !== "create") continue;
        if (!inputOf(model, resolved).some(({ name, required, sets }) => name === field && required && sets)) continue;
        const { operation } = resolved;
        const other = allowedTo(documentIndex, operation).find(
          (grant) => !setters.some((setter) => covers(model, setter, grant)),
        );
        if (other === undefined) continue;
        yield {
          at: `authentication/set/${subject}`,
          message: `\`${nameOf(other)}\` may run \`${operation}\`, which requires \`${field}\`, but may not set it`,
          help: `give \`${field}\` a default, make it optional, or let \`${nameOf(other)}\` set it`,
        };
      }
    }
  },
};

export const checks: readonly Check[] = [setByNoRequest, requiredNotSettable];
