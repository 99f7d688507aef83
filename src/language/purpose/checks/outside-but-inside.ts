/** What part 1 puts outside of the service is a resource of it. */
import { kebabCase, plural } from "../../../base/case.ts";
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "purpose/outside-but-inside",
  severity: "warning",
  why: "One of the two is out of date, and a reader cannot tell which.",
  *run({ model }) {
    const resources = new Map<string, string>();
    for (const name of Object.keys(model.resources.resources)) {
      for (const form of [name, plural(name)]) resources.set(kebabCase(form), name);
    }
    for (const outside of model.purpose.outside ?? []) {
      const resource = resources.get(kebabCase(outside));
      if (resource === undefined) continue;
      yield {
        at: "purpose/outside",
        message: `\`${outside}\` is listed as outside the service, but ${resource} is a resource`,
        help: "take it out of `outside`, or remove the resource",
      };
    }
  },
};
