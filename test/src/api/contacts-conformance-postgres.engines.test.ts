// What the specification says of GET /contacts is true of the mirror on PostgreSQL.
import { storeEngines } from '../../harness/stores.ts';
import { tryRowsOnMirror } from './contacts-conformance.ts';

await tryRowsOnMirror(storeEngines[1]);
