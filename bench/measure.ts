// What a measurement is: named numbers, each with the limit it is held to. Rates are ratios within one run where they
// can be, because machines are noisy.

export interface Figure {
  readonly name: string;
  readonly value: number;
  /** `>=` or `<=` and the limit; a figure without one is only reported. */
  readonly limit?: readonly ['>=' | '<=', number];
  readonly unit?: string;
  /** The least and the greatest of the rounds, where `value` is their median. */
  readonly spread?: readonly [number, number];
}

export interface Measurement {
  readonly name: string;
  readonly about: string;
  /** It measures through processes, HTTP and SQL alone, so that this tree's benchmark measures any commit. */
  readonly drivesProcesses?: boolean;
  /** `quick` leaves out what takes minutes to prepare. */
  run(options?: { readonly quick?: boolean }): Promise<readonly Figure[]>;
}

export function holds({ value, limit }: Figure): boolean {
  if (limit === undefined) return true;
  return limit[0] === '>=' ? value >= limit[1] : value <= limit[1];
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** The median of the rounds, with their spread. */
export function medianFigure(name: string, rounds: readonly number[], more: Partial<Figure> = {}): Figure {
  return { name, value: median(rounds), spread: [Math.min(...rounds), Math.max(...rounds)], ...more };
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
