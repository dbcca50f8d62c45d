// The name of a time zone, as requests give it.
import { z } from 'zod';

export const timezoneName = z.string().refine(isZone, 'expected an IANA time zone');

function isZone(name: string): boolean {
  // Intl takes offsets such as +02:00 too, also with a minus sign (U+2212); they are no zones.
  if (!/^[a-z]/i.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
