// The registry of view dialects by store engine.
import type { StoreEngine } from '#src/store/contract.ts';
import type { ViewDialect } from './dialect.ts';
import { postgresDialect } from '#src/store/engines/postgres-view-dialect.ts';
import { sqliteDialect } from '#src/store/engines/sqlite-view-dialect.ts';

export const viewDialects: Readonly<Record<StoreEngine['name'], ViewDialect>> = {
  sqlite: sqliteDialect,
  postgres: postgresDialect,
};
