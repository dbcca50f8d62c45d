// An address leads to one contact, and stands on it once, whatever its letter case (A18).
import { invalid } from '#src/http/http-error.ts';
import { addressKey } from './address.ts';
import type { ContactBook } from './contacts-collection.ts';
import type { ContactDetails } from './contact-entry.ts';

interface Claim {
  readonly emails: ContactDetails['emails'];
  /** The URI of the contact they are written on; none when one is made. */
  readonly contact?: string;
}

export function refuseTakenEmails(book: ContactBook, { emails, contact }: Claim): void {
  const keys = emails.map(({ email }) => addressKey(email));
  const complaints = emails.flatMap(({ email }, index) => {
    const parameter = `emails.${index}.email`;
    const other = book.byEmail(email);
    if (other !== undefined && other.uri !== contact)
      return [{ message: 'another contact has this address', parameter }];
    return keys.indexOf(addressKey(email)) < index ? [{ message: 'this address is given twice', parameter }] : [];
  });
  if (complaints.length > 0) throw invalid(...complaints);
}
