/** Imports the catalogue of a database as a document and a report, as `../import.ts` does with a description. */
import type { Model } from "../../language/model.ts";
import { printModel } from "../../language/print.ts";
import { createNotices, type ImportNotice } from "../report.ts";
import type { Catalogue } from "./catalogue.ts";
import { modelOf } from "./model.ts";

export interface ImportedDatabase {
  /** The system with its version. */
  readonly format: string;
  readonly document: string;
  readonly model: Model;
  /** The pointers are `/table/column`. */
  readonly notices: readonly ImportNotice[];
}

export function importCatalogue(catalogue: Catalogue): ImportedDatabase {
  const notices = createNotices();
  const { model, prose } = modelOf(catalogue, notices);
  return {
    format: `${catalogue.system} ${catalogue.version}`,
    document: printModel(model, prose),
    model,
    notices: notices.all,
  };
}
