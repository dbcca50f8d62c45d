// The registry of export formats. A format is loaded when it is used: Parquet's library is needed for nothing else.
import type { Format } from './format.ts';

export const formatNames = ['csv', 'ndjson', 'parquet'] as const;
export type FormatName = (typeof formatNames)[number];

export function formatOf(file: string): FormatName | undefined {
  const extension = file.split('.').at(-1)?.toLowerCase();
  return extension === 'jsonl' ? 'ndjson' : formatNames.find((name) => name === extension);
}

const loaders: Readonly<Record<FormatName, () => Promise<Format>>> = {
  csv: async () => (await import('./csv.ts')).csv,
  ndjson: async () => (await import('./ndjson.ts')).ndjson,
  parquet: async () => (await import('./parquet.ts')).parquet,
};

export const loadFormat = (name: FormatName): Promise<Format> => loaders[name]();
