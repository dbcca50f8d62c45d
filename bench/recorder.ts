// Records the statements a store runs, so that a bare loop can write the very same rows.
import Sqlite from 'better-sqlite3';

export interface Recorded {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** Records every writing statement until disposed. */
export function recordWrites(): Disposable & { readonly writes: Recorded[] } {
  const writes: Recorded[] = [];
  const scratch = new Sqlite(':memory:');
  const prototype = Object.getPrototypeOf(scratch.prepare('select 1')) as {
    run(parameters: readonly unknown[]): unknown;
  };
  scratch.close();
  const original = prototype.run;
  prototype.run = function record(this: Sqlite.Statement, parameters: readonly unknown[]) {
    writes.push({ sql: this.source, parameters });
    return original.call(this, parameters);
  };
  return { writes, [Symbol.dispose]: () => void (prototype.run = original) };
}
