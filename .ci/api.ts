// `npm run api`: writes api.d.ts, the types of everything that programs can import.
import { writeFileSync } from 'node:fs';
import { apiDeclarations } from './api-declarations.ts';

writeFileSync('api.d.ts', apiDeclarations());
