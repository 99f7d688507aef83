/** Reports summaries whose groups or measures have no values. */
import { describeType, isMoney } from "../../../expression/types.ts";
import type { DocumentIndex } from "../../analysis/document-index.ts";
import type { Check, Finding } from "../../analysis/finding.ts";
import type { ResourceEndpoint } from "../resolve.ts";
import { responseMembers } from "../shape.ts";
import { currencyGroup, isGroupable, isMeasurable, measureOf } from "../summary.ts";

const forms = "`count`, `count(condition)`, `sum(x)`, `average(x)`, `min(x)` or `max(x)`";

export const check: Check = {
  code: "endpoints/summary-unclear",
  severity: "error",
  why: "A summary returns its groups, each with numbers that the database computes from the records of the group.",
  *run(documentIndex) {
    for (const resolved of documentIndex.endpoints.values()) {
      if (resolved.kind !== "resource" || resolved.action !== "summary") continue;
      yield* unclearGroups(documentIndex, resolved);
      yield* unclearMeasures(documentIndex, resolved);
      yield* unclearOrder(resolved);
    }
  },
};

function* unclearGroups({ typed }: DocumentIndex, { operation, endpoint }: ResourceEndpoint): Iterable<Finding> {
  for (const name of Object.keys(endpoint.group ?? {})) {
    const at = `endpoints/endpoints/${operation}/group/${name}`;
    const type = typed.get(at)?.type;
    if (type === undefined || isGroupable(type)) continue;
    const help = isMoney(type) ? { help: "group by its currency, as in `amount.currency`" } : {};
    yield { at, message: `Records cannot be grouped by \`${name}\`, which is ${describeType(type)}`, ...help };
  }
}

function* unclearMeasures(documentIndex: DocumentIndex, resolved: ResourceEndpoint): Iterable<Finding> {
  const { operation, endpoint } = resolved;
  const path = `endpoints/endpoints/${operation}`;
  const members = Object.entries(responseMembers(endpoint.gives));
  if (members.length === 0) {
    const help = "add `gives: { count: count, total: sum(amount) }`";
    yield { at: `${path}#key`, message: `\`${operation}\` does not say what it counts or sums`, help };
  }
  for (const [name, text] of members) {
    const at = `${path}/gives/${name}`;
    if (typeof text !== "string" || measureOf(text) === undefined) {
      yield { at, message: `\`${name}\` is no value of a group`, help: `write ${forms}` };
    } else if (Object.hasOwn(endpoint.group ?? {}, name)) {
      yield { at, message: `\`${name}\` is a group already`, help: "give one of them another name" };
    } else yield* unclearMeasure(documentIndex, resolved, name, text);
  }
}

function* unclearMeasure(
  { typed }: DocumentIndex,
  { operation, endpoint }: ResourceEndpoint,
  name: string,
  text: string,
): Iterable<Finding> {
  const path = `endpoints/endpoints/${operation}`;
  const at = `${path}/gives/${name}`;
  const [measure, argument] = [measureOf(text), typed.get(at)];
  if (measure === undefined || argument === undefined) return;
  if (!isMeasurable(measure.function, argument.type)) {
    const message = `There is no ${measure.function} of ${describeType(argument.type)}`;
    yield { at, message, help: `write ${forms} of numbers or money` };
    return;
  }
  if (!isMoney(argument.type)) return;
  const groups = Object.keys(endpoint.group ?? {}).map((one) => [one, typed.get(`${path}/group/${one}`)] as const);
  if (currencyGroup(argument, Object.fromEntries(groups)) !== undefined) return;
  const money = text.replace(/^[^(]*\(\s*|\s*\)\s*$/g, "");
  const example = /^[\w.]+$/.test(money) ? money : "amount";
  yield {
    at,
    message: `\`${name}\` could be of several currencies`,
    help: `group by the currency, too: \`group: { currency: ${example}.currency }\``,
  };
}

function* unclearOrder({ operation, endpoint }: ResourceEndpoint): Iterable<Finding> {
  const known = [...Object.keys(endpoint.group ?? {}), ...Object.keys(responseMembers(endpoint.gives))];
  for (const { field } of endpoint.order ?? []) {
    if (known.includes(field)) continue;
    const at = `endpoints/endpoints/${operation}/order/${field}`;
    yield { at, message: `The groups have no member \`${field}\``, unknown: { name: field, known } };
  }
}
