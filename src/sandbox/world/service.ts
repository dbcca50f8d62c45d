// What every rule of the service works with: its records, its clock, its random choices, and a way to emit facts to subscribers.
import type { EventKind } from '#schemas/events.ts';
import type { JsonObject } from '#schemas/wire.ts';
import { notFound } from '#src/http/http-error.ts';
import type { Random } from '#src/sandbox/random.ts';
import type { Clock } from '#src/sandbox/clock.ts';
import type { ActivityLogEntryResource } from '#schemas/resources/activity-log.ts';
import type { CustomFieldDefinitionResource } from '#schemas/resources/contact.ts';
import type { EventTypeResource } from '#schemas/resources/event-type.ts';
import type { GroupResource } from '#schemas/resources/group.ts';
import type { InviteeResource } from '#schemas/resources/invitee.ts';
import type { MeetingRecapResource, TranscriptResource } from '#schemas/resources/meeting-recap.ts';
import type { InvitationResource } from '#schemas/resources/organization-invitation.ts';
import type {
  RoutingFormResource,
  RoutingFormSubmissionResource,
  RoutingResult,
} from '#schemas/resources/routing-form.ts';
import type { ScheduledEventResource } from '#schemas/resources/scheduled-event.ts';
import type { MembershipResource, UserResource } from '#schemas/resources/user.ts';
import type { WebhookSubscriptionResource } from '#schemas/resources/webhook-subscription.ts';
import { addressKey, type ContactCollection } from '#src/sandbox/world/contacts/contact-entry.ts';
import { createIndexedCollection } from './indexed-collection.ts';

/** Something that happened, sent to the subscriptions it concerns. */
export interface Fact {
  readonly event: EventKind;
  /** The envelope's `created_at`. */
  readonly at: string;
  readonly payload: JsonObject;
  readonly organization: string;
  /** The users it belongs to: the hosts of a meeting, the owner of a contact. */
  readonly users: readonly string[];
}

export const forms = ['specification', 'public'] as const;

/** How the world is shown to callers and subscribers: as the specification says, or as the public service does where it differs. */
export type Form = (typeof forms)[number];

export interface ServiceOptions {
  readonly baseUrl: string;
  readonly seed: number;
  /** A control changes it while the sandbox runs. */
  as: Form;
  /** Accepts `event_type.*` in subscriptions, as the public service does and the specification's enum does not (A6c). */
  readonly eventTypes: boolean;
  /** Off for benchmarks. */
  readonly rateLimits: boolean;
}

export interface Service {
  readonly options: ServiceOptions;
  readonly state: State;
  readonly clock: Clock;
  /** One sequence of random choices for the whole run: the same calls in the same order make the same choices. */
  readonly random: Random;
  emit(fact: Fact): void;
}

export function newUri({ options, random }: Pick<Service, 'options' | 'random'>, path: string): string {
  return `${options.baseUrl}/${path}/${random.uuid()}`;
}

/** The record, or else a 404 that names the `parameter` of the request. */
export function found<Item>(item: Item | undefined, what: string, parameter?: string): Item {
  if (item === undefined) throw notFound(`No such ${what}.`, parameter);
  return item;
}

/** The fields that are not undefined: what a request leaves out overwrites nothing. */
export function given<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  const defined: object = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  return defined;
}

export const plans = ['free', 'standard', 'teams', 'enterprise'] as const;
export type Plan = (typeof plans)[number];

/** `enterprise_only`: contacts require the enterprise plan, as on some accounts. */
export const contactsFeatures = ['enabled', 'disabled', 'enterprise_only'] as const;

export interface Account {
  readonly plan: Plan;
  readonly trial: boolean;
  readonly seats: number;
  readonly trial_invitations: number;
  readonly scim: boolean;
  readonly contacts_feature: (typeof contactsFeatures)[number];
}

export type Organization = Account & { readonly uri: string; readonly name: string };

// Stored records have fields that the API does not return.
export type StoredSubscription = WebhookSubscriptionResource & { readonly signingKey: string | null };
export type StoredGroup = GroupResource & { readonly members: readonly string[] };
export type StoredDefinition = CustomFieldDefinitionResource & { readonly organization: string };
export type StoredForm = RoutingFormResource & {
  /** The result of a submission by the answer to the last question; the first is the default. */
  readonly routes: readonly { readonly answer: string; readonly result: RoutingResult }[];
};

export interface StoredEventType extends EventTypeResource {
  /** Of one meeting. */
  readonly seats: number;
  readonly hosts: readonly string[];
  readonly price: number | null;
  /** In minutes, for the invitee to choose from; shown in the public form. */
  readonly duration_options: readonly number[] | null;
  /** Invitees are asked to reconfirm. */
  readonly reconfirms: boolean;
}

/** A link that books an event type once. */
export interface StoredLink {
  readonly url: string;
  readonly eventType: string;
  readonly endsMs: number;
  /** The invitee who booked. */
  readonly usedBy: string | null;
}

export const hostDay = (user: string, instant: string): string => `${user} ${instant.slice(0, 10)}`;

export const slotOf = (eventType: string, startTime: string): string => `${eventType} ${startTime}`;

export type State = ReturnType<typeof createState>;

const byCreation = { created: ({ created_at }: { readonly created_at: string }) => created_at };
const byOrganization = { organization: ({ organization }: { readonly organization: string }) => [organization] };

export function createState() {
  return {
    organizations: new Map<string, Organization>(),
    contacts: new Map<string, ContactCollection>(),
    deletedContacts: new Map<string, { uri: string; deleted_at: string; organization: string }>(),
    users: createIndexedCollection<UserResource, 'created'>({ orders: byCreation }),
    memberships: createIndexedCollection<MembershipResource, 'created', 'organization' | 'user'>({
      orders: byCreation,
      groups: { ...byOrganization, user: ({ user }) => [user] },
    }),
    groups: createIndexedCollection<StoredGroup, 'created'>({ orders: byCreation }),
    definitions: createIndexedCollection<StoredDefinition, 'created', 'organization'>({
      orders: byCreation,
      groups: byOrganization,
    }),
    eventTypes: createIndexedCollection<StoredEventType, 'name' | 'position' | 'created' | 'updated'>({
      orders: {
        ...byCreation,
        name: ({ name }) => name ?? '',
        position: ({ position }) => String(position).padStart(6, '0'),
        updated: ({ updated_at }) => updated_at,
      },
    }),
    scheduledEvents: createIndexedCollection<ScheduledEventResource, 'start', 'host_day' | 'slot'>({
      orders: { start: ({ start_time }) => start_time },
      // Both contain active meetings only.
      groups: {
        host_day: ({ status, event_memberships, start_time }) =>
          status === 'active' ? event_memberships.map(({ user }) => hostDay(user, start_time)) : [],
        slot: ({ status, event_type, start_time }) => (status === 'active' ? [slotOf(event_type, start_time)] : []),
      },
    }),
    /** Meetings without a link yet: when each was booked, by URI, in this order. */
    conferencesInProcess: new Map<string, number>(),
    invitees: createIndexedCollection<InviteeResource, 'created', 'event' | 'email'>({
      orders: byCreation,
      groups: { event: ({ event }) => [event], email: ({ email }) => [addressKey(email)] },
    }),
    recaps: createIndexedCollection<MeetingRecapResource, 'start', 'event'>({
      orders: { start: ({ start_time }) => start_time },
      groups: { event: ({ event }) => (event === null ? [] : [event]) },
    }),
    /** By the recap's URI. */
    transcripts: new Map<string, TranscriptResource>(),
    activity: createIndexedCollection<ActivityLogEntryResource, 'occurred'>({
      orders: { occurred: ({ occurred_at }) => occurred_at },
    }),
    /** By their address. */
    schedulingLinks: new Map<string, StoredLink>(),
    routingForms: createIndexedCollection<StoredForm, 'created'>({ orders: byCreation }),
    submissions: createIndexedCollection<RoutingFormSubmissionResource, 'created'>({ orders: byCreation }),
    invitations: createIndexedCollection<InvitationResource, 'created', 'organization'>({
      orders: byCreation,
      groups: byOrganization,
    }),
    subscriptions: createIndexedCollection<StoredSubscription, 'created', 'organization'>({
      orders: byCreation,
      groups: byOrganization,
    }),
  };
}

export function eventTypesOf(state: State, organization: string): readonly StoredEventType[] {
  return [...state.eventTypes.values()].filter(({ hosts }) =>
    hosts.some((host) => state.users.get(host)?.current_organization === organization),
  );
}
