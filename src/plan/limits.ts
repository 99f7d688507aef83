/** What protects the server itself: from part 8 where it says so, else R8.8 and R4.21. */
import { parseSize } from "../base/bytes.ts";
import { parseClockDuration } from "../base/duration.ts";
import { own } from "../parts/resources/fields.ts";
import type { ServerLimits } from "./plan.ts";
import type { Sources } from "./sources.ts";

export function serverLimits({ model }: Sources): ServerLimits {
  const size = own(model.limits.size ?? {}, "request");
  const time = own(model.limits.time ?? {}, "request");
  return {
    requestBytes: (size === undefined ? undefined : parseSize(size)) ?? 1_048_576,
    requestMilliseconds: (time === undefined ? undefined : parseClockDuration(time)) ?? 30_000,
  };
}
