// Journeys as common table expressions, for every view that counts bookings by how they ended.
//
//   A ──moved──▶ B ──moved──▶ C      A says `new_invitee` B, or B says `old_invitee` A: either is enough, and B itself
//                                    need not be mirrored. One journey, begun by A, ended by C.
//
// Every invitee has at most one booking before it: the one it names itself, else the first (by URI) that names it. So the
// links are trees, walked once from their roots; whatever is claimed besides is not followed. Links that run in a circle
// have no root: a circle of up to `longestCircle` begins at its first URI, and in a longer one each invitee is a journey of its own.
// Thus any links whatever put every mirrored invitee into exactly one journey, in time proportional to their number.
import { sql } from 'kysely';
import type { Sql, SqlDialect } from '#src/store/sql-dialect.ts';

const longestCircle = 32;
const day = 24 * 3_600;

/**
 * `with recursive ${journeys(dialect)} select …`: gives `members`, one row a mirrored invitee; `ranked`, the members of journeys
 * that were moved, in their order; and `journeys`. `invitees` names the table, or a part of it that holds whole journeys.
 *
 * Two expressions change no result, but the plan: with the second condition of the join in `ranked`, PostgreSQL hashes the few invitees
 * that were moved instead of all; with the cast in `ends`, SQLite makes an index for the join with it.
 */
export function journeys(dialect: SqlDialect, invitees: Sql = sql.table('invitees')): Sql {
  const { bytes } = dialect;
  return sql`
  stated (child, parent, by_child) as (
    select uri, old_invitee, 1 from ${invitees} as invitees where old_invitee <> '' and old_invitee <> uri
    union all
    select new_invitee, uri, 0 from ${invitees} as invitees where new_invitee <> '' and new_invitee <> uri
  ),
  links (child, parent) as materialized (
    select child, coalesce(min(case by_child when 1 then ${bytes(sql`parent`)} end), min(${bytes(sql`parent`)}))
    from stated group by child
  ),
  paths (origin, node, least, steps) as (
    select child, parent, ${lesser(dialect, sql`child`, sql`parent`)}, 1
    from links where child in (select parent from links)
    union all
    select paths.origin, links.parent, ${lesser(dialect, sql`paths.least`, sql`links.parent`)}, paths.steps + 1
    from paths join links on links.child = paths.node
    where paths.node <> paths.origin and paths.steps < ${sql.lit(longestCircle)}
  ),
  circles (node) as materialized (select origin from paths where node = origin and least = origin),
  tree (node, root, depth) as (
    select node, node, 0 from (
      select parent as node from links where parent not in (select child from links) union select node from circles
    ) as roots
    union all
    select links.child, tree.root, tree.depth + 1
    from tree join links on links.parent = tree.node
    where links.child not in (select node from circles)
  ),
  members as (
    select invitees.uri as invitee_uri, coalesce(tree.root, invitees.uri) as journey_uri
    from ${invitees} as invitees left join tree on tree.node = invitees.uri
  ),
  spans (journey_uri, deepest) as (select root, max(depth) from tree group by root),
  ranked as (
    select tree.root as journey_uri, invitees.uri as invitee_uri, invitees.created_at, tree.depth,
      scheduled_events.event_type, coalesce(event_types.name, scheduled_events.name) as event_type_name,
      row_number() over (partition by tree.root
        order by depth, invitees.created_at is null, invitees.created_at, ${bytes(sql`invitees.uri`)}) as place,
      count(*) over (partition by tree.root) as places
    from tree join ${invitees} as invitees on invitees.uri = tree.node and (invitees.uri in (select node from tree)) is true
    left join scheduled_events on scheduled_events.uri = invitees.event_uri
    left join event_types on event_types.uri = scheduled_events.event_type
  ),
  ends as (
    select journey_uri, max(case place when 1 then invitee_uri end) as first_invitee, max(case place when 1 then created_at end) as booked_at,
      max(case place when 1 then event_type end) as first_event_type, max(case place when 1 then event_type_name end) as first_event_type_name,
      cast(max(case place when places then invitee_uri end) as text) as last_invitee, max(places) as invitees, max(depth) as depth
    from ranked group by journey_uri
  ),
  journeys as (${ended(dialect, invitees)})`;
}

const lesser = ({ bytes }: SqlDialect, a: Sql, b: Sql): Sql =>
  sql`case when ${bytes(a)} < ${bytes(b)} then ${a} else ${b} end`;

/** How a booking ended, from columns of these names. */
export const outcomeOf = ({ now }: SqlDialect): Sql => sql`case
        when moved_on then 'rescheduled'
        when canceled and canceler_type = 'host' then 'canceled_by_host'
        when canceled and canceler_type = 'invitee' and cancel_notice_seconds < ${sql.lit(day)} then 'late_cancellation'
        when canceled and canceler_type = 'invitee' then 'canceled_by_invitee'
        when canceled then 'canceled'
        when no_show_at is not null then 'no_show'
        when coalesce(end_time, start_time) <= ${now} then 'held'
        when coalesce(end_time, start_time) is not null then 'upcoming'
      end`;

/**
 * A journey with what its first invitee says of where it came from, and its last of how it ended. Most bookings are never moved: they
 * have no row in `ends`, and their only invitee is `last`.
 */
function ended(dialect: SqlDialect, invitees: Sql): Sql {
  return sql`
    select stated.*, ${outcomeOf(dialect)} as outcome
    from (
      select coalesce(ends.journey_uri, last.uri) as journey_uri, coalesce(ends.first_invitee, last.uri) as first_invitee,
        last.uri as last_invitee, coalesce(ends.invitees, 1) as invitees,
        coalesce(spans.deepest, 0) + case when ${movedOn} and coalesce(spans.deepest, 0) = coalesce(ends.depth, 0) then 1 else 0 end as moves,
        ${facts(dialect)}
      from ${invitees} as last
      left join ends on ends.last_invitee = last.uri
      left join spans on spans.journey_uri = ends.journey_uri
      left join ${invitees} as first on first.uri = ends.first_invitee
      left join scheduled_events as first_event on first_event.uri = first.event_uri
      left join scheduled_events as last_event on last_event.uri = last.event_uri
      left join event_types on event_types.uri = last_event.event_type
      where ends.journey_uri is not null or last.uri not in (select node from tree)
    ) as stated`;
}

/** Of the invitee `last`. */
export const movedOn = sql`(last.rescheduled is true or last.new_invitee <> '')`;

/** From the last booking if it has a payment, else from the first. */
const paymentColumns = [
  'payment_provider',
  'payment_external_id',
  'payment_amount',
  'payment_currency',
  'payment_successful',
];

function facts(dialect: SqlDialect): Sql {
  const isSingle = sql`ends.journey_uri is null`;
  const ofFirst = (single: Sql, moved: Sql): Sql => sql`case when ${isSingle} then ${single} else ${moved} end`;
  const first = (column: string): Sql => ofFirst(sql.ref(`last.${column}`), sql.ref(`first.${column}`));
  const payment = (column: string): Sql =>
    sql`case when ${isSingle} or last.payment is not null then ${sql.ref(`last.${column}`)} else ${sql.ref(`first.${column}`)} end`;
  const event = sql`last_event.cancellation`;
  const typeName = sql`coalesce(event_types.name, last_event.name)`;
  const bookedAt = ofFirst(sql`last.created_at`, sql`ends.booked_at`);
  return sql`last_event.event_type, ${typeName} as event_type_name, last_event.hosts,
        ${dialect.textAt(sql`last_event.hosts`, { index: 0, name: 'user' })} as host,
        last.email as invitee_email, last.name as invitee_name,
        ${first('utm_source')} as utm_source, ${first('utm_medium')} as utm_medium, ${first('utm_campaign')} as utm_campaign,
        ${first('utm_content')} as utm_content, ${first('utm_term')} as utm_term, ${bookedAt} as booked_at,
        ${ofFirst(sql`last_event.start_time`, sql`first_event.start_time`)} as first_start_time,
        ${ofFirst(sql`last_event.event_type`, sql`ends.first_event_type`)} as first_event_type,
        ${ofFirst(typeName, sql`ends.first_event_type_name`)} as first_event_type_name,
        last_event.start_time, last_event.end_time,
        ${dialect.secondsBetween(bookedAt, sql`last_event.start_time`)} as lead_time_seconds,
        last.canceled_at, coalesce(last.canceler_type, ${dialect.textAt(event, { name: 'canceler_type' })}) as canceler_type,
        ${dialect.secondsBetween(sql`last.canceled_at`, sql`last_event.start_time`)} as cancel_notice_seconds,
        last.no_show_at, last.no_show_uri, ${movedOn} as moved_on,
        last.event_uri, ${dialect.textAt(sql`last_event.hosts`, { index: 0, name: 'user_name' })} as host_name,
        ${dialect.secondsBetween(sql`last_event.start_time`, sql`last_event.end_time`)} as duration_seconds,
        last.timezone as invitee_timezone,
        coalesce(last.cancel_reason, ${dialect.textAt(event, { name: 'reason' })}) as cancel_reason,
        last.scheduling_method,
        coalesce(${first('routing_form_submission')}, last.routing_form_submission) as routing_form_submission,
        ${dialect.textAt(sql`last_event.location`, { name: 'type' })} as location_kind,
        ${sql.join(paymentColumns.map((column) => sql`${payment(column)} as ${sql.id(column)}`))},
        (coalesce(last.status, '') = 'canceled' or coalesce(last_event.status, '') = 'canceled') as canceled`;
}
