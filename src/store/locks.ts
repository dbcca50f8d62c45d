// Locks that transactions hold until they end. Each has one purpose; a transaction that takes several takes them in this order.
import type { Unit } from './contract.ts';

/** For transactions that append to the log or change its entries, so that `seq` rises in order of commit. */
export const lockLog = ({ db, engine }: Unit): Promise<void> => engine.lock(db, 'log');

/** For transactions that read a value of the program's own state in order to change it. Another key is not held up. */
export const lockKey = ({ db, engine }: Unit, key: string): Promise<void> => engine.lock(db, { key });

/** For the one process that installs views. */
export const lockViews = ({ db, engine }: Unit): Promise<void> => engine.lock(db, 'views');
