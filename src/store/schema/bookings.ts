// The tables of bookings: meetings, invitees, no-shows, what can be booked, what is left afterwards, and the bookings themselves.
import { eventTypeKinds, poolingTypes } from '#schemas/event-type.ts';
import { cancelerTypes, inviteeStatuses, paymentProviders, schedulingMethods } from '#schemas/invitee.ts';
import { flag, integer, json, number, table, text, time, uri } from './declaration.ts';
import { deletedColumns, foldColumns, timeColumns, trackingColumns } from './shared-columns.ts';

export const scheduledEvents = table({
  name: 'scheduled_events',
  key: ['uri'],
  readable: 'all',
  fast: ['start_time'],
  about:
    'One row per meeting. Several invitees share a group meeting. A meeting that an invitee names and nothing has described has a row too, in which only `uri` is set: `version` is null there, and lists, counts, exports and the feed leave it out.',
  columns: {
    uri: uri('URI of the meeting'),
    name: text('name of the meeting', { holds: 'text' }),
    status: text('whether it takes place', { oneOf: inviteeStatuses, orOther: true }),
    start_time: time('start of the meeting'),
    end_time: time('end of the meeting'),
    event_type: uri('the event type that was booked', { joins: 'event_types.uri' }),
    location: json('where it takes place: `type`, and what belongs to that type', { holds: 'person' }),
    join_url: text('link to a video conference, from `location`', { holds: 'person', sentAs: 'location.join_url' }),
    hosts: json('the hosts: `user`, `user_email`, `user_name`; one row each in the view `scheduled_event_hosts`', {
      holds: 'person',
      sentAs: 'event_memberships',
    }),
    guests: json('people whom an invitee added: `email`; one row each in the view `scheduled_event_guests`', {
      holds: 'person',
      sentAs: 'event_guests',
    }),
    /** Advisory: several invitees speak about the same event. */
    invitees_counter: json(
      'numbers of invitees as the service last sent them; they may be out of date, so count `invitees` instead',
      { holds: 'plain' },
    ),
    meeting_notes_plain: text('notes of the host, as text', { holds: 'text' }),
    meeting_notes_html: text('notes of the host, as HTML', { holds: 'text' }),
    cancellation: json(
      'who canceled the meeting, when and why: `canceled_by`, `reason`, `canceler_type`, `created_at`',
      { holds: 'person' },
    ),
    canceler_type: text('who canceled the meeting', {
      oneOf: cancelerTypes,
      orOther: true,
      sentAs: 'cancellation.canceler_type',
    }),
    canceled_at: time('when the meeting was canceled', { sentAs: 'cancellation.created_at' }),
    ...timeColumns,
    ...foldColumns,
  },
});

export const invitees = table({
  name: 'invitees',
  key: ['uri'],
  readable: 'all',
  fast: ['created_at'],
  about: 'One row per person on one meeting. A reschedule is a new row, linked by `old_invitee` and `new_invitee`.',
  columns: {
    uri: uri('URI of the invitee'),
    email: text('e-mail address, by which the contact is found', { holds: 'person', joins: 'contact_emails.email' }),
    first_name: text('first name, where the form asks for it separately', { holds: 'person' }),
    last_name: text('last name, where the form asks for it separately', { holds: 'person' }),
    name: text('full name', { holds: 'person' }),
    status: text('whether the booking stands; final once canceled', { oneOf: inviteeStatuses, orOther: true }),
    timezone: text('time zone of the invitee, such as `Europe/Berlin`', { holds: 'person' }),
    event_uri: uri('the meeting', { joins: 'scheduled_events.uri', sentAs: 'event' }),
    questions_and_answers: json('answers of the booking form; one row each in the view `invitee_answers`', {
      holds: 'text',
    }),
    ...trackingColumns,
    text_reminder_number: text('phone number for text reminders', { holds: 'person' }),
    rescheduled: flag('true when this booking was moved to another one'),
    old_invitee: uri('the booking that this one replaced', { joins: 'invitees.uri' }),
    new_invitee: uri('the booking that replaced this one', { joins: 'invitees.uri' }),
    cancel_url: text('link with which the invitee cancels', { holds: 'person' }),
    reschedule_url: text('link with which the invitee reschedules', { holds: 'person' }),
    routing_form_submission: uri('the form submission that led to the booking', {
      joins: 'routing_form_submissions.uri',
    }),
    payment: json('the payment, as sent', { holds: 'text' }),
    payment_external_id: text('identifier of the payment at the provider', {
      holds: 'person',
      sentAs: 'payment.external_id',
    }),
    payment_provider: text('who takes the payment', {
      oneOf: paymentProviders,
      orOther: true,
      sentAs: 'payment.provider',
    }),
    payment_amount: number('amount in units of the currency, not cents', { sentAs: 'payment.amount' }),
    payment_currency: text('currency, such as `EUR`', { holds: 'plain', sentAs: 'payment.currency' }),
    payment_terms: text('terms of the payment', { holds: 'text', sentAs: 'payment.terms' }),
    payment_successful: flag('true when the payment succeeded', { sentAs: 'payment.successful' }),
    no_show: json('the no-show mark that is open: its `uri` and `created_at`', { holds: 'plain' }),
    no_show_uri: uri('the mark that is open; null when the invitee is not marked', {
      joins: 'no_shows.no_show_uri',
      sentAs: 'no_show.uri',
    }),
    no_show_at: time('when the open mark was set', { sentAs: 'no_show.created_at' }),
    /** What the columns about no-shows and attendance are derived from (`projections/no-show.ts`). */
    no_show_facts: json(
      'what the columns about no-shows and attendance are derived from: marks, unmarks, the newest snapshot and answers',
      { holds: 'plain' },
    ),
    attendance_confirmed_at: time(
      'when it was answered that the invitee came; null without an answer, or when it was taken back',
    ),
    attendance_confirmed_by: text('how that answer came; `host` is a signed link', {
      oneOf: ['host', 'dashboard', 'api'],
    }),
    attendance_entry: text('the log entry of that answer', { holds: 'plain', joins: 'event_log.delivery_id' }),
    reconfirmation: json('the request to confirm the booking again, as sent', { holds: 'plain' }),
    reconfirmation_sent_at: time('when that request was sent', { sentAs: 'reconfirmation.created_at' }),
    reconfirmed_at: time('when the invitee confirmed', { sentAs: 'reconfirmation.confirmed_at' }),
    scheduling_method: text('how it was booked; null for a booking page', {
      oneOf: schedulingMethods,
      orOther: true,
    }),
    invitee_scheduled_by: uri('the user who booked for the invitee', { joins: 'users.uri' }),
    cancellation: json('the cancellation, as sent; a reschedule is one too', { holds: 'person' }),
    canceled_by: text('name of the person who canceled', { holds: 'person', sentAs: 'cancellation.canceled_by' }),
    cancel_reason: text('reason given', { holds: 'text', sentAs: 'cancellation.reason' }),
    canceler_type: text('who canceled', {
      oneOf: cancelerTypes,
      orOther: true,
      sentAs: 'cancellation.canceler_type',
    }),
    canceled_at: time('when it was canceled', { sentAs: 'cancellation.created_at' }),
    ...timeColumns,
    ...foldColumns,
  },
});

export const noShows = table({
  name: 'no_shows',
  key: ['invitee_uri', 'marked_at', 'no_show_uri'],
  readable: 'all',
  fast: ['marked_at'],
  about: 'One row per no-show mark. A mark that was removed keeps its row, with `unmarked_at`.',
  columns: {
    invitee_uri: uri('the invitee', { joins: 'invitees.uri' }),
    marked_at: time('when the mark was set'),
    no_show_uri: uri('URI of the mark'),
    unmarked_at: time('when the mark was removed; null while it is open'),
  },
});

export const eventTypes = table({
  name: 'event_types',
  key: ['uri'],
  readable: 'all',
  about: 'One row per event type that can be booked.',
  columns: {
    uri: uri('URI of the event type'),
    name: text('name', { holds: 'text' }),
    active: flag('false when it cannot be booked at present'),
    slug: text('last part of the address of its booking page', { holds: 'text' }),
    scheduling_url: text('address of its booking page', { holds: 'text' }),
    duration: number('length in minutes'),
    kind: text('for one invitee or for several', { oneOf: eventTypeKinds, orOther: true }),
    pooling_type: text('how hosts share it; null for one host', { oneOf: poolingTypes, orOther: true }),
    type: text('sort of event type; `AdhocEventType` is a one-off', {
      oneOf: ['StandardEventType', 'AdhocEventType'],
      orOther: true,
    }),
    color: text('color in the calendar', { holds: 'plain' }),
    internal_note: text('note for the team', { holds: 'text' }),
    description_plain: text('description, as text', { holds: 'text' }),
    description_html: text('description, as HTML', { holds: 'text' }),
    profile: json('whose booking page it is: `type`, `name`, `owner`', { holds: 'person' }),
    owner_uri: uri('the owner, from `profile`; a team has another URI', {
      joins: 'users.uri',
      sentAs: 'profile.owner',
    }),
    secret: flag('true when it is not listed publicly'),
    booking_method: text('how it is booked', { oneOf: ['instant', 'poll'], orOther: true }),
    custom_questions: json('questions of the booking form', { holds: 'text' }),
    admin_managed: flag('true when only administrators change it'),
    locations: json('where it can take place', { holds: 'text' }),
    position: number('order on the booking page'),
    locale: text('language', { holds: 'plain' }),
    ...timeColumns,
    ...deletedColumns,
    ...foldColumns,
  },
});

export const meetingRecaps = table({
  name: 'meeting_recaps',
  key: ['uri'],
  readable: 'all',
  fast: ['created_at'],
  about: 'One row per recap of a meeting.',
  columns: {
    uri: uri('URI of the recap'),
    event_uri: uri('the meeting; null for a meeting that was not booked here', {
      joins: 'scheduled_events.uri',
      sentAs: 'event.uri',
    }),
    event_name: text('name of the meeting', { holds: 'text', sentAs: 'event.name' }),
    event_start_time: time('start of the meeting', { sentAs: 'event.start_time' }),
    event_end_time: time('end of the meeting', { sentAs: 'event.end_time' }),
    event_location: json('where it took place', { holds: 'person', sentAs: 'event.location' }),
    attendees: json('who took part: `user_name`, `user_email`, `host`', {
      holds: 'person',
      sentAs: 'event.attendees',
    }),
    transcript: text('URI of the transcript, as sent', { holds: 'text' }),
    speakers: json(
      'who spoke, as the transcript names them: a list of names or addresses; null until the transcript is read',
      { holds: 'person' },
    ),
    summary_md: text('summary, as Markdown', { holds: 'text' }),
    action_items_md: text('action items, as Markdown', { holds: 'text' }),
    discussion_md: text('discussion, as Markdown', { holds: 'text' }),
    share_link: text('public link to the recap', { holds: 'text' }),
    ...timeColumns,
    ...deletedColumns,
    ...foldColumns,
  },
});

/** Derived from `invitees` in the transaction that writes them (`bookings/booking-invitees.ts`). */
export const bookingInvitees = table({
  name: 'booking_invitees',
  key: ['invitee_uri'],
  readable: 'all',
  about:
    'Which invitees are one booking: one row per invitee that a reschedule links with another, mirrored or not. An invitee without a row is a booking of its own.',
  columns: {
    invitee_uri: uri('the invitee', { joins: 'invitees.uri' }),
    booking_uri: uri('the booking: URI of the first invitee of the chain, mirrored or not', {
      joins: 'invitees.uri',
      required: true,
    }),
    position: integer('its number among the mirrored invitees of the chain, from 1; null if it is not mirrored'),
    first_invitee: uri('the first mirrored invitee of the chain', { joins: 'invitees.uri', required: true }),
    is_first: flag('whether it is the first mirrored invitee of the chain', { required: true }),
    is_last: flag('whether it is the last mirrored invitee of the chain', { required: true }),
    count: integer('how many invitees of the chain are mirrored', { required: true }),
    moves: integer('how many times the booking was rescheduled', { required: true }),
    mirrored: flag('whether the invitee has a row in `invitees`', { required: true }),
  },
});
