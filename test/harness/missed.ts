// What the service tells of one booking that was missed: every fact at a time of its own, as raw bodies.
import { createSampler } from '#src/sandbox/sample-delivery.ts';

export interface Missed {
  readonly uri: string;
  readonly name: string;
  readonly booked: string;
  readonly marked: string;
  readonly unmarked: string;
  readonly canceled: string;
}

const sample = createSampler(61);

/** `atMs`: of the mark; it is taken back, or the booking canceled, a minute later. */
export function missedBooking(index: number, atMs: number): Missed {
  const { payload, ...envelope } = sample('invitee_no_show.created', { index, now: new Date(atMs) });
  const name = `Person ${index}`;
  const email = `person-${index}@example.test`;
  const record = { ...payload, name, email, first_name: null, last_name: null };
  const told = (event: string, ms: number, more: Record<string, unknown>): string => {
    const at = new Date(ms).toISOString();
    return JSON.stringify({ ...envelope, event, created_at: at, payload: { ...record, updated_at: at, ...more } });
  };
  const cancellation = { canceled_by: name, reason: '', canceler_type: 'host', created_at: new Date(atMs + 60_000) };
  return {
    uri: String(payload['uri']),
    name,
    booked: told('invitee.created', atMs - 86_400_000, { no_show: null }),
    marked: told('invitee_no_show.created', atMs, {}),
    unmarked: told('invitee_no_show.deleted', atMs + 60_000, { no_show: null }),
    canceled: told('invitee.canceled', atMs + 60_000, {
      status: 'canceled',
      cancellation: JSON.parse(JSON.stringify(cancellation)) as Record<string, unknown>,
    }),
  };
}
