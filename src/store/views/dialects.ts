// The registry of view dialects by store engine.
import type { StoreEngine } from '../contract.ts';
import type { ViewDialect } from './dialect.ts';
import { postgresDialect } from './postgres-dialect.ts';
import { sqliteDialect } from './sqlite-dialect.ts';

export const viewDialects: Readonly<Record<StoreEngine['name'], ViewDialect>> = {
  sqlite: sqliteDialect,
  postgres: postgresDialect,
};
