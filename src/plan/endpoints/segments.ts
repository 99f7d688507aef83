/** Re-exports path segments as text for the runtime. */
export { segmentText } from "../../language/endpoints/resolve.ts";
