// What a sample is: a whole delivery as the service would send it, before it is signed.
import type { EventKind } from '#schemas/events.ts';

export type JsonRecord = Record<string, unknown>;

export interface SampleDelivery {
  readonly event: EventKind;
  readonly created_at: string;
  readonly created_by: string;
  readonly payload: JsonRecord;
}

/** The address of the imaginary service; `.test` can never be a real host. */
export const serviceUrl = 'https://api.scheduling.test';
export const pagesUrl = 'https://scheduling.test';

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** A time as the service writes most of them: UTC, six fractional digits. */
export function wireTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, -1)}000Z`;
}
