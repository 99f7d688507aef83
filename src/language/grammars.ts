/** The grammars of the nine parts, which read and print them and describe them to editors. */
import { authentication } from "./authentication/grammar.ts";
import { endpoints } from "./endpoints/grammar.ts";
import { errors } from "./errors/grammar.ts";
import { events } from "./events/grammar.ts";
import type { PartGrammar } from "./grammar/grammar.ts";
import { limits } from "./limits/grammar.ts";
import type { Model, PartName } from "./model.ts";
import { purpose } from "./purpose/grammar.ts";
import { resources } from "./resources/grammar.ts";
import { states } from "./states/grammar.ts";
import { versioning } from "./versioning/grammar.ts";

export const grammars: { readonly [Part in PartName]: PartGrammar<Model[Part]> } = {
  purpose,
  resources,
  states,
  endpoints,
  authentication,
  events,
  errors,
  limits,
  versioning,
};
