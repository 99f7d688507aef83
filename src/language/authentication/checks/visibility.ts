/** Reports fields and references that callers cannot see. */
import { withArticle } from "../../../base/case.ts";
import { allowedTo, declares } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";
import { inputOf } from "../../endpoints/input.ts";
import { fieldsOf, isServerSet, lookup, isNullable, referenceOf } from "../../resources/fields.ts";
import { nameOf } from "../grants.ts";
import { hiddenFromAll } from "../visible.ts";

/** Reports a field that callers set and no caller can see. */
const visibleToNobody: Check = {
  code: "authentication/shown-to-nobody",
  severity: "hint",
  why: "The field's mark has to say whether callers may set a value that nobody sees.",
  *run({ model, gaps }) {
    for (const [subject, grants] of Object.entries(model.authentication.show)) {
      if (grants.length > 0 || gaps.has(`authentication/show/${subject}`)) continue;
      const [resource = "", name = ""] = subject.split(".");
      const field = lookup(fieldsOf(model, resource), name);
      // A field that callers do not set may be hidden from all of them on purpose: `show` declares it.
      if (field === undefined || isServerSet(field)) continue;
      const isMade = field.default !== undefined && field.default.kind !== "literal";
      yield {
        at: `authentication/show/${subject}`,
        message: `\`${subject}\` is hidden from everybody, but callers may set it`,
        help: isMade
          ? "mark it `read-only` in part 2 if only the service sets it, or `write-only` if callers set it"
          : "mark it `write-only` in part 2 if callers set it and no response returns it, or `read-only` if they do not set it",
      };
    }
  },
};

/** Reports a reference to records that no caller of the operation may see. */
const hiddenReference: Check = {
  code: "authentication/hidden-reference",
  severity: "warning",
  why: "The service treats a hidden record like a missing one, so it rejects every request.",
  *run(documentIndex) {
    const { model, endpoints, places } = documentIndex;
    if (!declares(documentIndex, "resources", "endpoints", "authentication")) return;
    for (const resolved of endpoints.values()) {
      if (resolved.kind !== "resource") continue;
      const { operation, parents } = resolved;
      const callers = allowedTo(documentIndex, operation);
      const references = inputOf(model, resolved).flatMap(({ name, field, required }) => {
        const target = required && !isNullable(field) ? referenceOf(model, field.type) : undefined;
        return target === undefined
          ? []
          : [{ name: `\`${name}\``, at: `endpoints/endpoints/${operation}/takes/${name}`, target }];
      });
      const inPath = parents.map(({ parameter, resource }) => ({
        name: `\`{${parameter}}\``,
        at: "",
        target: resource,
      }));
      for (const { name, at, target } of [...inPath, ...references]) {
        const hidden = hiddenFromAll(model, callers, target);
        if (hidden === undefined) continue;
        const who = [...new Set(callers.map(nameOf))].map((caller) => `\`${caller}\``).join(" or ");
        yield {
          at: places.has(at) ? at : `authentication/allow/${operation}#key`,
          message: `\`${operation}\` needs ${name}, and ${who} cannot see any ${target}`,
          help: `allow ${who} to run \`${hidden}\`, so that the caller can name ${withArticle(target)}`,
        };
      }
    }
  },
};

export const checks: readonly Check[] = [visibleToNobody, hiddenReference];
