/** What the engine asks of `node:process`, in a browser. */
declare const statusTexts: Readonly<Record<number, string>>;

const modules: Readonly<Record<string, unknown>> = { "node:http": { STATUS_CODES: statusTexts } };

const process = { env: {}, getBuiltinModule: (name: string): unknown => modules[name] ?? {} };

export default process;
