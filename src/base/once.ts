/** Computes values once and caches them. */

/**
 * Returns the cached value of a key; computes and caches a missing one. Like `getOrInsertComputed`, which Node 24 does not
 * have.
 */
export function getOrMake<Key, Made>(
  known: { get(key: Key): Made | undefined; set(key: Key, made: Made): unknown },
  key: Key,
  make: (key: Key) => Made,
): Made {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make(key);
  known.set(key, made);
  return made;
}

/** Caches `make`: calls it once for each object. Callers must not change the object afterwards. */
export function onceFor<Key extends object, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const known = new WeakMap<Key, { readonly made: Made }>();
  const wrapped = (key: Key): { readonly made: Made } => ({ made: make(key) });
  return (key) => getOrMake(known, key, wrapped).made;
}
