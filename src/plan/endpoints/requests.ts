/** Plans what requests may contain: media types, unknown members and parameters, texts in place of numbers. */
import type { AcceptedMedia, Endpoint, RequestStyle } from "../../language/endpoints/model.ts";
import { type FreeEndpoint, styleOf } from "../../language/endpoints/resolve.ts";
import { isOneText, responseShape } from "../../language/endpoints/shape.ts";
import { formMedia, plainMedia, xmlMedia } from "../../language/endpoints/wire-media.ts";
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
export function requestPlan(
  planInput: PlanInput,
  endpoint: Endpoint,
  isText = false,
): Pick<Operation, "offers" | "ignoresUnknown" | "element"> {
  const style = requestStyle(planInput, endpoint);
  const { media, unknown } = style;
  const isOffered = ({ type }: AcceptedMedia): boolean => type !== formMedia && (type !== plainMedia || isText);
  return {
    ...(media === undefined ? {} : { offers: mediaOf(style).filter(isOffered) }),
    ...(endpoint.element === undefined ? {} : { element: endpoint.element }),
    ...(unknown === "ignored" ? { ignoresUnknown: true as const } : {}),
  };
}

/** Plans the media types of a read about the whole service, if it has others than those of JSON. */
export function aggregateMedia(planInput: PlanInput, resolved: FreeEndpoint): Pick<Operation, "offers" | "element"> {
  const isText = isOneText(responseShape(planInput.model, resolved).item);
  const { offers = [], element } = requestPlan(planInput, resolved.endpoint, isText);
  if (!offers.some(({ type }) => type === plainMedia || xmlMedia.includes(type))) return {};
  return { offers, ...(element === undefined ? {} : { element }) };
}

/** Plans the media types of a body with JSON, and how its members are adapted before they are validated. */
export function adaptedBody(
  planInput: PlanInput,
  endpoint: Endpoint,
  patches: boolean,
): Pick<BodyPlan, "mediaTypes" | "convertsTexts" | "emptyRemoves"> {
  const style = requestStyle(planInput, endpoint);
  return {
    mediaTypes: [
      ...(patches ? ["application/merge-patch+json"] : []),
      ...mediaOf(style).flatMap(({ type }) => (type === plainMedia ? [] : [type])),
    ],
    ...(style.texts === "converted" ? { convertsTexts: true as const } : {}),
    ...(style.empty === "removes" ? { emptyRemoves: true as const } : {}),
  };
}
