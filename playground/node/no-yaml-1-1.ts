/** In place of the types of YAML 1.1, which no document has: a tag that names one is an unknown tag. */
const none: readonly never[] = [];

export {
  none as binary,
  none as floatTime,
  none as intTime,
  none as omap,
  none as pairs,
  none as schema,
  none as set,
  none as timestamp,
};
