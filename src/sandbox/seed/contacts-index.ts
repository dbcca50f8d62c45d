// Where in a column each code stands: what only few rows have is found without walking past all the others.

export interface CodeIndex {
  /** How many rows have one of these codes. */
  count(wanted: Uint8Array): number;
  /** Where they are, ascending. */
  places(wanted: Uint8Array): Uint32Array;
}

export function createCodeIndex(codes: Uint32Array, codeCount: number): CodeIndex {
  const starts = startsOf(codes, codeCount);
  const places = new Uint32Array(codes.length);
  const free = starts.slice();
  for (let place = 0; place < codes.length; place += 1) {
    const code = codes[place] as number;
    places[free[code] as number] = place;
    free[code] = (free[code] as number) + 1;
  }
  function count(wanted: Uint8Array): number {
    let rows = 0;
    for (let code = 0; code < codeCount; code += 1)
      if (wanted[code] === 1) rows += (starts[code + 1] as number) - (starts[code] as number);
    return rows;
  }
  return {
    count,
    places(wanted) {
      const found = new Uint32Array(count(wanted));
      let filled = 0;
      for (let code = wanted.indexOf(1); code !== -1; code = wanted.indexOf(1, code + 1)) {
        const ofCode = places.subarray(starts[code], starts[code + 1]);
        found.set(ofCode, filled);
        filled += ofCode.length;
      }
      return found.sort();
    },
  };
}

/** Where the places of each code begin when they are put one code after another. */
function startsOf(codes: Uint32Array, codeCount: number): Uint32Array {
  const starts = new Uint32Array(codeCount + 1);
  for (let place = 0; place < codes.length; place += 1) {
    const after = (codes[place] as number) + 1;
    starts[after] = (starts[after] as number) + 1;
  }
  for (let code = 1; code <= codeCount; code += 1)
    starts[code] = (starts[code] as number) + (starts[code - 1] as number);
  return starts;
}
