/** The function of `node:util` that the engine calls, in a browser. */
type Done<Result> = (failure: unknown, result: Result) => void;

export function promisify<Parameters extends readonly unknown[], Result>(
  task: (...parameters: [...Parameters, Done<Result>]) => void,
): (...parameters: Parameters) => Promise<Result> {
  return (...parameters) =>
    new Promise((resolve, reject) => {
      task(...parameters, (failure, result) => (failure ? reject(failure) : resolve(result)));
    });
}
