// What fault runs send: contacts that change, out of order, twice, and with unreadable bodies in between.

const service = 'https://api.example.test';
const epoch = Date.UTC(2025, 0, 1);

export interface Story {
  readonly contacts: number;
  /** How many deliveries about each, every one with another `updated_at`. */
  readonly versions: number;
  /** Keeps stories apart. */
  readonly name?: string;
}

/** One in 25 is of an unknown kind or no JSON at all, and every tenth comes twice. */
export function* contactStory({ contacts, versions, name = 'story' }: Story): Generator<string> {
  const count = contacts * versions;
  for (let n = 0; n < count; n += 1) {
    // A step that shares no divisor with the count visits every place once.
    const place = (n * 7919) % count;
    const body = contactDelivery({ id: `${name}-${place % contacts}`, version: Math.floor(place / contacts) });
    yield body;
    if (n % 10 === 3) yield body;
    const unknown = { event: 'contact.merged', created_at: timeOf(n), payload: { uri: contactUri(`x${n}`) } };
    if (n % 50 === 7) yield JSON.stringify(unknown);
    if (n % 50 === 32) yield `{"event": "contact.updated", no JSON ${name} ${n}`;
  }
}

/** As much of a story as there is time for. */
export function* whilst(goesOn: () => boolean, story: Iterable<string>): Generator<string> {
  for (const body of story) {
    if (!goesOn()) return;
    yield body;
  }
}

export function contactDelivery({ id, version, more = {} }: { id: string; version: number; more?: object }): string {
  return JSON.stringify({
    event: version === 0 ? 'contact.created' : 'contact.updated',
    created_at: timeOf(version * 60),
    created_by: `${service}/users/u1`,
    payload: {
      uri: contactUri(id),
      name: `Name ${id} ${version}`,
      emails: [{ email: `v${version}@example.test`, is_primary: true }],
      phone_numbers: [],
      company: version % 2 === 0 ? `Company ${version}` : null,
      custom_fields: [],
      created_at: timeOf(0),
      updated_at: timeOf(version * 60),
      ...more,
    },
  });
}

export const contactUri = (id: string): string => `${service}/contacts/${id}`;
const timeOf = (seconds: number): string => new Date(epoch + seconds * 1000).toISOString();
