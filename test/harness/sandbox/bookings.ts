// Bookings as tests make them: one line each, at a time of their own.
import type { Answer, CallOptions, TestSandbox } from '../sandbox.ts';

export interface Booker {
  /** The URIs of the main organization's event types, by name. */
  readonly offers: Readonly<Record<string, string>>;
  /** A whole half hour to come, another one each time. */
  freshTime(): string;
  /** A request that is right for the solo event type; `more` changes it. */
  request(more?: Readonly<Record<string, unknown>>): Record<string, unknown>;
  /** Books, whatever comes of it. */
  book(more?: Readonly<Record<string, unknown>>, options?: CallOptions): Promise<Answer>;
  /** Books, and gives the invitee. */
  // oxlint-disable-next-line typescript/no-explicit-any
  booked(more?: Readonly<Record<string, unknown>>, options?: CallOptions): Promise<any>;
}

const halfHourMs = 30 * 60_000;
const dayMs = 48 * halfHourMs;

export async function openBooker(sandbox: TestSandbox): Promise<Booker> {
  const { handles, service } = sandbox;
  const { body } = await sandbox.call('GET', '/event_types', {
    query: { organization: handles.organization, count: 100 },
  });
  const offers = Object.fromEntries(body.collection.map((one: { name: string; uri: string }) => [one.name, one.uri]));
  let lastMs = Math.ceil((service.clock.nowMs() + dayMs) / dayMs) * dayMs;
  const freshTime = (): string => new Date((lastMs += halfHourMs)).toISOString();
  const request: Booker['request'] = (more) => ({
    event_type: handles.event_types.solo,
    start_time: freshTime(),
    invitee: { email: 'ada@example.test', timezone: 'Europe/Berlin', name: 'Ada Rossi' },
    ...more,
  });
  const book: Booker['book'] = (more, options) =>
    sandbox.call('POST', '/invitees', { body: request(more), ...options });
  return {
    offers,
    freshTime,
    request,
    book,
    async booked(more, options) {
      const { status, body: answer } = await book(more, options);
      if (status !== 201) throw new Error(`Not booked: ${status} ${JSON.stringify(answer)}`);
      return answer.resource;
    },
  };
}
