/** In place of the functions that write YAML: the page reads documents, and writes none. */
function none(): never {
  throw new Error("the page writes no YAML");
}

export {
  none as createStringifyContext,
  none as foldFlowLines,
  none as indentComment,
  none as lineComment,
  none as stringify,
  none as stringifyCollection,
  none as stringifyComment,
  none as stringifyDocument,
  none as stringifyNumber,
  none as stringifyPair,
  none as stringifyString,
};
