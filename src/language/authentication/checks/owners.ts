/** Checks who owns a record: reports an owner that no permission uses, or that callers can write. */
import { withArticle } from "../../../base/case.ts";
import { type TypedExpression, parts } from "../../../expression/typed.ts";
import type { Check } from "../../analysis/finding.ts";
import { inputOf } from "../../endpoints/input.ts";

/** Reports an ownership expression that no permission uses. */
const unusedOwner: Check = {
  code: "authentication/unused-own",
  severity: "warning",
  why: "It looks as if ownership protected the records, but it does not.",
  *run({ model, grants, endpoints, outEvents }) {
    const ownerGrants = grants.filter(({ grant }) => grant.if !== undefined && /(?<![\w.])own(?!\w)/.test(grant.if));
    const usedResources = new Set(
      ownerGrants.flatMap(({ at, operation }) => {
        if (operation !== undefined) {
          const resolved = endpoints.get(operation);
          return resolved === undefined || resolved.kind === "unclear" ? [] : [resolved.resource];
        }
        const field = /^authentication\/show\/([^./]+)/.exec(at)?.[1];
        return field === undefined ? [...outEvents.values()].map(({ resource }) => resource) : [field];
      }),
    );
    for (const resource of Object.keys(model.authentication.own)) {
      if (usedResources.has(resource) || !Object.hasOwn(model.resources.resources, resource)) continue;
      yield {
        at: `authentication/own/${resource}#key`,
        message: `No permission uses the owner of ${withArticle(resource)}`,
        help: "write `role if own` in a permission, or remove the line",
      };
    }
  },
};

/** Reports an owner field that callers can write themselves. */
const ownerWritable: Check = {
  code: "authentication/owner-writable",
  severity: "warning",
  why: "A caller who may create or edit a record can give it to another user, or take over a record of another user.",
  *run(documentIndex) {
    for (const resource of Object.keys(documentIndex.model.authentication.own)) {
      const typed = documentIndex.typed.get(`authentication/own/${resource}`);
      if (typed === undefined) continue;
      const owners = new Set(ownerFields(typed));
      for (const resolved of documentIndex.endpointsOf.get(resource) ?? []) {
        const writable = inputOf(documentIndex.model, resolved).find(({ name, sets }) => sets && owners.has(name));
        if (writable === undefined) continue;
        owners.delete(writable.name);
        yield {
          at: `resources/${resource}/${writable.name}`,
          message: `\`${writable.name}\` says who owns ${withArticle(resource)}, and \`${resolved.operation}\` lets callers set it`,
          help: `write \`${writable.name}: user = caller, read-only\`; if callers may set it for others, add \`# ok owner-writable: …\` with the reason`,
        };
      }
    }
  },
};

/** Returns the fields of the record that an expression compares with the caller's id. */
function ownerFields(typed: TypedExpression): readonly string[] {
  if (typed.kind === "compare" && typed.operator === "==") {
    const { left, right } = typed;
    if (isCaller(left) && right.kind === "field") return [right.name];
    return isCaller(right) && left.kind === "field" ? [left.name] : [];
  }
  return parts(typed).flatMap(ownerFields);
}

function isCaller(typed: TypedExpression): boolean {
  return typed.kind === "variable" && typed.path.join(".") === "caller.id";
}

export const checks: readonly Check[] = [unusedOwner, ownerWritable];
