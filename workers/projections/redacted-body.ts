// What is kept of a fact about a forgotten subject: enough to know that it happened, nothing about the person.

export interface Stubbed {
  readonly event: string | null;
  readonly occurredAt: string | null;
  readonly uri: string | null;
  /** The record's own times, as far as they were understood. */
  readonly record: Readonly<Record<string, unknown>> | null;
}

const kept = ['created_at', 'updated_at', 'deleted_at'] as const;

export function stubOf({ event, occurredAt, uri, record }: Stubbed): string {
  const payload: Record<string, unknown> = { uri };
  for (const key of kept) if (typeof record?.[key] === 'string') payload[key] = record[key];
  return JSON.stringify({ event, created_at: occurredAt, payload });
}
