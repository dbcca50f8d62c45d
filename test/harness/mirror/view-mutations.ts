// Small mistakes planted in the texts of views, each of which the test of agreement has to notice.
import { join } from 'node:path';
import { installationFolder } from '#src/base/command.ts';
import type { Store } from '#src/store/contract.ts';
import { installViews } from '#src/store/views/refresh-views.ts';
import { readViews, type View } from '#src/store/views/view.ts';
import { viewsFor } from '#src/store/views/views.ts';

export interface ViewMutation {
  readonly view: string;
  readonly mistake: string;
  /** In the text of each engine. */
  readonly from: RegExp;
  readonly to: string;
}

const bookings = 'booking_journeys';

export const viewMutations: readonly ViewMutation[] = [
  {
    view: bookings,
    mistake: 'notice is a second longer',
    from: / as cancel_notice_seconds/,
    to: ' + 1 as cancel_notice_seconds',
  },
  {
    view: bookings,
    mistake: 'a meeting ends at its start',
    from: /coalesce\(bookings\.end_time, bookings\.start_time\)/g,
    to: 'bookings.start_time',
  },
  {
    view: bookings,
    mistake: 'the first link is the last',
    from: /bookings\.last_invitee,/,
    to: 'bookings.first_invitee as last_invitee,',
  },
  {
    view: bookings,
    mistake: 'one move is ignored',
    from: /bookings\.moves,/,
    to: 'nullif(bookings.moves, 2) as moves,',
  },
  {
    view: bookings,
    mistake: 'a mark is no attendance',
    from: /when bookings\.ending = 'no_show' then 'no_show'/,
    to: "when 1 = 0 then 'no_show'",
  },
  { view: 'bookings_daily', mistake: 'one link of a chain is ignored', from: /position > 1/, to: 'position > 2' },
  {
    view: 'bookings_daily',
    mistake: 'moved counts as canceled',
    from: /when 'rescheduled' then 'rescheduled'/,
    to: "when 'rescheduled' then 'canceled'",
  },
  { view: 'bookings_daily', mistake: 'days are those of UTC', from: /select offset_seconds from/, to: 'select 0 from' },
  {
    view: 'bookings_daily',
    mistake: 'a meeting counts on the day of its end',
    from: /select start_time, event_type/,
    to: 'select end_time, event_type',
  },
  {
    view: 'no_show_rate',
    mistake: 'a suspected no-show is known',
    from: /'unconfirmed', 'suspected_no_show'/,
    to: "'unconfirmed'",
  },
  {
    view: 'no_show_rate',
    mistake: 'only the first host counts',
    from: /hosts -> 1 is not null/,
    to: 'hosts -> 9 is not null',
  },
  {
    view: 'no_show_rate',
    mistake: 'clocks change an instant late',
    from: /starts_at <= start_time/,
    to: 'starts_at < start_time',
  },
  {
    view: 'no_show_rate',
    mistake: 'the hour of the host is that of UTC',
    from: /host_periods\.offset_seconds \+/,
    to: '0 +',
  },
  { view: 'revenue', mistake: 'a payment counts with each link', from: /place = 1 and/, to: '' },
  {
    view: 'revenue',
    mistake: 'a failed payment counts',
    from: /where invitees\.payment_successful is true/,
    to: 'where invitees.payment_provider is not null',
  },
  {
    view: 'routing_funnel',
    mistake: 'a missed meeting is none',
    from: /case outcome when 'no_show'/,
    to: "case outcome when 'missed'",
  },
  {
    view: 'routing_funnel',
    mistake: 'the chain of a booking is ignored',
    from: /coalesce\(followed_invitees\.journey_uri, invitees\.uri\)/,
    to: 'invitees.uri',
  },
  { view: 'routing_funnel', mistake: 'some bookings canceled are all', from: /min\(case/, to: 'max(case' },
  {
    view: 'unbooked_submissions',
    mistake: 'a booked form is not booked',
    from: /and not exists \(select 1 from invitees where [^)]*\)/,
    to: '',
  },
  {
    view: 'unbooked_submissions',
    mistake: 'any result leads to a booking page',
    from: /where submissions\.result_type = 'event_type'/,
    to: 'where submissions.result_type is not null',
  },
  {
    view: 'unbooked_submissions',
    mistake: 'an earlier booking counts',
    from: /invitees\.created_at >= addressed\.created_at/,
    to: 'invitees.created_at < addressed.created_at',
  },
  { view: 'people', mistake: 'a deleted contact is a person', from: /\b(?:\w+\.)?deleted_at is null/g, to: '1 = 1' },
  {
    view: 'people',
    mistake: 'a suspected no-show is known',
    from: /'unconfirmed', 'suspected_no_show'/g,
    to: "'unconfirmed'",
  },
  { view: 'people', mistake: 'upcoming meetings are missed', from: /outcome = 'no_show'/g, to: "outcome = 'upcoming'" },
];

const views = readViews(join(installationFolder, 'src/store/views'));

/** Installs the views with this mistake in one of them, and puts them back afterwards. */
export async function withMistake<Value>(
  store: Store,
  { view: name, from, to }: ViewMutation,
  work: () => Promise<Value>,
): Promise<Value> {
  const mistaken = (view: View): View => ({
    ...view,
    select(engine) {
      const text = view.select(engine);
      const changed = text.replace(from, to);
      if (changed === text) throw new Error(`The text of ${name} for ${engine} has no longer what is changed: ${from}`);
      return changed;
    },
  });
  const changed = views.map((view) => (view.name === name ? mistaken(view) : view));
  const install = async (all: readonly View[]): Promise<void> => {
    const problems = await installViews(store, (columns) => viewsFor(columns, all));
    if (problems.length > 0) throw new Error(problems.map((problem) => String(problem.cause ?? problem)).join('\n'));
  };
  await install(changed);
  try {
    return await work();
  } finally {
    await install(views);
  }
}
