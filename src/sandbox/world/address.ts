// E-mail addresses: who is meant by one.

/** Addresses differ by letter case only when somebody mistypes: they are kept as written, and compared without it. */
export const addressKey = (email: string): string => email.toLowerCase();

export const isSameAddress = (a: string, b: string): boolean => addressKey(a) === addressKey(b);
