/** Paths of operations as text, for what serves them. */
export { segmentText } from "../../language/endpoints/resolve.ts";
