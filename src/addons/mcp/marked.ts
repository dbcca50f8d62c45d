// The marks by which a tool says what each value of its answer is. A value without a mark does not compile, so nothing about a person
// is shown because it was forgotten:
//   numbers, states, times, URIs, our own words ─▶ shown       names that hosts gave ─▶ shown unless a person of the answer is in them
//   people ─▶ a pseudonym                                      any other text ─▶ `[hidden]`          all of it with MCP_REVEAL=true
import { isEventKind } from '#schemas/events.ts';
import { readerOf } from '#schemas/records.ts';
import { isObject } from '#schemas/wire.ts';
import { declaredColumn } from '#src/read/declared-columns.ts';

export type Presentation =
  | number
  | boolean
  | null
  | undefined
  | MarkedValue
  | readonly Presentation[]
  | { readonly [name: string]: Presentation };

/** What is known of a person: addresses first, by which they are recognized. */
export interface Person {
  readonly email?: string | null;
  readonly name?: string | null;
  readonly [detail: string]: unknown;
}

export class MarkedValue {
  readonly kind: 'plain' | 'uri' | 'label' | 'eventType' | 'person' | 'text';
  readonly value: unknown;

  constructor(kind: MarkedValue['kind'], value: unknown) {
    this.kind = kind;
    this.value = value;
  }
}

type Text = string | null | undefined;

const mark = (kind: MarkedValue['kind'], value: unknown): MarkedValue | null =>
  value === null || value === undefined ? null : new MarkedValue(kind, value);
const markIf = (isPlain: (text: string) => boolean, kind: 'plain' | 'uri') => (value: Text) =>
  mark(value !== null && value !== undefined && isPlain(value) ? kind : 'text', value);

const isTime = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?)?$/.test(text);
const records =
  'contacts event_types groups invitee_no_shows invitees meeting_recaps organization_memberships organizations routing_form_submissions routing_forms scheduled_events users webhook_subscriptions';
const recordForm = new RegExp(
  `^https?://[a-z\\d.-]+(:\\d{1,5})?(/[\\w-]+)*/(${records.replaceAll(' ', '|')})/[\\w-]+$`,
  'i',
);
/** A URI of a record. Any other address may open a page about a person: a link to cancel, to join or to share, a profile. */
const isRecordUri = (text: string): boolean => text.length <= 300 && recordForm.test(text);
export const isEventName = (text: string): boolean =>
  isEventKind(text) || readerOf(text) !== undefined || text === 'person.erased';

export const time = markIf(isTime, 'plain');
export const uri = markIf(isRecordUri, 'uri');
export const eventName = markIf(isEventName, 'plain');
/** One of the words of an enumeration: any other text does not compile. */
export const word = <Word extends string>(
  value: Word | null | undefined,
  ..._anyText: string extends Word ? ['not an enumeration'] : []
) => mark('plain', value);
export const oneOf = (words: readonly string[], value: Text) => markIf((text) => words.includes(text), 'plain')(value);
export const ours = (value: Text) => mark('plain', value);
/** A name that a host gave to a form, or another text that is about no guest. */
export const label = (value: Text) => mark('label', value);
/** The name of an event type, or that of the meeting where the event type is not mirrored: a host may name one meeting after its guest. */
export const eventTypeName = (value: Text) => mark('eventType', value);
/** Anything from outside: it may be about a person. */
export const text = (value: unknown) => mark('text', value);

/**
 * A value of a row; `path` is `table.column`. A guest can write a text that looks like a time or a URI, so the declaration of the column
 * decides, and where the row is from.
 */
export function rowValue(path: string, value: unknown, row: string): Presentation {
  if (typeof value === 'boolean') return value;
  const column = declaredColumn(path);
  if (typeof value !== 'string' || column?.holds !== 'plain') return text(value);
  if (column.kind === 'time') return time(value);
  if (column.oneOf !== undefined) return oneOf(column.oneOf, value);
  return column.isUri && URL.canParse(row) && value.startsWith(`${new URL(row).origin}/`) ? uri(value) : text(value);
}

export const person = (details: Person): MarkedValue | null =>
  Object.values(details).some((value) => textsIn(value).length > 0) ? new MarkedValue('person', details) : null;

/** Whether a text that a caller sent can be recorded: it names no person. */
export const isPlain = (value: string): boolean => isTime(value) || isRecordUri(value) || isEventName(value);

export interface RenderOptions {
  readonly isRevealed: boolean;
  pseudonym(identity: string): string;
  readonly eventTypes: ReadonlySet<string>;
  readonly mostText: number;
}

export const hidden = '[hidden]';

/** The answer as JSON, without fields that have no value. */
export function render(presented: Presentation, rendering: RenderOptions): unknown {
  const people = rendering.isRevealed ? [] : peopleIn(presented);
  const shown = (value: Presentation): unknown => {
    if (value instanceof MarkedValue) return showMarked(value, { ...rendering, people });
    if (Array.isArray(value)) return value.map(shown);
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(
        Object.entries(value).flatMap(([name, each]) =>
          each === null || each === undefined ? [] : [[name, shown(each)]],
        ),
      );
    // A string here has passed the compiler by a mistake.
    return typeof value === 'string' ? hidden : (value ?? null);
  };
  return shown(presented);
}

function showMarked(
  { kind, value }: MarkedValue,
  { isRevealed, pseudonym, eventTypes, mostText, people }: RenderOptions & { readonly people: readonly PersonNames[] },
): unknown {
  if (kind === 'plain' || isRevealed) return cut(value, mostText);
  if (kind === 'person') return pseudonym(identityOf(value));
  const given = String(value).toLowerCase();
  if (kind === 'uri') return people.some(({ whole }) => whole.some((each) => given.includes(each))) ? hidden : value;
  if (kind === 'text' || (kind === 'eventType' && !eventTypes.has(String(value)))) return hidden;
  const words = wordsIn(given);
  const isPersonal =
    /@|＠|\d[\d\s().-]{4,}\d/.test(given) || people.some(({ parts }) => words.some((each) => parts.includes(each)));
  return isPersonal ? hidden : cut(value, mostText);
}

/** The first address, or else whatever else is known, in lower case. */
const identityOf = (details: unknown): string => (textsIn(details)[0] ?? '').trim().toLowerCase();

/** How a person can be recognized in another text. */
interface PersonNames {
  readonly whole: readonly string[];
  /** The words of the name, and of an address before its domain. */
  readonly parts: readonly string[];
}

const wordsIn = (value: string): readonly string[] => value.split(/[^\p{L}\p{N}]+/u).filter((each) => each.length > 2);

function peopleIn(presented: Presentation): readonly PersonNames[] {
  if (typeof presented !== 'object' || presented === null) return [];
  if (!(presented instanceof MarkedValue)) return Object.values(presented).flatMap(peopleIn);
  if (presented.kind !== 'person' || !isObject(presented.value)) return [];
  const { email, emails, name, phone_numbers: numbers } = presented.value;
  const known = textsIn([email, emails, name, numbers]).map((each) => each.trim().toLowerCase());
  const whole = known.filter((each) => each.length > 4);
  return [{ whole, parts: known.flatMap((each) => wordsIn(each.replace(/@.*$/s, ''))) }];
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.trim() === '' ? [] : [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function cut(value: unknown, most: number): unknown {
  if (typeof value === 'string')
    return value.length > most ? `${value.slice(0, most)}… (${value.length - most} more characters)` : value;
  if (Array.isArray(value)) return value.map((each) => cut(each, most));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, cut(each, most)]));
}
