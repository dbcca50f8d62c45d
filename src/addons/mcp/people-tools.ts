// The tools about people: contacts, a person's timeline, forms that led to no booking, and meeting recaps.
import type { z } from 'zod';
import { listContacts } from '#src/api/contacts.ts';
import { listPeople } from '#src/api/people/people.ts';
import { getRecap, listRecaps } from '#src/api/people/recaps.ts';
import { listSubmissions } from '#src/api/people/routing.ts';
import { getContactTimeline } from '#src/api/people/timeline.ts';
import { label, oneOf, person, text, time, uri, word, type Presentation } from './marked.ts';
import { byToken, defineTool } from './tool.ts';

export const findContacts = defineTool(listContacts, {
  name: 'find_contacts',
  description:
    'Finds contacts by a whole e-mail address or phone number, or lists the newest. Use it to get the URI of a contact for person_timeline.',
  inputs: {
    email: 'The whole e-mail address; several with commas between them.',
    phone_number: 'The whole phone number; several with commas between them.',
  },
  revealedInputs: {
    name: 'A part of the name.',
    company: 'A part of the name of the company.',
    job_title: 'A part of the job title.',
  },
  fixed: { exclude: 'custom_fields', sort: 'created_at:desc' },
  pages: byToken,
  present: ({ collection }) => ({
    contacts: collection.map((contact) => ({
      contact: uri(contact.uri),
      person: person({
        email: contact.emails.find(({ is_primary }) => is_primary)?.email ?? contact.emails[0]?.email ?? null,
        name: contact.name,
        emails: contact.emails.map(({ email }) => email),
        phone_numbers: contact.phone_numbers.map(({ phone_number }) => phone_number),
        company: contact.company,
        job_title: contact.job_title,
        timezone: contact.timezone,
        country: contact.country,
        city: contact.city,
      }),
      created_at: time(contact.created_at),
      updated_at: time(contact.updated_at),
      last_meeting_date: time(contact.last_meeting_date),
      next_meeting_date: time(contact.next_meeting_date),
    })),
  }),
});

export const findPeople = defineTool(listPeople, {
  name: 'find_people',
  description:
    'Lists people over all their addresses, with counts of bookings, to which they came and which they missed, newest contact first, or finds the one with a whole e-mail address. Use it to join what other answers say of several addresses of one person.',
  inputs: { email: 'The whole e-mail address.', contact: true },
  revealedInputs: { name: true },
  pages: byToken,
  present: ({ collection }) => ({
    people: collection.map((each) => ({
      person: person({ email: each.primary_email, name: each.name }),
      addresses: each.emails.map((email) => person({ email })),
      first_record: uri(each.person),
      contacts: each.contact_uris.map(uri),
      first_touch: time(each.first_touch),
      last_touch: time(each.last_touch),
      bookings: each.bookings,
      came: each.came,
      unknown: each.unknown,
      no_shows: each.no_shows,
      last_campaign: text(each.last_campaign),
      next_meeting: time(each.next_meeting),
      last_meeting: time(each.last_meeting),
    })),
  }),
});

export const personTimeline = defineTool(getContactTimeline, {
  name: 'person_timeline',
  description:
    'Lists what happened with one person, newest first: bookings, moves, cancellations, no-shows, recaps, forms, alerts. Use it after find_contacts, with the URI of the contact.',
  record: { name: 'contact', description: 'The URI of the contact.' },
  pages: byToken,
  present: ({ collection }) => ({
    timeline: collection.map((item) => ({
      time: time(item.time),
      kind: word(item.kind),
      sentence: text(item.sentence),
      meeting_start: time(item.meeting_start),
      subject: uri(item.subject_uri),
      seq: item.seq,
    })),
  }),
});

export const unbookedForms = defineTool(listSubmissions, {
  name: 'unbooked_forms',
  description:
    'Lists submissions of routing forms that led to a booking page but not to a booking, newest first, with who submitted it and whether they booked in another way. Use it to find people who wanted to book and did not.',
  inputs: { routing_form: true, from: true, to: true },
  fixed: { booked: 'false', result_type: 'event_type' },
  pages: byToken,
  present: ({ collection }) => ({
    submissions: collection.map((submission) => ({
      submission: uri(submission.uri),
      submitter: submission.unbooked && person({ email: submission.unbooked.email, name: submission.unbooked.name }),
      booked_otherwise: uri(submission.unbooked?.booked_otherwise),
      created_at: time(submission.created_at),
      routing_form: uri(submission.routing_form),
      routing_form_name: label(submission.routing_form_name),
      result_type: oneOf(['event_type', 'external_url', 'custom_message'], submission.result_type),
      event_type_name: label(submission.event_type_name),
      questions_and_answers: text(submission.questions_and_answers),
      tracking: text(submission.tracking),
    })),
  }),
});

export const listRecapsTool = defineTool(listRecaps, {
  name: 'list_recaps',
  description:
    'Lists meeting recaps with their attendees and the beginning of the summary, newest first. Use get_recap for the whole text of one.',
  inputs: { from: true, to: true, host: true, attendee: true },
  revealedInputs: { text: true },
  pages: byToken,
  present: ({ collection }) => ({
    recaps: collection.map((recap) => ({ ...recapView(recap), excerpt: text(recap.excerpt) })),
  }),
});

export const getRecapTool = defineTool(getRecap, {
  name: 'get_recap',
  description: 'Gets one meeting recap with summary, action items and discussion. Use it after list_recaps.',
  record: { name: 'recap', description: 'The URI of the recap.' },
  present: ({ resource: recap }) => ({
    ...recapView(recap),
    summary: text(recap.summary_md),
    action_items: text(recap.action_items_md),
    discussion: text(recap.discussion_md),
    share_link: text(recap.share_link),
  }),
});

type Recap = z.output<NonNullable<(typeof listRecaps)['schema']>>;

const recapView = (recap: Recap): { readonly [name: string]: Presentation } => ({
  recap: uri(recap.uri),
  meeting: uri(recap.event_uri),
  // A host may name one meeting after its guest.
  meeting_name: text(recap.event_name),
  start_time: time(recap.event_start_time),
  end_time: time(recap.event_end_time),
  attendees: recap.attendees.map(({ name, email, is_host }) => ({ person: person({ email, name }), is_host })),
  created_at: time(recap.created_at),
});
