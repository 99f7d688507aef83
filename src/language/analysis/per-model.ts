/** Caches of values that are computed from a model. A model never changes, and many checks need the same value. */
import { getOrMake, onceFor } from "../../base/once.ts";
import type { Model } from "../model.ts";

/** Caches `make`: calls it once for each model. */
export const onceForModel: <Value>(make: (model: Model) => Value) => (model: Model) => Value = onceFor;

/** Caches `make`: calls it once for each model and key. A key is a text or an object of the model. */
export function perModel<Key, Value>(make: (model: Model, key: Key) => Value): (model: Model, key: Key) => Value {
  const valuesOf = onceForModel(() => new Map<Key, { readonly value: Value }>());
  return (model, key) => getOrMake(valuesOf(model), key, () => ({ value: make(model, key) })).value;
}
