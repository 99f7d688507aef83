/** The pages of the service, for tests. */
import { check } from "../../../src/language/check.ts";
import { servicePages } from "../../../src/export/page/pages.ts";
import type { Page } from "../../../src/runtime/context/endpoint.ts";
import { planOf } from "../running.ts";

export function pagesOf(text: string): readonly Page[] {
  const result = check("service.nonet.yaml", text);
  return servicePages({ result, plan: planOf(text), baseUrl: () => "http://service" });
}
