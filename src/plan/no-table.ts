/** Of operations and answers that are about no record, where the document has no resource that they could be listed with. */
import type { Table } from "./plan.ts";

export const noTable: Table = {
  resource: "",
  name: "",
  id: { made: "client" },
  columns: [],
  virtual: [],
  uniques: [],
  conflicts: [],
  indexes: [],
  rules: [],
};
