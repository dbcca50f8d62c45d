// What the service says when it refuses: bodies, the statuses each endpoint documents, and its permission messages.
import { z } from 'zod';
import type { ApiScope } from './api-scope.ts';

export const errorDetail = z.looseObject({
  message: z.string(),
  parameter: z.string().nullish(),
  code: z.string().nullish(),
});

export const errorBody = z.looseObject({
  title: z.string(),
  message: z.string(),
  details: z.array(errorDetail).nullish(),
});

export const insufficientScopeBody = errorBody.extend({ required_scopes: z.array(z.string()) });

export type ErrorBody = z.output<typeof errorBody>;

/** Documented for 401, 404, 409, 500 and 503, and as the title of most 400s: it does not mean a server error. */
export const commonError = {
  title: 'Internal Server Error',
  message: 'The server encountered an unexpected condition that prevented it from fulfilling the request.',
} as const;

/** 400: the title documented for all but the invitation endpoint; the message is ours (A16). */
export const invalidArgument = { title: commonError.title, message: 'The supplied parameters are invalid.' } as const;

/** 429 is not shown (A16). */
export const rateLimited = { title: 'Too Many Requests', message: 'The rate limit was exceeded.' } as const;

export const insufficientScope = {
  title: 'Insufficient scope',
  message: "This operation requires the scopes listed in the 'required_scopes' array.",
} as const;

/** Shown in the wild for a second subscription to the same URL (A6b); the specification gives `commonError`. */
export const alreadyExists = { title: 'Already Exists', message: 'Hook with this url already exists' } as const;

/** The `code` of the detail that says what exists already. */
export const alreadyExistsCode = 'already_exists';

export const permissionDeniedTitle = 'Permission Denied';

const noAccess = 'You do not have permission to access this resource.';
const noPermission = 'You do not have permission';

/** Only the two above are quoted by the specification; it paraphrases the others, so their wording is ours (A11). */
export const permissionMessages = {
  'POST /organizations/<uuid>/invitations': {
    seats: 'All seats of this account are used. Please add more seats.',
    trial: 'All invitations of this trial account are used.',
    role: noPermission,
    scim: 'This action is not allowed for an organization with SCIM enabled.',
  },
  'GET /contacts': {
    enterprise: 'Please upgrade your account to the enterprise level.',
    role: noAccess,
    plan: 'Please upgrade your account to a paid plan.',
    features: 'Contact creation is unavailable because required features are disabled.',
  },
  'POST /webhook_subscriptions': {
    plan: 'Please upgrade your account to the standard level.',
    resource: noAccess,
    role: noPermission,
  },
  'POST /invitees': {
    resource: noAccess,
    role: noPermission,
    plan: 'The scheduling interface is available only on paid plans.',
  },
} as const;

/** The titles and messages of the public service by status, where the specification gives `commonError`. */
export const publicErrors: Readonly<Record<number, Pick<ErrorBody, 'title' | 'message'>>> = {
  400: { ...invalidArgument, title: 'Invalid Argument' },
  401: { title: 'Unauthenticated', message: 'The access token is invalid' },
  404: { title: 'Resource Not Found', message: 'The server could not find the requested resource.' },
  409: alreadyExists,
};

/** What the public service says when it does not cancel a meeting. */
export const cancellationMessages = {
  role: 'You are not allowed to cancel this event',
  over: 'Event in the past',
  canceled: 'Event is already canceled',
} as const;

/** The public service, of a user elsewhere whose availability is asked for. */
export const userOfOrganizationMessage = 'This user is not in your organization';

/** What the public service says when it does not remove a user from an organization. */
export const removalMessages = {
  role: 'You do not have permission to perform this action',
  owner: 'You can not change owner role',
  self: 'You can not remove yourself from organization',
  elsewhere: 'You cannot modify members from another organization',
  scim: 'You cannot perform this action for an organization with SCIM enabled.',
} as const;

/** 400 of the public service, for an invitation that cannot be withdrawn any more. */
export const alreadyAccepted = {
  title: 'Invitation Already Accepted',
  message: 'The invitation has already been accepted.',
} as const;

const contactMessages = permissionMessages['GET /contacts'];
const publicPlan = 'Please upgrade to a paid Calendly account.';

/** What the public service says in place of our permission messages. */
export const publicMessages: ReadonlyMap<string, string> = new Map([
  [contactMessages.enterprise, 'Please upgrade your Calendly account to Enterprise.'],
  [contactMessages.plan, publicPlan],
  [contactMessages.features, 'Contact creation is not available. Required features are not enabled for your account.'],
  [permissionMessages['POST /webhook_subscriptions'].plan, publicPlan],
]);

export type Endpoint = keyof typeof permissionMessages;

export const documentedStatuses = {
  'POST /organizations/<uuid>/invitations': [400, 401, 403, 404, 500],
  'GET /contacts': [400, 401, 403, 404, 500],
  'POST /webhook_subscriptions': [400, 401, 403, 404, 409, 503],
  'POST /invitees': [400, 401, 403, 404, 500],
} as const satisfies Record<Endpoint, readonly number[]>;

export const endpointScopes = {
  'POST /organizations/<uuid>/invitations': 'organizations:write',
  'GET /contacts': 'contacts:read',
  'POST /webhook_subscriptions': 'webhooks:write',
  'POST /invitees': 'scheduled_events:write',
} as const satisfies Record<Endpoint, ApiScope>;
