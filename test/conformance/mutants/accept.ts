/** Serves correct services to a tester, which must report nothing: each example, on each store, at each version. */
import { readDocument } from "../../../src/document/read.ts";
import { readModel } from "../../../src/language/read.ts";
import { onPostgres } from "../../postgres/service-schema.ts";
import { type ServedDocument, serveTimed } from "./served.ts";
import type { Tester } from "./tester.ts";

export interface Acceptance {
  readonly document: ServedDocument;
  readonly store: "memory" | "sqlite" | "postgres";
  /** Absent if the document has no versions. */
  readonly version?: string;
}

/** With `npm run test:postgres` there is PostgreSQL in place of SQLite. */
const stores: readonly Acceptance["store"][] = ["memory", onPostgres ? "postgres" : "sqlite"];

export function acceptances(documents: readonly ServedDocument[]): readonly Acceptance[] {
  return documents.flatMap((document) => {
    const { versions = [] } = readModel(readDocument("document.md", document.text).document).model.versioning;
    return stores.flatMap((store) =>
      versions.length === 0 ? [{ document, store }] : versions.map(({ name }) => ({ document, store, version: name })),
    );
  });
}

/** Returns the statements that the tester reports, all of them by mistake. */
export async function falseAlarms(
  { document, store, version }: Acceptance,
  tester: Tester,
): Promise<readonly string[]> {
  const { environment, functions, text } = document;
  await using running = await serveTimed(text, { store, environment, ...(functions && { functions }) });
  const { broken } = await tester(text, running, { environment, ...(version === undefined ? {} : { version }) });
  return broken;
}

export function titleOf({ document, store, version }: Acceptance): string {
  return [document.name, store, version].filter((text) => text !== undefined).join(", ");
}
