// Memoizes a factory: it runs at the first call, and every call returns its result. A failure is not cached: neither an error
// thrown nor a rejected promise.

export function memoize<Value>(make: () => Value): () => Value {
  let cached: { readonly value: Value } | undefined;
  return () => {
    if (cached !== undefined) return cached.value;
    const made = { value: make() };
    cached = made;
    if (made.value instanceof Promise)
      made.value.catch(() => {
        if (cached === made) cached = undefined;
      });
    return made.value;
  };
}
