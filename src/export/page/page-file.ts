/**
 * Renders the page that a running service has at `/` as one file: with its stylesheet, and with all errors, so that it needs
 * nothing from a server and can be sent or published as it is.
 */
import { servedOperations } from "../../plan/endpoints/contract.ts";
import { documentPage } from "./document-page.ts";
import { errorSections } from "./error-page.ts";
import type { Source } from "./source.ts";
import { style } from "./style.ts";

/** Returns the file in pieces. */
export function* pageFile({ plan, ...others }: Source): Iterable<string> {
  const source = { ...others, plan: { ...plan, operations: servedOperations(plan) } };
  for (const piece of documentPage(source, { kind: "file", style, sections: errorSections(source) }))
    yield piece.replaceAll(/ href="errors\/([^"]+)"/g, ' href="#error-$1"');
}
