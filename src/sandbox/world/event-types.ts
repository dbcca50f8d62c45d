// Event types: created, updated and deleted, each with a fact for subscribers (A23).
import { isDeepStrictEqual } from 'node:util';
import type { EventTypeChange, EventTypeRequest } from '#schemas/event-type-request.ts';
import type { EventKind } from '#schemas/events.ts';
import type { EventTypeResource } from '#schemas/resources/event-type.ts';
import type { UserResource } from '#schemas/resources/user.ts';
import { newUri, type Service } from './service.ts';
import { eventTypesOf, type State, type StoredEventType } from './state.ts';

/** The record as the API returns it. */
export function eventTypeRecord(eventType: StoredEventType): EventTypeResource {
  const { seats: _seats, hosts: _hosts, price: _price, reconfirms: _reconfirms, ...record } = eventType;
  return record;
}

/** The organization of these hosts. */
export function organizationOf(state: State, [user = '']: readonly string[]): string {
  return state.users.get(user)?.current_organization ?? '';
}

export interface NewEventType {
  readonly owner: UserResource;
  /** By URI; users of the owner's organization. */
  readonly hosts: readonly string[];
  readonly request: EventTypeRequest;
}

const groupSeats = 10;

export function createEventType(service: Service, { owner, hosts, request }: NewEventType): StoredEventType {
  const { state, options, clock } = service;
  const now = clock.tick();
  const uri = newUri(service, 'event_types');
  const organization = state.organizations.get(owner.current_organization);
  const isTeam = hosts.length > 1;
  const slug = slugOf(request.name) || uri.slice(-12);
  const eventType: StoredEventType = {
    uri,
    name: request.name,
    active: true,
    slug,
    scheduling_url: `${options.baseUrl}/pages/${owner.slug}/${slug}`,
    duration: request.duration,
    kind: request.kind,
    pooling_type: request.pooling_type,
    type: 'StandardEventType',
    color: '#0a7d8c',
    created_at: now,
    updated_at: now,
    internal_note: null,
    description_plain: null,
    description_html: null,
    profile: {
      type: isTeam ? 'Team' : 'User',
      name: isTeam ? (organization?.name ?? owner.name) : owner.name,
      owner: owner.uri,
    },
    secret: false,
    booking_method: 'instant',
    custom_questions: [],
    deleted_at: null,
    admin_managed: false,
    locations: null,
    position: eventTypesOf(state, owner.current_organization).length,
    locale: 'en',
    ...changesOf(request),
    seats: request.kind === 'group' ? (request.seats ?? groupSeats) : 1,
    hosts,
    price: null,
    reconfirms: false,
  };
  state.eventTypes.put(eventType);
  emitEventType(service, 'event_type.created', eventType);
  return eventType;
}

/** An update without a change leaves `updated_at` alone and emits nothing. */
export function updateEventType(
  service: Service,
  eventType: StoredEventType,
  change: EventTypeChange,
): StoredEventType {
  const changed: StoredEventType = { ...eventType, ...changesOf(change) };
  if (isDeepStrictEqual(changed, eventType)) return eventType;
  const updated = { ...changed, updated_at: service.clock.tick() };
  service.state.eventTypes.put(updated);
  emitEventType(service, 'event_type.updated', updated);
  return updated;
}

/** Its meetings remain. */
export function deleteEventType(service: Service, eventType: StoredEventType): void {
  const now = service.clock.tick();
  service.state.eventTypes.delete(eventType.uri);
  emitEventType(service, 'event_type.deleted', { ...eventType, active: false, updated_at: now, deleted_at: now });
}

/** The fields of the record that a request sets; the others are unchanged. */
function changesOf({ custom_questions, description_plain, ...change }: EventTypeChange): Partial<EventTypeResource> {
  const { name, duration, active, color, internal_note, secret, locale, position, locations } = change;
  const described = description_plain === undefined ? {} : description(description_plain);
  return {
    ...(name !== undefined && { name }),
    ...(duration !== undefined && { duration }),
    ...(active !== undefined && { active }),
    ...(color !== undefined && { color }),
    ...(internal_note !== undefined && { internal_note }),
    ...(secret !== undefined && { secret }),
    ...(locale !== undefined && { locale }),
    ...(position !== undefined && { position }),
    ...(locations !== undefined && { locations }),
    ...described,
    ...(custom_questions !== undefined && { custom_questions: custom_questions.map(questionOf) }),
  };
}

type Question = EventTypeResource['custom_questions'][number];

function questionOf(asked: NonNullable<EventTypeChange['custom_questions']>[number], index: number): Question {
  return {
    name: asked.name,
    type: asked.type ?? 'text',
    position: asked.position ?? index,
    enabled: asked.enabled ?? true,
    required: asked.required ?? false,
    answer_choices: asked.answer_choices ?? [],
    include_other: asked.include_other ?? false,
  };
}

function description(plain: string | null): Pick<EventTypeResource, 'description_plain' | 'description_html'> {
  const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
  const html = plain?.replaceAll(/[&<>]/g, (sign) => entities[sign] ?? sign);
  return { description_plain: plain, description_html: html === undefined ? null : `<p>${html}</p>` };
}

const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');

function emitEventType(service: Service, event: EventKind, eventType: StoredEventType): void {
  service.emit({
    event,
    at: service.clock.tick(),
    payload: eventTypeRecord(eventType),
    organization: organizationOf(service.state, eventType.hosts),
    users: eventType.hosts,
  });
}
