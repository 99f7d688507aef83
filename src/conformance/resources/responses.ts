/** Fields in responses, and the statements of part 2 that no case is about. */
import { withArticle } from "../../base/case.ts";
import { responseShape } from "../../language/endpoints/shape.ts";
import { fieldsOf, isNeverReturned, lookup } from "../../language/resources/fields.ts";
import { type Case, NotTried, type Unobservable } from "../case.ts";
import type { Contract } from "../contract.ts";
import { returnedIn } from "../returned.ts";
import { existing } from "../trial/existing.ts";
import type { KnownRecord } from "../trial/known.ts";
import { creatorsOf } from "../trial/records.ts";
import type { Trial } from "../trial/trial.ts";
import { innerPaths } from "./paths.ts";

/** Responses show the fields of a record as they are declared. */
export function responseCases(contract: Contract): readonly Case[] {
  return Object.keys(contract.model.resources.resources).flatMap((resource): readonly Case[] => {
    const names = visibleFields(contract, resource);
    const expects = (name: string): string => `responses show \`${name}\` as it is declared`;
    const [first, ...more] = names.flatMap((name) => {
      const type = lookup(fieldsOf(contract.model, resource), name)?.type;
      const inner = type === undefined ? [] : innerPaths(contract, type);
      return [`resources/${resource}/${name}`, ...inner].map((path) => ({ path, expects: expects(name) }));
    });
    if (first === undefined) return [];
    return [
      {
        id: `resources/${resource}: responses`,
        aspects: [first, ...more],
        run: async (trial) => {
          const record = (await found(trial, resource)) ?? (await trial.make(resource));
          // Each response is compared with the declared fields.
          const isRead = await trial.look(record);
          if (!isRead && record.observed.size === 0) throw new NotTried(`no response shows ${withArticle(resource)}`);
        },
      },
    ];
  });
}

/** Returns a record that the service itself has made, of a resource that no request creates; undefined if the test finds none. */
async function found(trial: Trial, resource: string): Promise<KnownRecord | undefined> {
  if (creatorsOf(trial, resource).length > 0) return undefined;
  for (const caller of await trial.callers()) {
    const record = await existing(trial, resource, caller);
    if (record !== undefined) return record;
  }
  return undefined;
}

/** Returns the fields that some response shows to some caller. */
function visibleFields(contract: Contract, resource: string): readonly string[] {
  const { model } = contract;
  const fields = fieldsOf(model, resource);
  const found = [...contract.operations.values()].flatMap((called) => {
    if (called.endpoint.wire !== undefined || called.kind !== "resource" || called.endpoint.gives === "none") return [];
    const { item } = responseShape(model, called);
    if (item !== undefined)
      return returnedIn(model, item).flatMap((one) => (one.resource === resource ? one.fields : []));
    const isReturned =
      called.resource === resource && !["delete", "clear", "logout", "history", "summary"].includes(called.action);
    return isReturned ? Object.keys(fields) : [];
  });
  return [...new Set(found)].filter((name) => !isNeverReturned(lookup(fields, name) ?? { marks: [] }));
}

/** Returns the statements about which there is no case, with the reason. */
export function untried(contract: Contract, cases: readonly Case[]): readonly Unobservable[] {
  const about = new Set(cases.flatMap(({ aspects }) => aspects.map(({ path }) => path)));
  const isAbout = (path: string): boolean => about.has(path) || [...about].some((one) => one.startsWith(`${path}/`));
  const { resources, rules, types, views = {}, schemas = {} } = contract.model.resources;
  const operations = [...contract.operations.values()];
  const found: Unobservable[] = [];
  const add = (path: string, expects: string, reason: string): void => {
    if (!isAbout(path)) found.push({ path, expects, reason });
  };
  for (const [resource, { fields }] of Object.entries(resources)) {
    const isUsed = operations.some((one) => one.resource === resource);
    for (const name of Object.keys(fields)) {
      const reason = isUsed
        ? `no request sets \`${name}\`, and no response shows it`
        : `no operation is about ${withArticle(resource)}`;
      add(`resources/${resource}/${name}`, `\`${name}\` of ${withArticle(resource)}`, reason);
    }
    for (const index of (lookup(rules, resource) ?? []).keys())
      add(
        `resources/rules/${resource}/${index}`,
        `the rule of ${resource}`,
        isUsed ? "no request can violate the rule" : `no operation sets fields of ${withArticle(resource)}`,
      );
  }
  for (const [type, fields] of Object.entries(types))
    for (const name of Object.keys(fields))
      add(`resources/types/${type}/${name}`, `\`${name}\` of a ${type}`, "no request and no response contains it");
  for (const view of Object.keys(views))
    add(`resources/views/${view}`, `the view ${view}`, "no operation returns the view");
  for (const schema of Object.keys(schemas))
    add(`resources/schemas/${schema}`, `values of the schema ${schema}`, "no request and no response contains it");
  return found;
}
