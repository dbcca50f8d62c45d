// Processes that tests start end with the process of the test, however it ends.
import type { ChildProcess } from 'node:child_process';

const alive = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});

export function endWithThisProcess<Child extends ChildProcess>(child: Child): Child {
  alive.add(child);
  child.once('close', () => alive.delete(child));
  return child;
}
