/** Paths of operations as text, for what serves them. */
export { segmentText } from "../parts/endpoints/meaning.ts";
