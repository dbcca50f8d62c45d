// Event types: created, updated and deleted, each with a fact for subscribers (A23).
import { isDeepStrictEqual } from 'node:util';
import type { EventTypeChange, EventTypeRequest } from '#schemas/event-type-request.ts';
import type { EventTypeResource } from '#schemas/resources/event-type.ts';
import type { UserResource } from '#schemas/resources/user.ts';
import { logActivity } from './activity-log.ts';
import { eventTypePayload } from './payloads.ts';
import { given, newUri, eventTypesOf, type Service, type State, type StoredEventType } from './service.ts';

export function eventTypeRecord(eventType: StoredEventType): EventTypeResource {
  const {
    seats: _seats,
    hosts: _hosts,
    price: _price,
    duration_options: _options,
    reconfirms: _reconfirms,
    ...record
  } = eventType;
  return record;
}

export function organizationOf(state: State, [user = '']: readonly string[]): string {
  return state.users.get(user)?.current_organization ?? '';
}

export interface EventTypePlan extends Partial<StoredEventType> {
  readonly uri: string;
  readonly name: string;
  readonly duration: number;
  readonly created_at: string;
  readonly owner: UserResource;
  /** By URI; users of the owner's organization. */
  readonly hosts: readonly string[];
}

/** Stores an event type with the usual settings where the plan has none, without emitting a fact. */
export function addEventType({ state, options }: Service, { owner, ...plan }: EventTypePlan): StoredEventType {
  const organization = owner.current_organization;
  const teamName = plan.hosts.length > 1 ? (state.organizations.get(organization)?.name ?? owner.name) : undefined;
  const slug = slugOf(plan.name) || plan.uri.slice(-12);
  const eventType: StoredEventType = {
    active: true,
    slug,
    scheduling_url: `${options.baseUrl}/pages/${owner.slug}/${slug}`,
    kind: 'solo',
    pooling_type: null,
    type: 'StandardEventType',
    color: '#0a7d8c',
    updated_at: plan.created_at,
    internal_note: null,
    description_plain: null,
    description_html: null,
    profile: { type: teamName === undefined ? 'User' : 'Team', name: teamName ?? owner.name, owner: owner.uri },
    secret: false,
    booking_method: 'instant',
    custom_questions: [],
    deleted_at: null,
    admin_managed: false,
    locations: null,
    position: eventTypesOf(state, organization).length,
    locale: 'en',
    seats: 1,
    price: null,
    duration_options: null,
    reconfirms: false,
    ...plan,
  };
  state.eventTypes.put(eventType);
  return eventType;
}

export interface NewEventType extends Pick<EventTypePlan, 'owner' | 'hosts'> {
  readonly request: EventTypeRequest;
}

const groupSeats = 10;

export function createEventType(service: Service, { owner, hosts, request }: NewEventType): StoredEventType {
  const { owner: _owner, hosts: _hosts, kind, pooling_type, seats = groupSeats, ...fields } = request;
  const { name, duration } = fields;
  const eventType = addEventType(service, {
    uri: newUri(service, 'event_types'),
    created_at: service.clock.tick(),
    owner,
    hosts,
    kind,
    pooling_type,
    seats: kind === 'group' ? seats : 1,
    ...changesOf(fields),
    name,
    duration,
  });
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
function changesOf({ custom_questions, description_plain, ...change }: EventTypeChange) {
  return {
    ...given(change),
    ...(description_plain !== undefined && described(description_plain)),
    ...(custom_questions !== undefined && { custom_questions: custom_questions.map(questionOf) }),
  };
}

type Question = EventTypeResource['custom_questions'][number];

function questionOf(asked: NonNullable<EventTypeChange['custom_questions']>[number], position: number): Question {
  const usual = { position, enabled: true, required: false, answer_choices: [], include_other: false };
  return { type: 'text', ...usual, ...given(asked), name: asked.name };
}

export function described(plain: string | null): Pick<EventTypeResource, 'description_plain' | 'description_html'> {
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

const actions = {
  'event_type.created': 'Create',
  'event_type.updated': 'Update',
  'event_type.deleted': 'Delete',
} as const;

function emitEventType(service: Service, event: keyof typeof actions, eventType: StoredEventType): void {
  const organization = organizationOf(service.state, eventType.hosts);
  logActivity(service, {
    namespace: 'EventType',
    action: actions[event],
    organization,
    at: eventType.updated_at,
    actor: eventType.profile?.owner,
    details: { uri: eventType.uri, name: eventType.name ?? '' },
  });
  service.emit({
    event,
    at: service.clock.tick(),
    payload: eventTypePayload(service.options.as, eventType, eventTypeRecord(eventType)),
    organization,
    users: eventType.hosts,
  });
}
