/**
 * The data providers of admin frameworks, as npm has them. They are imported by a name that TypeScript does not follow: their
 * types bring those of React, which declare parts of the DOM for the whole repository.
 */

export interface Row {
  readonly id: string;
  readonly [member: string]: unknown;
}

interface One {
  readonly data: Row;
}

interface Rows {
  readonly data: readonly Row[];
  readonly total?: number;
}

/** The methods of a data provider of react-admin. */
export interface AdminProvider {
  getList(resource: string, params: object): Promise<Rows>;
  getOne(resource: string, params: object): Promise<One>;
  getMany(resource: string, params: object): Promise<Rows>;
  getManyReference(resource: string, params: object): Promise<Rows>;
  create(resource: string, params: object): Promise<One>;
  update(resource: string, params: object): Promise<One>;
  updateMany(resource: string, params: object): Promise<{ readonly data: readonly string[] }>;
  delete(resource: string, params: object): Promise<One>;
  deleteMany(resource: string, params: object): Promise<{ readonly data: readonly string[] }>;
}

type Fetch = (url: string, options?: object) => Promise<unknown>;

interface Core {
  readonly fetchUtils: { readonly fetchJson: Fetch };
  readonly HttpError: new () => Error;
}

const core = (await import(String("ra-core"))) as Core;
export const fetchUtils: Core["fetchUtils"] = core.fetchUtils;
export const HttpError: Core["HttpError"] = core.HttpError;

type MakeAdmin = (url: string, client?: Fetch) => AdminProvider;

export const jsonServerProvider: MakeAdmin = (
  (await import(String("ra-data-json-server"))) as { readonly default: MakeAdmin }
).default;

export interface CrudFilter {
  readonly field: string;
  readonly operator: string;
  readonly value: unknown;
}

/** The methods of a data provider of refine. */
export interface RefineProvider {
  getList(params: object): Promise<Required<Rows>>;
  getOne(params: object): Promise<One>;
  getMany(params: object): Promise<Rows>;
  create(params: object): Promise<One>;
  update(params: object): Promise<One>;
  deleteOne(params: object): Promise<One>;
  custom(params: object): Promise<One>;
}

interface Refine {
  readonly default: (url: string) => RefineProvider;
  readonly axiosInstance: { readonly defaults: { readonly headers: { readonly common: Record<string, string> } } };
}

const refine = (await import(String("@refinedev/simple-rest"))) as Refine;
export const refineProvider: Refine["default"] = refine.default;
export const axiosInstance: Refine["axiosInstance"] = refine.axiosInstance;
