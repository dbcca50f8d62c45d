// Who may work with contacts. They are the organization's and no request names a user, so all of it asks for an administrator.
import { permissionMessages } from '#schemas/errors.ts';
import { denied } from '#src/http/http-error.ts';
import { isPaid } from '#src/sandbox/world/organizations.ts';
import type { Caller } from './caller.ts';
import { isAdministrator } from './permissions.ts';

const messages = permissionMessages['GET /contacts'];

export function permitContacts(caller: Caller): void {
  const { contactsFeature, plan } = caller.organization;
  if (contactsFeature === 'disabled') throw denied(messages.features);
  if (!isPaid(caller.organization)) throw denied(messages.plan);
  if (contactsFeature === 'enterprise_only' && plan !== 'enterprise') throw denied(messages.enterprise);
  if (!isAdministrator(caller)) throw denied(messages.role);
}
