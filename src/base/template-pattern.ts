/** Patterns of the texts that a template becomes: `t={seconds},v1={hex}`. */

/** Returns the pattern of the whole text. `patternFor`: returns the pattern of a value, by its name in braces. */
export function templatePattern(template: string, patternFor: (name: string) => string): RegExp {
  const pieces = template.split(/\{(\w+)\}/);
  return new RegExp(
    `^${pieces.map((one, index) => (index % 2 === 0 ? RegExp.escape(one) : patternFor(one))).join("")}$`,
  );
}
