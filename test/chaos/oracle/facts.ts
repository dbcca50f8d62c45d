// What the oracle reads in a body: its identity, and the fact it states if it is sound. By the documentation, not by the product's code.
import { createHash } from 'node:crypto';
import type { Fact } from '../../harness/data/delivery-histories.ts';
import { sortKeys } from '../../harness/data/normal-facts.ts';

export interface ReadBody {
  readonly body: string;
  /** `unknown`: a kind of event that the product does not handle. */
  readonly state: 'sound' | 'unknown' | 'malformed';
  /** Null unless it is sound. */
  readonly fact: Fact | null;
  /** Identities that the log may give it: of its content, or of its text where that cannot be read. */
  readonly ids: readonly string[];
}

const kinds = new Set(
  `contact.created contact.updated contact.deleted invitee.created invitee.canceled invitee_no_show.created invitee_no_show.deleted
  event_type.created event_type.updated event_type.deleted meeting_recap.created meeting_recap.updated meeting_recap.deleted
  routing_form_submission.created`.split(/\s+/),
);

type Fields = Record<string, unknown>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function readBody(body: string): ReadBody {
  const content = parsed(body);
  const ids = [sha256(body), ...(content === undefined ? [] : [identityOf(content)])];
  const fact = isFields(content) ? factOf(content) : null;
  const isNamed = isFields(content) && typeof content['event'] === 'string' && content['event'] !== '';
  const isKnown = isNamed && kinds.has(String(content['event']));
  const state = fact !== null ? 'sound' : isNamed && !isKnown ? 'unknown' : 'malformed';
  return { body, state, fact, ids };
}

function factOf({ event, created_at, payload }: Fields): Fact | null {
  if (typeof event !== 'string' || !kinds.has(event) || !isFields(payload)) return null;
  if (typeof created_at !== 'string' || Number.isNaN(Date.parse(created_at))) return null;
  const { uri } = recordOf(payload);
  if (typeof uri !== 'string' || !/^https?:\/\/\S+$/.test(uri)) return null;
  return { event, created_at, payload, sound: true };
}

/** The record may be nested. */
export function recordOf(payload: Fields): Fields {
  const { contact, recap } = payload;
  if (isFields(contact)) return contact;
  return isFields(recap) ? recap : payload;
}

/** The same fact for two subscriptions differs in `created_by` and is one delivery. */
function identityOf(content: unknown): string {
  const { created_by: _, ...rest } = isFields(content) ? content : {};
  return sha256(JSON.stringify(sortKeys(isFields(content) ? rest : content)));
}

function parsed(body: string): unknown {
  // A body that is nested so deeply has only the identity of its text.
  if (/[[{]{500}|(?:\{"a":){100}/.test(body)) return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
