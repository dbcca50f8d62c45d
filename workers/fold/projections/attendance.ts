// An answer that an invitee came, or that such an answer is taken back, as the log holds it. Only the source of an entry (`operator`)
// makes it one, so no sender can produce it. It names no person: `by` is the way in which the answer came.
import { hash } from 'node:crypto';
import { z } from 'zod';
import { canonicalJson, isUri, type JsonObject } from '#schemas/wire.ts';
import type { NewEntry } from '#src/store/log/read.ts';
import type { Fact } from './contract.ts';

export const attendanceFamily = 'attendance';
const events = { came: 'attendance.confirmed', none: 'attendance.withdrawn' } as const;

export type Answerer = 'api' | 'dashboard' | 'host';

const body = z.looseObject({
  event: z.enum(Object.values(events)),
  created_at: z.string(),
  payload: z.looseObject({ uri: z.string().refine(isUri), by: z.string() }),
});

export interface AttendanceAnswer {
  readonly invitee: string;
  readonly came: boolean;
  readonly by: Answerer;
  /** On our clock, six digits; later than the time of every earlier answer. */
  readonly at: string;
}

export function attendanceEntry({ invitee, came, by, at }: AttendanceAnswer, base: NewEntry): NewEntry {
  const event = came ? events.came : events.none;
  const content = { event, created_at: at, payload: { uri: invitee, by } };
  const digest = digestOf(content);
  return {
    ...base,
    delivery_id: `${event}-${digest}`,
    source: 'operator',
    event,
    subject_uri: invitee,
    occurred_at: at,
    received_at: at,
    outcome: 'applied',
    body: JSON.stringify(content),
    tie: digest.slice(0, 16),
  };
}

const digestOf = (content: JsonObject): string => hash('sha256', canonicalJson(content), 'hex');

/** Null when it is no answer, or one that this version cannot parse. */
export function factOfAnswer(text: string): Fact | null {
  const content = parsed(text);
  if (content === undefined) return null;
  const { event, created_at: at, payload } = content;
  const answer = { at, entry: `${event}-${digestOf(content)}`, by: payload.by, came: event === events.came };
  return { subject: { table: 'invitees', uri: payload.uri }, assignments: [], noShow: { kind: 'answer', answer } };
}

function parsed(text: string): z.output<typeof body> | undefined {
  try {
    return body.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
