// Every format by its name. Each is loaded when it is asked for: Parquet's library is needed for nothing else.
import type { Format } from './format.ts';

const loaders = {
  csv: async () => (await import('./csv.ts')).csv,
  ndjson: async () => (await import('./ndjson.ts')).ndjson,
  parquet: async () => (await import('./parquet.ts')).parquet,
} as const satisfies Record<string, () => Promise<Format>>;

export type FormatName = keyof typeof loaders;
export const formatNames = Object.keys(loaders) as [FormatName, ...FormatName[]];

export const loadFormat = (name: FormatName): Promise<Format> => loaders[name]();
