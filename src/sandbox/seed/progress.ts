// How far the making of a large world is: said once a second, so that a small one says nothing.

/** `done` of `all` steps are taken. */
export type Progress = (done: number, all: number) => void;

const everyMs = 1000;

export function createProgress(say: (line: string) => void, nowMs: () => number = () => performance.now()): Progress {
  let saidMs = nowMs();
  return (done, all) => {
    const now = nowMs();
    if (now - saidMs < everyMs) return;
    saidMs = now;
    say(`Making the world: ${Math.floor((done / all) * 100)} %`);
  };
}
