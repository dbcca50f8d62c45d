// Whether the invitee of a journey came, computed the plain way from the rows of recaps.
import type { Json } from '#src/store/columns.ts';
import type { StoredRow } from '#src/store/rows.ts';
import type { Contents } from '../harness/stores.ts';
import { listOf, lowered, textIn, type Journey } from './journeys.ts';

const plain = (text: Json | undefined): string =>
  typeof text === 'string' ? lowered(text.replaceAll(/^ +| +$/g, '')) : '';
const isHost = (one: Json): boolean => typeof one === 'object' && one !== null && 'host' in one && one.host === true;

export function attendedBy(
  { meeting_recaps = [] }: Contents,
  { last, outcome }: Pick<Journey, 'last' | 'outcome'>,
): { attendance: string | null; attendance_basis: string | null } {
  if (outcome === 'no_show') return { attendance: 'no_show', attendance_basis: textIn(last, 'no_show_uri') };
  if (outcome !== 'held') return { attendance: null, attendance_basis: null };
  const recaps = meeting_recaps
    .filter((recap) => recap['deleted_at'] === null && recap['event_uri'] === last['event_uri'])
    .toSorted((a, b) => (String(a['uri']) < String(b['uri']) ? -1 : 1));
  const [email, name] = [plain(last['email']), plain(last['name'])];
  const isThem = (given: string, by: string) => given !== '' && given === by;
  const speaks = ({ speakers }: StoredRow) =>
    listOf(speakers).some((each) => isThem(plain(each), email) || isThem(plain(each), name));
  const attends = ({ attendees }: StoredRow) =>
    listOf(attendees).some((one) => {
      if (isHost(one)) return false;
      const address = plain(textIn(one, 'user_email'));
      return address === '' ? isThem(plain(textIn(one, 'user_name')), name) : isThem(address, email);
    });
  const namesOthers = ({ attendees, speakers }: StoredRow) => {
    const hosts = listOf(attendees).filter(isHost);
    const names = hosts.flatMap((one) => [plain(textIn(one, 'user_email')), plain(textIn(one, 'user_name'))]);
    const isOther = (speaker: Json) => plain(speaker) !== '' && !names.includes(plain(speaker));
    return hosts.length < listOf(attendees).length || listOf(speakers).some(isOther);
  };
  const basis = (found: StoredRow | undefined) => found && String(found['uri']);
  const spoke = basis(recaps.find(speaks));
  if (spoke !== undefined) return { attendance: 'confirmed', attendance_basis: spoke };
  const listed = basis(recaps.find(attends));
  if (listed !== undefined) return { attendance: 'likely', attendance_basis: listed };
  const alone = basis(recaps.find(({ attendees }) => listOf(attendees).length > 0));
  if (alone !== undefined && !recaps.some(namesOthers))
    return { attendance: 'suspected_no_show', attendance_basis: alone };
  return { attendance: 'unconfirmed', attendance_basis: null };
}
