// The raw deliveries of one no-show: booked, marked, unmarked and canceled, each at a time of its own.
import { createSampler } from '#src/sandbox/sample-delivery.ts';

const sample = createSampler(61);

/** `atMs` is the time of the mark; the mark is removed, or the booking canceled, a minute later. */
export function noShowBooking(index: number, atMs: number) {
  const { payload, ...envelope } = sample('invitee_no_show.created', { index, now: new Date(atMs) });
  const name = `Person ${index}`;
  const email = `person-${index}@example.test`;
  const record = { ...payload, name, email, first_name: null, last_name: null };
  const delivery = (event: string, ms: number, more: Record<string, unknown>): string => {
    const at = new Date(ms).toISOString();
    return JSON.stringify({ ...envelope, event, created_at: at, payload: { ...record, updated_at: at, ...more } });
  };
  const cancellation = { canceled_by: name, reason: '', canceler_type: 'host', created_at: new Date(atMs + 60_000) };
  return {
    uri: String(payload['uri']),
    name,
    booked: delivery('invitee.created', atMs - 86_400_000, { no_show: null }),
    marked: delivery('invitee_no_show.created', atMs, {}),
    unmarked: delivery('invitee_no_show.deleted', atMs + 60_000, { no_show: null }),
    canceled: delivery('invitee.canceled', atMs + 60_000, { status: 'canceled', cancellation }),
  };
}
