/** Re-exports functions about path segments for the runtime. */
export { segmentText } from "../../language/endpoints/resolve.ts";
