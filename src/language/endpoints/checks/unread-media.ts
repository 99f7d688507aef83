/** A wire declares a body in a media type that the server cannot read. */
import type { Check } from "../../analysis/finding.ts";
import { jsonSchemaOf, namedSchemas } from "../../resources/json-schema.ts";
import { isRead } from "../wire-media.ts";

export const check: Check = {
  code: "endpoints/unread-media",
  severity: "warning",
  why: "The service rejects every request with such a body (415), so the function never gets one.",
  *run({ endpoints, model }) {
    for (const { endpoint, kind, operation } of endpoints.values()) {
      const { media, type } = endpoint.wire?.body ?? {};
      if (kind !== "free" || media === undefined) continue;
      const schema = type === undefined ? undefined : jsonSchemaOf(model, type, "input");
      const unread = media.filter((one) => !isRead(one, schema, namedSchemas(model)));
      if (unread.length === 0) continue;
      yield {
        at: `endpoints/endpoints/${operation}/wire/body/media`,
        message: `\`${operation}\` declares a body of ${unread.map((one) => `\`${one}\``).join(", ")}, which cannot be read as this type`,
        help: "take `application/json` or `application/x-www-form-urlencoded`, or take the bytes with `body: { type: string, media: … }`; `multipart/form-data` is read by a `POST` to a collection whose resource has a field of type `file`",
      };
    }
  },
};
