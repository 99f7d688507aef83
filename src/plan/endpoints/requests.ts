/** Plans what requests may contain: media types, unknown members and parameters, texts in place of numbers. */
import type { AcceptedMedia, Endpoint, RequestStyle } from "../../language/endpoints/model.ts";
import { styleOf } from "../../language/endpoints/resolve.ts";
import { formMedia } from "../../language/endpoints/wire-media.ts";
import type { PlanInput } from "../input.ts";
import type { BodyPlan, Operation } from "./types.ts";

/** The media types that an operation accepts: those of the style, and always `application/json`. */
function mediaOf({ media = [] }: RequestStyle): readonly AcceptedMedia[] {
  return media.some(({ type }) => type === "application/json") ? media : [...media, { type: "application/json" }];
}

function requestStyle({ model }: PlanInput, endpoint: Endpoint): RequestStyle {
  return styleOf(model.endpoints, endpoint, "requests") ?? {};
}

/** Plans the parts of an operation that depend on its style alone. */
export function requestPlan(planInput: PlanInput, endpoint: Endpoint): Pick<Operation, "offers" | "ignoresUnknown"> {
  const style = requestStyle(planInput, endpoint);
  const { media, unknown } = style;
  return {
    ...(media === undefined ? {} : { offers: mediaOf(style).filter(({ type }) => type !== formMedia) }),
    ...(unknown === "ignored" ? { ignoresUnknown: true as const } : {}),
  };
}

/** Plans the media types of a body with JSON, and how its members are adapted before they are validated. */
export function adaptedBody(
  planInput: PlanInput,
  endpoint: Endpoint,
  patches: boolean,
): Pick<BodyPlan, "mediaTypes" | "convertsTexts" | "emptyRemoves"> {
  const style = requestStyle(planInput, endpoint);
  return {
    mediaTypes: [...(patches ? ["application/merge-patch+json"] : []), ...mediaOf(style).map(({ type }) => type)],
    ...(style.texts === "converted" ? { convertsTexts: true as const } : {}),
    ...(style.empty === "removes" ? { emptyRemoves: true as const } : {}),
  };
}
