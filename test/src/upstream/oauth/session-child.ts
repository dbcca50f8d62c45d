// A process of its own that renews a login and tells its parent the token.
import { openSession, type SessionInput } from '#src/upstream/oauth/session.ts';
import { defaultNeeds } from '#src/upstream/clients.ts';

const [input = '', rejected = ''] = process.argv.slice(2);
const token = await openSession(defaultNeeds, JSON.parse(input) as SessionInput).renewed(rejected);
process.send?.(token, () => process.disconnect());
