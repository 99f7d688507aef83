/**
 * The console of a service's page: a form for each operation of its OpenAPI description, which sends the request and shows the
 * response. It runs in the reader's browser, at `/` of a service and in the playground; what differs is how a request is sent.
 */
import { sample } from "./sample.ts";

export interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: string;
}

export interface Received {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** A credential that the page offers: what to call it, and what the caller would type. */
export interface OfferedKey {
  readonly label: string;
  readonly secret: string;
}

export interface ConsoleOptions {
  readonly description: Description;
  readonly keys: readonly OfferedKey[];
  readonly send: (request: Sent) => Promise<Received>;
}

type Schema = Readonly<Record<string, unknown>>;

/** The members of an OpenAPI 3.1 description that the console reads. */
export interface Description {
  readonly servers?: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components?: { readonly securitySchemes?: Readonly<Record<string, Scheme>> };
}

interface Scheme {
  readonly type: string;
  readonly scheme?: string;
  readonly in?: "header" | "query" | "cookie";
  readonly name?: string;
}

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header" | "cookie";
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}

interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly parameters?: readonly Parameter[];
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> };
}

interface Action extends Operation {
  readonly method: string;
  readonly path: string;
}

const methods = ["get", "post", "put", "patch", "delete"];

/** Fills an element with the console. */
export function renderConsole(into: HTMLElement, options: ConsoleOptions): void {
  const { description, keys } = options;
  const actions = actionsOf(description);
  const operation = choice(
    "Operation",
    actions.map(({ method, path, summary }, index) => [
      String(index),
      `${method} ${path}${summary ? `: ${summary}` : ""}`,
    ]),
  );
  const offered =
    keys.length === 0
      ? undefined
      : choice("Caller", [...keys.map(({ label, secret }) => [secret, label] as const), ["", "another key, or none"]]);
  const secret = field("Key", { value: keys[0]?.secret ?? "", spellcheck: false, autocomplete: "off" });
  const parts = element("div", { className: "console-parts" });
  const command = element("pre", { className: "console-command" });
  const answer = element("div", { className: "console-answer", ariaLive: "polite" });
  const form = element("form", { className: "console" }, [
    operation.label,
    ...(offered === undefined ? [] : [offered.label]),
    // A service without credentials needs no key.
    ...(Object.keys(description.components?.securitySchemes ?? {}).length === 0 ? [] : [secret.label]),
    parts,
    element("p", {}, [element("button", { textContent: "Send" })]),
    element("details", {}, [element("summary", { textContent: "As a command" }), command]),
    answer,
  ]);
  let current = draftOf(options, actions[0]);

  const show = (): void => {
    current = draftOf(options, actions[Number(operation.input.value)]);
    parts.replaceChildren(...(current?.fields ?? []));
    retell();
  };
  const retell = (): void => {
    command.textContent = current === undefined ? "" : curl(current.request(secret.input.value));
  };
  operation.input.addEventListener("change", show);
  offered?.input.addEventListener("change", () => {
    secret.input.value = offered.input.value;
  });
  form.addEventListener("input", retell);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (current !== undefined) void respond(options, current.request(secret.input.value), answer);
  });
  show();
  into.replaceChildren(actions.length === 0 ? element("p", { textContent: "There are no operations." }) : form);
}

async function respond({ send }: ConsoleOptions, request: Sent, answer: HTMLElement): Promise<void> {
  // What is shown is never the response to an earlier request.
  answer.replaceChildren();
  const start = performance.now();
  try {
    const { body, headers, status } = await send(request);
    const milliseconds = Math.max(1, Math.round(performance.now() - start));
    answer.replaceChildren(
      element("p", { className: status < 400 ? "console-fine" : "console-refused" }, [
        element("strong", { textContent: String(status) }),
        ` in ${milliseconds} ms`,
      ]),
      element("pre", { textContent: readable(body) }),
      element("details", {}, [
        element("summary", { textContent: `${headers.length} header fields` }),
        element("pre", { textContent: headers.map((one) => one.join(": ")).join("\n") }),
      ]),
    );
  } catch (thrown) {
    answer.replaceChildren(
      element("p", { className: "console-refused", textContent: `No response: ${(thrown as Error).message}` }),
    );
  }
}

function actionsOf({ paths }: Description): readonly Action[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    methods.flatMap((method) => {
      const operation = operations[method] as Operation | undefined;
      return operation === undefined ? [] : [{ ...operation, method: method.toUpperCase(), path }];
    }),
  );
}

interface Draft {
  readonly fields: readonly HTMLElement[];
  request(secret: string): Sent;
}

/** Returns the fields of an operation, and the request that they make. */
function draftOf({ description }: ConsoleOptions, action: Action | undefined): Draft | undefined {
  if (action === undefined) return undefined;
  const resolve = (reference: string): Schema => resolved(description, { $ref: reference });
  const parameters = (action.parameters ?? []).map((one) => resolved<Parameter>(description, one));
  const inputs = parameters.map((parameter) => {
    const label = `${parameter.name}${parameter.required ? "" : " (optional)"}`;
    const one = field(label, {
      title: parameter.description ?? "",
      spellcheck: false,
      required: parameter.required === true,
    });
    return { parameter, ...one };
  });
  const [optional, required] = [
    inputs.filter(({ parameter }) => !parameter.required),
    inputs.filter(({ parameter }) => parameter.required),
  ];
  const [type, media] =
    Object.entries(
      resolved<NonNullable<Operation["requestBody"]>>(description, action.requestBody ?? {}).content ?? {},
    )[0] ?? [];
  const body =
    type === undefined ? undefined : area(`Body, ${type}`, bodyText(type, sample(media?.schema ?? {}, resolve)));
  return {
    fields: [
      ...required.map(({ label }) => label),
      ...(body === undefined ? [] : [body.label]),
      ...(optional.length === 0
        ? []
        : [
            element("details", {}, [
              element("summary", { textContent: `${optional.length} optional parameters` }),
              ...optional.map(({ label }) => label),
            ]),
          ]),
    ],
    request(secret) {
      const valued = inputs.flatMap(({ input, parameter }) =>
        input.value === "" ? [] : [{ ...parameter, value: input.value }],
      );
      const path = action.path.replaceAll(/\{([^}]+)\}/g, (text, name: string) => {
        const found = valued.find((one) => one.in === "path" && one.name === name);
        return found === undefined ? text : encodeURIComponent(found.value);
      });
      const credential = secret === "" ? undefined : credentialOf(description, action, secret);
      const query = new URLSearchParams([
        ...valued.filter((one) => one.in === "query").map(({ name, value }) => [name, value]),
        ...(credential?.in === "query" ? [[credential.name, credential.value]] : []),
      ]);
      const base = (description.servers?.[0]?.url ?? "").replace(/\/+$/, "");
      return {
        method: action.method,
        url: `${base}${path}${query.size === 0 ? "" : `?${query}`}`,
        headers: [
          ...(credential?.in === "header" ? [[credential.name, credential.value] as const] : []),
          ...(body === undefined || type === undefined || body.input.value.trim() === ""
            ? []
            : [["Content-Type", type] as const]),
          ...valued.filter((one) => one.in === "header").map(({ name, value }) => [name, value] as const),
        ],
        ...(body !== undefined && body.input.value.trim() !== "" && { body: body.input.value }),
      };
    },
  };
}

/** Returns how an operation takes a secret: by the first of its credentials that a text can be. */
function credentialOf(
  { components }: Description,
  { security }: Action,
  secret: string,
): { readonly in: "header" | "query"; readonly name: string; readonly value: string } | undefined {
  const schemes = components?.securitySchemes ?? {};
  const names = (security ?? []).flatMap((one) => Object.keys(one));
  // An operation without `security` is for everybody; a key does no harm, and may widen what it shows.
  for (const { in: place, name, scheme, type } of (names.length === 0 ? Object.keys(schemes) : names).flatMap(
    (one) => schemes[one] ?? [],
  )) {
    if (type === "http" && scheme === "basic")
      return {
        in: "header",
        name: "Authorization",
        value: `Basic ${btoa(secret.includes(":") ? secret : `${secret}:`)}`,
      };
    if (type === "http" || type === "oauth2" || type === "openIdConnect")
      return { in: "header", name: "Authorization", value: `Bearer ${secret}` };
    if (type === "apiKey" && name !== undefined && (place === "header" || place === "query"))
      return { in: place, name, value: secret };
  }
  return undefined;
}

/** Follows a reference of the description. */
function resolved<Part extends object>(description: Description, part: Part): Part {
  const { $ref: reference } = part as { readonly $ref?: string };
  if (reference === undefined) return part;
  const steps = reference.slice(2).split("/");
  const found = steps.reduce<unknown>(
    (value, step) =>
      (value as Readonly<Record<string, unknown>> | undefined)?.[step.replaceAll("~1", "/").replaceAll("~0", "~")],
    description,
  );
  return resolved(description, (found ?? {}) as Part);
}

function bodyText(type: string, value: unknown): string {
  if (!type.endsWith("x-www-form-urlencoded")) return JSON.stringify(value, undefined, 2);
  return new URLSearchParams(Object.entries(value as object).map(([name, one]) => [name, String(one)])).toString();
}

function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2);
  } catch {
    return body;
  }
}

function curl({ body, headers, method, url }: Sent): string {
  return [
    `curl -i ${method === "GET" ? "" : `-X ${method} `}${quoted(url)}`,
    ...headers.map((one) => `-H ${quoted(one.join(": "))}`),
    ...(body === undefined ? [] : [`-d ${quoted(body)}`]),
  ].join(" \\\n  ");
}

/** Quotes a word for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]> = {},
  children: readonly (Node | string)[] = [],
): HTMLElementTagNameMap[Name] {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

interface Labelled<Input extends HTMLElement> {
  readonly label: HTMLElement;
  readonly input: Input;
}

function field(text: string, properties: Partial<HTMLInputElement>): Labelled<HTMLInputElement> {
  return labelled(text, element("input", properties));
}

function area(text: string, value: string): Labelled<HTMLTextAreaElement> {
  return labelled(
    text,
    element("textarea", { value, rows: Math.min(12, value.split("\n").length + 1), spellcheck: false }),
  );
}

function choice(
  text: string,
  options: readonly (readonly [value: string, text: string])[],
): Labelled<HTMLSelectElement> {
  return labelled(
    text,
    element(
      "select",
      {},
      options.map(([value, label]) => element("option", { value, textContent: label })),
    ),
  );
}

function labelled<Input extends HTMLElement>(text: string, input: Input): Labelled<Input> {
  return { label: element("label", {}, [element("span", { textContent: text }), input]), input };
}
