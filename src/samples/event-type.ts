// An event type: what can be booked, as the service describes it.
import { pagesUrl, wireTime } from './sample.ts';
import type { JsonRecord } from './sample.ts';
import type { Offer } from './sample-organization.ts';

export interface OfferTimes {
  readonly createdMs: number;
  readonly updatedMs: number;
  readonly deletedMs?: number;
}

export function eventTypeRecord(offer: Offer, { createdMs, updatedMs, deletedMs }: OfferTimes): JsonRecord {
  return {
    uri: offer.uri,
    name: offer.name,
    active: deletedMs === undefined,
    slug: offer.slug,
    scheduling_url: `${pagesUrl}/northwind/${offer.slug}`,
    duration: offer.minutes,
    kind: offer.kind,
    pooling_type: offer.poolingType,
    type: 'StandardEventType',
    color: '#0a7d8c',
    created_at: wireTime(createdMs),
    updated_at: wireTime(updatedMs),
    internal_note: null,
    description_plain: `${offer.minutes} minutes with our team.`,
    description_html: `<p>${offer.minutes} minutes with our team.</p>`,
    profile: { type: 'User', name: offer.host.name, owner: offer.host.uri },
    secret: false,
    booking_method: offer.poolingType === null ? 'instant' : 'poll',
    custom_questions: [
      {
        name: 'What would you like to talk about?',
        type: 'text',
        position: 0,
        enabled: true,
        required: true,
        answer_choices: [],
        include_other: false,
      },
    ],
    deleted_at: deletedMs === undefined ? null : wireTime(deletedMs),
    admin_managed: false,
    locations: [{ kind: offer.location }],
    position: 0,
    locale: 'en',
  };
}
