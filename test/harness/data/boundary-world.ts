// One small world with every boundary of a number, as plain declarations: what is true in the end, and what was said on the way. The model
// (test/oracle/bookings.ts) reads the declarations; `boundary-facts.ts` makes the deliveries and records of them.
//
// Most meetings are in the week from Monday, 24 March 2025, on whose Sunday the clocks of Berlin, the zone of reports, change.
import { localParts } from '../../oracle/local-time.ts';

export const reportZone = 'Europe/Berlin';

export interface Cancellation {
  /** Null or absent where it is not said. */
  readonly by?: string | null;
  readonly at?: string | null;
}

export interface Meeting {
  readonly type: string;
  readonly start: string;
  readonly end: string;
  readonly hosts: readonly string[];
  readonly canceled?: Cancellation;
  /** Only an invitee names it: nothing else is known. */
  readonly blank?: true;
}

export interface Payment {
  readonly id: string | null;
  readonly provider: string;
  readonly amount: number;
  readonly currency: string;
  readonly successful: boolean;
}

export interface Mark {
  readonly id: string;
  readonly at: string;
  readonly removed?: string;
}

export interface Invitee {
  readonly meeting: string | null;
  readonly made: string;
  readonly email: string;
  readonly name: string;
  readonly zone: string;
  readonly source?: string;
  readonly form?: string;
  readonly payment?: Payment;
  readonly old?: string;
  readonly new?: string;
  /** To another time. */
  readonly moved?: true;
  readonly canceled?: Cancellation;
  readonly marks?: readonly Mark[];
  /** When it was answered that they came. */
  readonly answered?: string;
  readonly reconfirmed?: string;
  readonly erased?: true;
  /** What the first delivery said of the link, before a later record said how it is. */
  readonly first?: { readonly old?: string };
}

export interface Recap {
  readonly meeting: string;
  readonly made: string;
  /** Besides the host. */
  readonly attendees?: readonly string[];
  readonly speakers?: readonly string[];
}

export interface Submission {
  readonly form: string;
  readonly at: string;
  readonly leadsTo: 'event_type' | 'external_url' | 'custom_message';
  readonly email?: string;
}

export interface Contact {
  readonly emails: readonly string[];
  readonly made: string;
  readonly deleted?: string;
}

export interface World {
  readonly nowMs: number;
  /** The first of thirty days in the zone of reports. */
  readonly firstDay: string;
  readonly zones: Readonly<Record<string, string | null>>;
  readonly meetings: Readonly<Record<string, Meeting>>;
  readonly invitees: Readonly<Record<string, Invitee>>;
  readonly recaps: Readonly<Record<string, Recap>>;
  readonly submissions: Readonly<Record<string, Submission>>;
  readonly contacts: Readonly<Record<string, Contact>>;
}

export const uriOf = (kind: string, id: string): string => `https://api.example.test/${kind}/${id}`;
export const instant = (ms: number): string => new Date(ms).toISOString().replace('Z', '000Z');

const hourMs = 3_600_000;
const at = (day: string, time = '09:00:00'): string => `2025-${day}T${time}.000000Z`;
const later = (time: string, hours: number): string => instant(Date.parse(time) + hours * hourMs);

/** The first instant of a day. */
export function startOfDay(day: string, zone: string): string {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  const quarters = Array.from({ length: 240 }, (_, index) => midnight + (index - 120) * (hourMs / 4));
  const first = quarters.find((ms) => localParts(instant(ms), zone).day === day);
  return instant(first ?? midnight);
}

type Said = Partial<Omit<Invitee, 'meeting'>>;
type Held = Partial<Meeting> & { readonly start: string };

/** Half an hour, by default an introduction with Cleo in Berlin. */
const meeting = ({ start, ...more }: Held): Meeting => ({
  type: 'intro',
  start,
  end: later(start, 0.5),
  hosts: ['cleo'],
  ...more,
});

export function boundaryWorld(nowMs: number): World {
  const now = Math.floor(nowMs / 1000) * 1000;
  const today = Date.parse(localParts(instant(now), reportZone).day ?? '');
  const firstDay = new Date(today - 29 * 24 * hourMs).toISOString().slice(0, 10);
  const opening = startOfDay(firstDay, reportZone);
  const meetings: Record<string, Meeting> = {};
  const invitees: Record<string, Invitee> = {};

  const join = (id: string, named: string | null, said: Said = {}): void => {
    const name = `Guest ${id.slice(0, -1)}`;
    const email = `${id.slice(0, -1)}@example.test`;
    invitees[id] = { meeting: named, made: at('03-10'), email, name, zone: 'Europe/Berlin', ...said };
  };
  /** A meeting of its own. */
  const book = (id: string, held: Held, said: Said = {}): void => {
    meetings[id] = meeting(held);
    join(id, id, said);
  };
  const paid = (
    id: string | null,
    provider = 'paypal',
    amount = 20,
    currency = 'EUR',
  ): { readonly payment: Payment } => ({
    payment: { id, provider, amount, currency, successful: true },
  });
  const goesTo = (id: string, when: string): Said => ({ new: id, moved: true, canceled: { by: 'invitee', at: when } });

  // Cancellations by the invitee: 24 hours before, one second less, after the start, and a day before by the clocks but not in hours.
  const start = at('03-26');
  book('exact1', { start }, { canceled: { by: 'invitee', at: at('03-25') }, source: 'mail' });
  book('second1', { start }, { canceled: { by: 'invitee', at: at('03-25', '09:00:01') } });
  book('after1', { start }, { canceled: { by: 'invitee', at: at('03-26', '10:00:00') } });
  book(
    'clocks1',
    { start: at('03-30', '08:00:00') },
    { canceled: { by: 'invitee', at: at('03-29', '09:00:00') }, source: 'web' },
  );
  book('early1', { start, type: 'demo' }, { canceled: { by: 'invitee', at: at('03-20') } });
  book('host1', { start }, { canceled: { by: 'host', at: at('03-26', '08:00:00') } });
  book('noone1', { start }, { canceled: { by: null, at: at('03-26', '08:00:00') } });
  // The canceler, the time, or both are known only from the meeting.
  book(
    'whose1',
    { start, canceled: { by: 'invitee', at: at('03-26', '07:00:00') } },
    { canceled: { at: at('03-26', '07:00:00') } },
  );
  book('whosehost1', { start, canceled: { by: 'host', at: at('03-24') } }, { canceled: {} });
  book(
    'when1',
    { start: at('03-25'), canceled: { by: 'invitee', at: at('03-25', '06:00:00') } },
    { canceled: { by: 'invitee', at: null } },
  );
  book('whole1', { start, type: 'demo', canceled: { by: 'invitee', at: at('03-25', '08:59:59') } });

  // Chains: moved twice, with one payment on each link; the middle or the newest link is not mirrored; links in a circle; a link that came
  // late, and one that was cleared; an erased person inside.
  const twice = { ...paid('ch_chain', 'stripe', 20, 'USD'), source: 'mail' };
  book(
    'twice1',
    { start: at('03-24') },
    { ...twice, made: at('03-01', '22:59:59'), ...goesTo('twice2', at('03-02')), form: 'moved' },
  );
  book(
    'twice2',
    { start: at('03-25') },
    { ...twice, source: 'later', made: at('03-02'), old: 'twice1', ...goesTo('twice3', at('03-03')) },
  );
  book(
    'twice3',
    { start: at('03-26'), type: 'demo', hosts: ['ben'] },
    { ...twice, source: 'later', made: at('03-03'), old: 'twice2', zone: 'America/St_Johns' },
  );
  book('gap1', { start: at('03-24') }, { made: at('03-04'), source: 'web', ...goesTo('gap2', at('03-05')) });
  book(
    'gap3',
    { start: at('03-27') },
    { made: at('03-06'), old: 'gap2', form: 'second', marks: [{ id: 'gap', at: at('03-27', '10:00:00') }] },
  );
  book('gone1', { start: at('03-24') }, { made: at('03-04'), ...goesTo('gone2', at('03-05')) });
  book('unsaid1', { start: at('03-24') }, { moved: true, canceled: { by: 'host', at: at('03-07') } });
  book('circle1', { start: at('03-24', '12:00:00') }, { made: at('03-08'), old: 'circle2' });
  book('circle2', { start: at('03-25', '12:00:00') }, { made: at('03-09'), old: 'circle1' });
  book(
    'late1',
    { start: at('03-24') },
    { made: at('03-08'), moved: true, canceled: { by: 'invitee', at: at('03-09') } },
  );
  book('late2', { start: at('03-28') }, { made: at('03-09'), old: 'late1', first: {} });
  book('cleared1', { start: at('03-24', '14:00:00') }, { made: at('03-08') });
  book('cleared2', { start: at('03-25', '14:00:00') }, { made: at('03-09'), first: { old: 'cleared1' } });
  book('inside1', { start: at('03-24') }, { made: at('03-08'), ...goesTo('inside2', at('03-09')) });
  book(
    'inside2',
    { start: at('03-25') },
    {
      made: at('03-09'),
      old: 'inside1',
      email: 'erased@example.test',
      erased: true,
      ...goesTo('inside3', at('03-10')),
    },
  );
  book('inside3', { start: at('03-26') }, { made: at('03-10'), old: 'inside2' });

  // Payments: one on two links of a chain, one identifier on two bookings, one identifier of two providers, none, and one that failed.
  book(
    'same1',
    { start: at('03-24') },
    { ...paid('ch_same', 'stripe', 7), ...goesTo('same2', at('03-10', '10:00:00')) },
  );
  book(
    'same2',
    { start: at('03-25') },
    { ...paid('ch_same', 'stripe', 7), made: at('03-10', '10:00:00'), old: 'same1' },
  );
  book('paid1', { start: at('03-24', '07:00:00') }, { ...paid('ch_both', 'stripe', 30, 'USD'), made: at('03-11') });
  book(
    'paida1',
    { start: at('03-24', '07:00:00'), type: 'demo' },
    { ...paid('ch_both', 'stripe', 30, 'USD'), made: at('03-12') },
  );
  book(
    'provider1',
    { start: at('03-25', '07:00:00') },
    { ...paid('ch_chain', 'paypal', 0.1), made: at('03-12', '22:59:59') },
  );
  book('without1', { start: at('03-25', '07:00:00') }, { ...paid(null, 'paypal', 0.2), made: at('03-12', '23:00:00') });
  book(
    'withouta1',
    { start: at('03-25', '07:00:00') },
    { ...paid(null, 'paypal', 0.2), made: at('03-12', '23:00:00') },
  );
  const { payment } = paid('ch_failed', 'stripe', 99);
  book('failed1', { start: at('03-25', '07:00:00') }, { payment: { ...payment, successful: false } });

  // One meeting of three people, with two hosts: one came, one canceled, of one nothing is known.
  meetings['group'] = meeting({ start: at('03-27', '12:00:00'), hosts: ['ada', 'ben'], type: 'demo' });
  join('groupa1', 'group', { source: 'mail' });
  join('groupb1', 'group', { canceled: { by: 'invitee', at: at('03-27', '11:59:59') } });
  join('groupc1', 'group', { source: 'web' });

  // No-show marks: open; removed; removed and marked again. Answers: before a mark, and after one that was removed.
  const marked = at('03-27', '10:00:00');
  book('missed1', { start: at('03-27'), hosts: ['ada'] }, { source: 'mail', marks: [{ id: 'missed', at: marked }] });
  book('removed1', { start: at('03-27') }, { marks: [{ id: 'removed', at: marked, removed: later(marked, 1) }] });
  book(
    'again1',
    { start: at('03-27') },
    {
      marks: [
        { id: 'again-a', at: marked, removed: later(marked, 1) },
        { id: 'again-b', at: later(marked, 2) },
      ],
    },
  );
  book(
    'answermark1',
    { start: at('03-27') },
    { answered: later(marked, 1), marks: [{ id: 'answermark', at: later(marked, 2) }] },
  );
  book(
    'markanswer1',
    { start: at('03-27') },
    { answered: later(marked, 2), marks: [{ id: 'markanswer', at: marked, removed: later(marked, 2) }] },
  );
  book(
    'answered1',
    { start: at('03-28') },
    { answered: at('03-28', '11:00:00'), reconfirmed: at('03-27', '08:00:00') },
  );

  // Recaps: with the attendee, with hosts only, with a speaker.
  book('attendee1', { start: at('03-28') });
  book('alone1', { start: at('03-28'), hosts: ['ada'] }, { source: 'web' });
  book('speaker1', { start: at('03-28'), hosts: ['ben'] });

  // Around midnight and the change of clocks: of the zone of reports, of a host, of an invitee.
  book('midnight1', { start: at('03-31', '21:59:59') }, { made: at('03-12', '22:59:59') });
  book('nextday1', { start: at('03-31', '22:00:00') }, { made: at('03-12', '23:00:00') });
  book('before1', { start: at('03-30', '00:59:59') }, { zone: 'America/St_Johns' });
  book('spring1', { start: at('03-30', '01:00:00') }, { zone: 'Pacific/Kiritimati' });
  book('sunday1', { start: at('03-30', '21:59:59') }, { zone: 'Nowhere/None' });
  book('monday1', { start: at('03-30', '22:00:00'), hosts: ['noone'] });
  book('newyork1', { start: at('03-09', '06:59:59'), hosts: ['ada'] }, { made: at('03-01'), zone: 'America/New_York' });
  book(
    'newyorka1',
    { start: at('03-09', '07:00:00'), hosts: ['ada'] },
    { made: at('03-01'), zone: 'America/New_York' },
  );
  book('lordhowe1', { start: at('04-05', '14:59:59'), hosts: ['ben'] }, { zone: 'Australia/Lord_Howe' });
  book('lordhowea1', { start: at('04-05', '15:00:00'), hosts: ['ben'] }, { zone: 'Australia/Lord_Howe' });

  // No meeting, and one of which only its URI is known.
  join('nowhere1', null, { made: at('03-13') });
  meetings['blank1'] = { ...meeting({ start: at('03-26') }), blank: true };
  join('blank1', 'blank1', { made: at('03-13') });

  // Forms: booked twice, booked and moved (above), canceled, not booked, booked otherwise, and of other results.
  book('forma1', { start: at('03-28', '15:00:00') }, { form: 'double', canceled: { by: 'host', at: at('03-20') } });
  book(
    'formb1',
    { start: at('03-28', '16:00:00') },
    { form: 'double', marks: [{ id: 'formb', at: at('03-28', '17:00:00') }] },
  );
  book('formc1', { start: at('03-28', '15:00:00') }, { form: 'canceled', canceled: { by: 'host', at: at('03-20') } });
  book('formd1', { start: '2190-01-01T09:00:00.000000Z', type: 'demo' }, { form: 'coming' });
  book('otherwise1', { start: at('03-28', '17:00:00') }, { made: at('03-10', '12:00:00') });

  // Around the present: ended now, under way, and at both sides of the first of thirty days. Of their own type and host.
  const own = { type: 'recent', hosts: ['nora'] };
  book('ended1', { ...own, start: instant(now - hourMs / 2), end: instant(now) }, { made: instant(now - 48 * hourMs) });
  book('underway1', { ...own, start: instant(now - hourMs / 2), end: instant(now + 3 * hourMs) });
  book('first1', { ...own, start: opening }, { marks: [{ id: 'first', at: later(opening, 1) }] });
  book(
    'beforefirst1',
    { ...own, start: instant(Date.parse(opening) - 1000) },
    { marks: [{ id: 'beforefirst', at: later(opening, 1) }] },
  );

  const form = (when: string, more: Partial<Submission> = {}): Submission => ({
    form: 'sales',
    at: when,
    leadsTo: 'event_type',
    ...more,
  });
  return {
    nowMs: now,
    firstDay,
    zones: {
      ada: 'America/New_York',
      ben: 'Australia/Lord_Howe',
      cleo: 'Europe/Berlin',
      nora: 'Europe/Berlin',
      noone: null,
    },
    meetings,
    invitees,
    recaps: {
      group: { meeting: 'group', made: at('03-27', '13:00:00'), attendees: ['groupa@example.test'] },
      attendee: { meeting: 'attendee1', made: at('03-28', '10:00:00'), attendees: ['attendee@example.test'] },
      alone: { meeting: 'alone1', made: at('03-28', '10:00:00') },
      speaker: {
        meeting: 'speaker1',
        made: at('03-28', '10:00:00'),
        attendees: ['someone@example.test'],
        speakers: ['Guest speaker'],
      },
    },
    submissions: {
      double: form(at('03-10', '08:00:00')),
      moved: form(at('03-01', '22:00:00')),
      second: form(at('03-03'), { form: 'help' }),
      canceled: form(at('03-10', '08:00:00')),
      coming: form(at('03-10', '08:00:00'), { form: 'help' }),
      unbooked: form(at('03-10', '10:00:00'), { email: 'never@example.test' }),
      otherwise: form(at('03-10', '10:00:00'), { email: 'OTHERWISE@example.test' }),
      site: form(at('03-10', '10:00:00'), { leadsTo: 'external_url' }),
      message: form(at('03-10', '10:00:00'), { form: 'help', leadsTo: 'custom_message' }),
      inside: form(opening, { form: 'recent' }),
      outside: form(instant(Date.parse(opening) - 1000), { form: 'recent' }),
    },
    contacts: {
      missed: { emails: ['Missed@example.test', 'again@example.test'], made: at('03-02') },
      shared: { emails: ['again@example.test', 'removed@example.test'], made: at('03-01') },
      deleted: { emails: ['alone@example.test', 'answered@example.test'], made: at('03-01'), deleted: at('03-15') },
    },
  };
}
