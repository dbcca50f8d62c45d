// The address of a mail server: what is read from it, and what is wrong with it.
import { describe, expect, it } from 'vitest';
import { isMailAddress, readMailServer } from '#src/egress/smtp-url.ts';

describe('an SMTP address', () => {
  it('names host, port, TLS, login and sender', () => {
    expect(readMailServer('smtps://ops%40example.test:p%25w@mail.example.test')).toEqual({
      host: 'mail.example.test',
      port: 465,
      isSecure: true,
      login: { user: 'ops@example.test', pass: 'p%w' },
      from: 'ops@example.test',
    });
    expect(readMailServer('smtp://[::1]:2525?from=alerts@example.test')).toEqual({
      host: '::1',
      port: 2525,
      isSecure: false,
      login: undefined,
      from: 'alerts@example.test',
    });
    expect(readMailServer('smtp://mail.example.test')).toMatchObject({
      port: 587,
      from: 'slotstream@mail.example.test',
    });
  });

  it.each([
    ['no address', 'an address such as'],
    ['smtp://mail.example.test?to=x@example.test', 'only from=ADDRESS'],
    ['smtp://user:%@mail.example.test', 'every % written as %25'],
    ['smtp://mail.example.test?from=a@b,c@d', 'a sender'],
  ])('%s is refused with the reason', (text, reason) => {
    expect(readMailServer(text)).toContain(reason);
  });

  it('takes one plain address as a sender', () => {
    expect(['ada@example.test', 'a+b@localhost'].every(isMailAddress)).toBe(true);
    expect(['ada', 'a@b,c@d', 'Ada <ada@example.test>', 'a@b\r\nBcc: c@d'].some(isMailAddress)).toBe(false);
  });
});
