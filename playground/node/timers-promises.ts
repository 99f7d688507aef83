/** The functions of `node:timers/promises` that the engine calls, in a browser. */
export function setImmediate(): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, 0));
}
