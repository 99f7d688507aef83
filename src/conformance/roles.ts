/** The combinations of roles with which a test calls. */
import { onceFor } from "../base/once.ts";
import type { Contract } from "./contract.ts";

/** Returns each role alone, and no role if the document has grants for everybody with a credential. */
export const rolesOf: (contract: Contract) => readonly (readonly string[])[] = onceFor(({ model }: Contract) => {
  const { allow, credentials, roles = [], show } = model.authentication;
  if (Object.keys(credentials).length === 0) return [];
  const grants = [...Object.values(allow), ...Object.values(show)].flat();
  const named = grants.flatMap(({ who }) => (who.kind === "role" ? [who.role] : []));
  const all = [...new Set([...roles, ...named])];
  const isForEverybody = grants.some(({ who }) => who.kind === "signed-in");
  return [...all.map((role) => [role]), ...(isForEverybody || all.length === 0 ? [[]] : [])];
});
