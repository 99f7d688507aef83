/** Of operations and answers that are about no record, and so about no table. */
import type { Table } from "./types.ts";

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
