// Ingests one batch, as a queue job holds it, in a transaction of its own.
import type { FoldNeeds } from '#workers/pipeline/fold.ts';
import { ingestParsed, type IngestReport } from '#workers/pipeline/ingest.ts';
import { parseBatch } from '#workers/pipeline/parse.ts';

export function ingest(needs: FoldNeeds, batch: unknown, now: string): Promise<IngestReport> {
  return ingestParsed(needs, parseBatch(batch, now));
}
