/** A version in the path of an operation, although versions are selected in another way. */
import { routesOf } from "../../endpoints/routes.ts";
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "versioning/chosen-twice",
  severity: "warning",
  why: "A caller could send one version in the path and another elsewhere.",
  *run({ model }) {
    const { sent } = model.versioning;
    if (sent === undefined || sent.kind === "path") return;
    const route = routesOf(model).find(({ shape }) => /^v\d+$/.test(shape[0] ?? ""));
    if (route === undefined) return;
    yield {
      at: route.at,
      message: `The path of \`${route.name}\` contains a version, and part 9 lets callers send one too`,
      help: "take it out of the path, or write `sent: path /v{n}` in part 9",
    };
  },
};
