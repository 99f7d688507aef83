/** The parameters of a path that name a record, for the server and the exports. */
export { partsOf, type PathKey, type PathParent, type PathPart } from "../../language/endpoints/model.ts";
