/** A document with file fields, one of which has the name of a form's part. */
import { documentOf } from "../enforced/document.ts";

export const filesText: string = documentOf({
  resources: {
    Thing: {
      id: "id(thi)",
      data: "string(1..9)",
      "tags?": "string(1..9)[]",
      "photo?": "file(..2MB, image/png | text/*)",
    },
    Scan: { id: "id(sca)", page: "file(..1MB)" },
  },
  endpoints: {
    endpoints: {
      createThing: "POST /things",
      getThing: "GET /things/{id}",
      changeThing: "PATCH /things/{id}",
      getPhoto: "GET /things/{id}/photo",
      putPhoto: "PUT /things/{id}/photo",
      createScan: "POST /scans",
      getPage: "GET /scans/{id}/page",
    },
    repeats: "Idempotency-Key on every POST",
  },
});
