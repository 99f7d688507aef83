/**
 * Renders the page that a running service has at `/` as one file: with its stylesheet, and with all errors, so that it needs
 * nothing from a server and can be sent or published as it is.
 */
import { html } from "../../base/html.ts";
import { servedOperations } from "../../plan/endpoints/contract.ts";
import { documentPage } from "./document-page.ts";
import { errorSections } from "./error-page.ts";
import type { Source } from "./source.ts";
import { style } from "./style.ts";

export function pageFile({ plan, ...others }: Source): string {
  const source = { ...others, plan: { ...plan, operations: servedOperations(plan) } };
  const text = documentPage(source, { kind: "file", style, sections: html`${errorSections(source)}` });
  return text.replaceAll(/ href="errors\/([^"]+)"/g, ' href="#error-$1"');
}
