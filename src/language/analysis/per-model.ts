/** Caches of values that are computed from a model. A model never changes, and many checks need the same value. */
import type { Model } from "../model.ts";

/** `make`, called once for each model. */
export function onceForModel<Value>(make: (model: Model) => Value): (model: Model) => Value {
  const known = new WeakMap<Model, { readonly value: Value }>();
  return (model) => {
    let found = known.get(model);
    if (found === undefined) known.set(model, (found = { value: make(model) }));
    return found.value;
  };
}

/** `make`, called once for each model and key: a text, or an object of the model itself. */
export function perModel<Key, Value>(make: (model: Model, key: Key) => Value): (model: Model, key: Key) => Value {
  const valuesOf = onceForModel(() => new Map<Key, { readonly value: Value }>());
  return (model, key) => {
    const values = valuesOf(model);
    let found = values.get(key);
    if (found === undefined) values.set(key, (found = { value: make(model, key) }));
    return found.value;
  };
}
