// What a seeded contact is known by: its URI, its addresses and its numbers, each of which leads back to its row.
import type { ContactEntry } from '#src/sandbox/world/contacts/contact-entry.ts';
import { chosen, createCode, fraction } from './row-permutation.ts';
import type { Words } from './contacts-columns.ts';

export interface Names {
  uri(row: number): string;
  emails(row: number): ContactEntry['emails'];
  phones(row: number): ContactEntry['phone_numbers'];
  linkedin(row: number): string | null;
  rowOf(what: 'uri' | 'email' | 'phone_number', name: string): number | undefined;
}

export interface NamesPlan {
  readonly seed: number;
  readonly size: number;
  readonly baseUrl: string;
}

const forms = {
  uri: /\/contacts\/([0-9a-f]{8})-[0-9a-f-]{27}$/,
  email: /\.([0-9a-z]{4})@/,
  phone_number: /^\+1\d{3}555(\d{7})$/,
} as const;
const radix = { uri: 16, email: 36, phone_number: 10 } as const;

export function createNames({ seed, size, baseUrl }: NamesPlan, wordsOf: (row: number) => Words): Names {
  const codes = { uri: createCode(seed, 16), email: createCode(seed + 1, 10), phone_number: createCode(seed + 2, 10) };
  const share = (purpose: number, row: number): number => fraction(seed, purpose, row);
  const hex = (purpose: number, row: number): string => chosen(seed, purpose, row).toString(16).padStart(8, '0');

  function uri(row: number): string {
    const [a, b, c] = [hex(41, row), hex(42, row), hex(43, row)];
    const head = codes.uri.encode(row).toString(16).padStart(8, '0');
    return `${baseUrl}/contacts/${head}-${a.slice(0, 4)}-4${a.slice(5)}-8${b.slice(1, 4)}-${b.slice(4)}${c}`;
  }
  function emails(row: number): ContactEntry['emails'] {
    const { firstName, lastName } = wordsOf(row);
    const box = `${mailbox(firstName ?? 'hello')}.${mailbox(lastName ?? 'team')}`;
    const code = codes.email.encode(row).toString(36).padStart(4, '0');
    const primary = { email: `${box}.${code}@example.test`, is_primary: true };
    const second = { email: `${box}.${code}@home.example.test`, is_primary: false };
    return share(44, row) < 0.12 ? [primary, second] : [primary];
  }
  /** Of the length of a number, but longer than any in use behind this prefix: nobody's telephone rings. */
  function phones(row: number): ContactEntry['phone_numbers'] {
    const digits = String(codes.phone_number.encode(row)).padStart(7, '0');
    const [mobile, desk] = [{ phone_number: `+1202555${digits}` }, { phone_number: `+1303555${digits}` }];
    return share(45, row) < 0.15 ? [] : share(46, row) < 0.08 ? [mobile, desk] : [mobile];
  }
  const namesOf = {
    uri: (row: number) => [uri(row)],
    email: (row: number) => emails(row).map(({ email }) => email),
    phone_number: (row: number) => phones(row).map(({ phone_number }) => phone_number),
  };

  return {
    uri,
    emails,
    phones,
    linkedin: (row) =>
      share(47, row) < 0.6 ? `https://network.example.test/in/${codes.email.encode(row).toString(36)}` : null,
    rowOf(what, name) {
      const digits = forms[what].exec(name)?.[1];
      if (digits === undefined) return undefined;
      const row = codes[what].decode(Number.parseInt(digits, radix[what]));
      // Only the code was read. A name that is merely like one is not one.
      return row < size && namesOf[what](row).includes(name) ? row : undefined;
    },
  };
}

const letters: Readonly<Record<string, string>> = { ø: 'o', ł: 'l', ı: 'i', ß: 'ss', æ: 'ae' };

function mailbox(name: string): string {
  return name
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/[øłıßæ]/g, (letter) => letters[letter] ?? '')
    .replaceAll(/[^a-z]/g, '');
}
