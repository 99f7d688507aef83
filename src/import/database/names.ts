/** Chooses the names of resources, fields and operations. A name that a document can have stays as it is in the database. */
import { pascalCase, plural, snakeCase } from "../../base/case.ts";
import type { CatalogueTable } from "./catalogue.ts";

/** Irregular plurals, whose singular no rule finds. */
const irregular: readonly (readonly [many: string, one: string])[] = [
  ["people", "person"], ["children", "child"], ["analyses", "analysis"], ["shelves", "shelf"], ["knives", "knife"],
  ["quizzes", "quiz"], ["series", "series"], ["species", "species"],
]; // biome-ignore format: a table

/** Returns the singular whose plural is the name; undefined if the name is no plural. */
function singular(name: string): string | undefined {
  const candidates = [
    ...irregular.filter(([many]) => name.endsWith(many)).map(([many, one]) => name.slice(0, -many.length) + one),
    ...(name.endsWith("ies") ? [`${name.slice(0, -3)}y`] : []),
    ...(name.endsWith("es") ? [name.slice(0, -2)] : []),
    ...(name.endsWith("s") ? [name.slice(0, -1)] : []),
  ];
  return candidates.find((one) => one !== "" && plural(one) === name);
}

/**
 * Returns the name of the resource of each table. The names of two resources never give one table, also not in other capitals.
 */
export function resourceNames(tables: readonly CatalogueTable[]): ReadonlyMap<string, string> {
  const used = new Set<string>();
  const names = new Map<string, string>();
  for (const { name } of tables) {
    const words = snakeCase(name.normalize("NFKD")).replaceAll(/[^a-z0-9_]+/g, "");
    const wanted = pascalCase(singular(words) ?? words);
    const sound = /^[A-Z]/.test(wanted) ? wanted : `Table${wanted}`;
    let chosen = sound;
    for (let count = 2; used.has(tableOf(chosen)) || /^(?:nonet|sqlite)_/.test(tableOf(chosen)); count += 1)
      chosen = `${sound}${count}`;
    used.add(tableOf(chosen));
    names.set(name, chosen);
  }
  return names;
}

/** The name of the table in which a service stores a resource. */
export function tableOf(resource: string): string {
  return snakeCase(plural(resource)).toLowerCase();
}

/** Names that the store uses. */
const reserved = /^_(?:seq|rev|due|entered|made|json[0-9]*)$/i;

/**
 * Returns the name of the field of each column, by column; `id` is the field of the column `identity`, and no other column's.
 */
export function fieldNames(columns: readonly string[], identity: string | undefined): ReadonlyMap<string, string> {
  const used = new Set<string>(["id"]);
  const fields = new Map<string, string>();
  if (identity !== undefined) fields.set(identity, "id");
  const isSound = (name: string): boolean =>
    /^_?[A-Za-z][A-Za-z0-9_]*$/.test(name) && !reserved.test(name) && !(name in Object.prototype);
  const rest = columns.filter((name) => name !== identity);
  // Names that need no change come first, so that no other name takes them.
  for (const column of [...rest.filter(isSound), ...rest.filter((name) => !isSound(name))]) {
    const plain = column
      .normalize("NFKD")
      .replaceAll(/[^A-Za-z0-9_]+/g, "_")
      .replaceAll(/^_+|_+$/g, "");
    const wanted = isSound(column) ? column : isSound(plain) ? plain : `column_${plain}`.replace(/_+$/, "");
    let chosen = wanted;
    for (let count = 2; used.has(chosen.toLowerCase()); count += 1) chosen = `${wanted}_${count}`;
    used.add(chosen.toLowerCase());
    fields.set(column, chosen);
  }
  return fields;
}
