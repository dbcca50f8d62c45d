// The invitee a control is about, by either of the words people try: `uri` or `invitee`.
import type { InviteeResource } from '#schemas/resources/invitee.ts';
import { omittable, uri } from '#schemas/wire.ts';
import { invalid } from '#src/http/http-error.ts';
import { inviteeNamed } from '#src/sandbox/world/bookings/bookings.ts';
import type { Service } from '#src/sandbox/world/service.ts';

type Word = 'uri' | 'invitee';

export const whichInvitee = { uri: omittable(uri), invitee: omittable(uri) };

/** `usual` is the word the control is documented with. */
export function demandInvitee(
  service: Service,
  given: { readonly [Name in Word]?: string | undefined },
  usual: Word,
): InviteeResource {
  const other: Word = usual === 'uri' ? 'invitee' : 'uri';
  const parameter = given[usual] === undefined && given[other] !== undefined ? other : usual;
  const named = given[parameter];
  if (named === undefined) throw invalid({ message: 'required', parameter });
  if ((given[other] ?? named) !== named) throw invalid({ message: `not the same as ${usual}`, parameter: other });
  return inviteeNamed(service, { uri: named, parameter });
}
