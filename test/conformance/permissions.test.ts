// Conformance: every message of permission denied, provoked over HTTP.
import { beforeEach } from 'vitest';
import { type Answer, type CallOptions } from '../harness/sandbox.ts';
import { openBooker, type Booker } from '../harness/sandbox/bookings.ts';
import { answers, denied, hookOf, noAccess, noRight, organizationOf } from './answers.ts';
import { openForRows, rows } from './rows.ts';

let account: Record<string, unknown>;
let booker: Booker;
const sandbox = openForRows({ rateLimits: false }, async (opened) => {
  booker = await openBooker(opened);
  const { plan, trial, seats, trial_invitations, scim, contacts_feature } = (await opened.control('GET', '/plan')).body;
  account = { plan, trial, seats, trial_invitations, scim, contacts_feature };
});
beforeEach(async () => {
  await set(account);
  await setRole('user');
});

const set = (changes: Record<string, unknown>): Promise<void> =>
  answers(sandbox.control('POST', '/plan', changes), 200, changes);
const setRole = (role: 'user' | 'admin' | 'owner'): Promise<Answer> =>
  sandbox.control('POST', '/roles', { user: sandbox.handles.users.member, role });

type Caller = NonNullable<CallOptions['as']>;
type Call = (as?: Caller) => Promise<Answer>;

let made = 0;
const invite: Call = (as = 'owner') =>
  sandbox.call('POST', `${sandbox.handles.organization}/invitations`, {
    as,
    body: { email: `guest.${(made += 1)}@example.test` },
  });
const subscribe = (as: Caller = 'owner', more: object = {}): Promise<Answer> =>
  sandbox.call('POST', '/webhook_subscriptions', { as, body: hookOf(sandbox, more) });
const book: Call = (as = 'owner') => booker.book({}, { as });

/** Shows that an account is refused with this message while it is as the first changes say, and not after the others. */
async function refuses(
  call: Call,
  message: string,
  [refusing, allowing]: readonly [Record<string, unknown>, Record<string, unknown>],
): Promise<void> {
  await set(refusing);
  await answers(call(), 403, denied(message));
  await set(allowing);
  await answers(call(), 201);
}
/** Shows that a member is refused in these words, and not any more in the other role. */
async function refusesMember(call: Call, refusal: object, role: 'admin' | 'owner' = 'admin'): Promise<void> {
  await answers(call('member'), 403, refusal);
  await setRole(role);
  await answers(call('member'), 201);
}

rows({
  'Permission denied, invitations | seat allotment of the account is used up (asks for more seats)': () =>
    refuses(invite, 'All seats of this account are used. Please add more seats.', [{ seats: 1 }, account]),
  'Permission denied, invitations | trial-account invitation allotment used up': async () => {
    await answers(invite(), 201);
    const trial = (trial_invitations: number) => ({ trial: true, trial_invitations });
    await refuses(invite, 'All invitations of this trial account are used.', [trial(1), trial(1000)]);
  },
  'Permission denied, invitations | `You do not have permission`': async () => {
    await answers(invite('enterprise'), 403, noRight);
    await refusesMember(invite, noRight);
  },
  'Permission denied, invitations | action not allowed for an organization with SCIM enabled': () => {
    const message = 'This action is not allowed for an organization with SCIM enabled.';
    return refuses(invite, message, [{ scim: true }, { scim: false }]);
  },
  'Permission denied, webhook creation | account must be upgraded to the standard level': () =>
    refuses(subscribe, 'Please upgrade your account to the standard level.', [{ plan: 'free' }, { plan: 'standard' }]),
  'Permission denied, webhook creation | `You do not have permission to access this resource.`': async () => {
    const elsewhere = { organization: await organizationOf(sandbox, 'enterprise') };
    await answers(subscribe('owner', elsewhere), 403, noAccess);
    await answers(subscribe('enterprise', elsewhere), 201);
  },
  'Permission denied, webhook creation | `You do not have permission`': () =>
    refusesMember(subscribe, noRight, 'owner'),
  'Permission denied, invitees creation | `You do not have permission to access this resource.`': async () => {
    await answers(book('enterprise'), 403, noAccess);
    await answers(book('owner'), 201);
  },
  'Permission denied, invitees creation | `You do not have permission`': () => refusesMember(book, noRight),
  'Permission denied, invitees creation | the scheduling interface is available only on paid plans': () => {
    const message = 'The scheduling interface is available only on paid plans.';
    return refuses(book, message, [{ plan: 'free' }, { plan: 'standard' }]);
  },
});
