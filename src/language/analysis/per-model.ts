/** Caches of values that are computed from a model. A model never changes, and many checks need the same value. */
import { getOrMake, onceFor } from "../../base/once.ts";
import type { Model } from "../model.ts";

/** `make`, called once for each model. */
export const onceForModel: <Value>(make: (model: Model) => Value) => (model: Model) => Value = onceFor;

/** `make`, called once for each model and key: a text, or an object of the model itself. */
export function perModel<Key, Value>(make: (model: Model, key: Key) => Value): (model: Model, key: Key) => Value {
  const valuesOf = onceForModel(() => new Map<Key, { readonly value: Value }>());
  return (model, key) => getOrMake(valuesOf(model), key, () => ({ value: make(model, key) })).value;
}
