/** In place of keywords of JSON Schema that no document may use, such as `$dynamicRef`. */
const none: readonly never[] = [];
export default none;
