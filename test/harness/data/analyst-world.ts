// What a scheduling service sends about four months of a small team: bookings that are moved, canceled, missed, paid and routed, group
// meetings, recaps, contacts and deliveries that cannot be read. The same for every run, but for the moment that all times are relative to.
import { hourMs } from '#src/base/time.ts';

const hour = hourMs;
const day = 24 * hour;
const base = 'https://api.example.test';

export const uriOf = (kind: string, id: string): string => `${base}/${kind}/${id}`;

export interface Sent {
  readonly body: string;
  readonly receivedAt: string;
}

const types = ['intro', 'demo', 'review', 'old', 'never'] as const;
const hosts = ['ada', 'ben', 'cleo'] as const;
const [sources, campaigns] = [
  ['mail', 'ads', null],
  ['spring', 'summer sale', null],
] as const;

/** One after the other, always the same. */
function createDice() {
  let state = 20_250_101;
  const next = (sides: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * sides);
  };
  return { next, pick: <Item>(items: readonly Item[]): Item => items[next(items.length)] as Item };
}

export function analystWorld(nowMs: number): readonly Sent[] {
  const dice = createDice();
  // No meeting begins or ends within ten minutes of now.
  const anchor = Math.floor(nowMs / 1_000) * 1_000 + hour / 3;
  const at = (ms: number): string => new Date(ms).toISOString().replace('Z', '000Z');
  const sent: { readonly atMs: number; readonly body: string }[] = [];
  const say = (event: string, atMs: number, payload: object): void =>
    void sent.push({ atMs, body: JSON.stringify({ event, created_at: at(atMs), payload }) });
  const opened = anchor - 150 * day;

  for (const type of types)
    say('event_type.created', opened, {
      uri: uriOf('event_types', type),
      name: `Meeting of type ${type}`,
      active: true,
      created_at: at(opened),
      updated_at: at(opened),
    });
  for (let n = 0; n < 30; n += 1) {
    const made = opened + n * 4 * day;
    const emails = [`person${n}@example.test`, ...(n % 4 === 0 ? [`private${n}@example.test`] : [])];
    say('contact.created', made, {
      uri: uriOf('contacts', `c${n}`),
      name: `Person ${n}`,
      emails: emails.map((email, index) => ({ email, is_primary: index === 0 })),
      created_at: at(made),
      updated_at: at(made),
    });
    if (n === 29) say('contact.deleted', made + day, { uri: uriOf('contacts', 'c29'), deleted_at: at(made + day) });
  }
  const forms = Array.from({ length: 30 }, (_, n) => {
    const uri = uriOf('routing_form_submissions', `s${n}`);
    const made = opened + (n + 1) * 3 * day;
    say('routing_form_submission.created', made, {
      uri,
      routing_form: uriOf('routing_forms', dice.pick(['sales', 'sales', 'help'])),
      created_at: at(made),
      updated_at: at(made),
      result: { type: dice.pick(['event_type', 'event_type', 'custom_message']) },
    });
    return uri;
  });

  const book = (n: number): void => {
    const type = n < 12 ? 'old' : dice.pick(['intro', 'demo', 'review'] as const);
    const who = dice.next(34);
    const email = who % 4 === 0 && n % 3 === 0 ? `PRIVATE${who}@example.test` : `person${who}@example.test`;
    const made = n < 12 ? opened + n * day : opened + (n + 2) * day + dice.next(20) * hour;
    const form = n % 6 === 0 ? forms[n / 6 - 1] : undefined;
    const tracking = { utm_source: dice.pick(sources), utm_campaign: dice.pick(campaigns) };
    const paid = n % 5 === 0 && {
      provider: 'stripe',
      external_id: `ch_${n}`,
      amount: 10 + n,
      currency: n % 2 === 0 ? 'EUR' : 'USD',
      terms: null,
      successful: n % 15 !== 0,
    };
    const members = dice.next(4) === 0 ? [dice.pick(hosts), dice.pick(hosts)] : [dice.pick(hosts)];
    const moves = n % 6 === 1 ? 1 + dice.next(3) : 0;
    for (let move = 0; move <= moves; move += 1) {
      const id = move === 0 ? `i${n}` : `i${n}-${move}`;
      const created = made + move * 5 * hour;
      const start = made + (3 + move) * day + dice.next(14) * hour;
      const event = {
        uri: uriOf('scheduled_events', id),
        name: `Talk with Person ${who}`,
        status: 'active',
        start_time: at(start),
        end_time: at(start + hour / 2),
        event_type: uriOf('event_types', type),
        event_memberships: [...new Set(members)].map((host) => ({
          user: uriOf('users', host),
          user_name: `Host ${host}`,
        })),
        event_guests: n % 9 === 0 ? [{ email: `guest${n}@example.test` }] : [],
        created_at: at(created),
        updated_at: at(created),
      };
      const said = {
        uri: uriOf('invitees', id),
        email,
        name: `Person ${who}`,
        timezone: 'Europe/Berlin',
        event: event.uri,
        created_at: at(created),
        tracking,
        old_invitee: move === 0 ? null : uriOf('invitees', move === 1 ? `i${n}` : `i${n}-${move - 1}`),
        routing_form_submission: form ?? null,
        ...(paid && { payment: paid }),
      };
      const tell = (kind: string, atMs: number, more: object, scheduled_event: object = event): void =>
        say(kind, atMs, { ...said, scheduled_event, updated_at: at(atMs), ...more });
      const active = { status: 'active', rescheduled: false, new_invitee: null };
      tell('invitee.created', created, active);
      const guests = move === moves && n % 11 === 0 ? 1 + dice.next(3) : 0;
      for (let other = 0; other < guests; other += 1)
        tell('invitee.created', created + hour, {
          ...active,
          uri: uriOf('invitees', `${id}-g${other}`),
          email: `group${n}.${other}@example.test`,
          name: `Member ${other}`,
          payment: null,
          old_invitee: null,
          routing_form_submission: null,
        });
      if (move < moves) {
        const next = uriOf('invitees', `i${n}-${move + 1}`);
        const cancellation = { canceler_type: 'invitee', created_at: at(created + 5 * hour), reason: null };
        tell('invitee.canceled', created + 5 * hour, {
          status: 'canceled',
          rescheduled: true,
          new_invitee: next,
          cancellation,
        });
        continue;
      }
      if (guests > 0) continue;
      const fate = dice.next(6);
      if (fate === 0 || n % 13 === 0) {
        const when = start - dice.pick([2, 23, 25, 60]) * hour;
        const cancellation = { canceler_type: dice.pick(['host', 'invitee']), created_at: at(when), reason: 'No time' };
        if (when < anchor)
          tell(
            'invitee.canceled',
            when,
            { status: 'canceled', rescheduled: false, new_invitee: null, cancellation },
            { ...event, status: 'canceled', updated_at: at(when), cancellation },
          );
      } else if (fate < 3 && start + day < anchor) {
        const mark = { uri: uriOf('invitee_no_shows', id), created_at: at(start + hour) };
        const of = { uri: said.uri, event: event.uri };
        say('invitee_no_show.created', start + hour, { ...of, no_show: mark, updated_at: at(start + hour) });
        if (n % 4 === 0)
          say('invitee_no_show.deleted', start + 2 * hour, { ...of, no_show: null, updated_at: at(start + 2 * hour) });
      } else if (fate === 3 && start + day < anchor) {
        const attendees = [
          { host: true, user_email: 'host@hosts.test', user_name: 'Host' },
          { host: false, user_email: email, user_name: `Person ${who}` },
        ];
        say('meeting_recap.created', start + 2 * hour, {
          uri: uriOf('meeting_recaps', id),
          created_at: at(start + 2 * hour),
          updated_at: at(start + 2 * hour),
          event: {
            uri: event.uri,
            name: event.name,
            start_time: event.start_time,
            end_time: event.end_time,
            attendees,
          },
        });
      }
    }
  };
  for (let n = 1; n < 150; n += 1) book(n);

  // Before each was sent, all were received; but those that no one can read came now and two days ago.
  const readable = sent
    .toSorted((a, b) => a.atMs - b.atMs)
    .map(({ body }) => ({ body, receivedAt: at(anchor - 3 * day) }));
  const unreadable = [0, 1, 2, 3, 4, 5].map((n) => ({
    body:
      n % 3 === 0
        ? `no JSON ${n}`
        : JSON.stringify({ event: 'invitee.created', created_at: at(opened), payload: { uri: n } }),
    receivedAt: at(n === 5 ? anchor - 2 * day : anchor - hour),
  }));
  return [...readable, ...unreadable];
}
