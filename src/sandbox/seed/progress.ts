// Reports the progress of seeding a large world, once per second; a small one is seeded before the first report.

/** `done` of `all` steps are done. */
export type Progress = (done: number, all: number) => void;

const everyMs = 1000;

export function createProgress(
  report: (line: string) => void,
  nowMs: () => number = () => performance.now(),
): Progress {
  let reportedMs = nowMs();
  return (done, all) => {
    const now = nowMs();
    if (now - reportedMs < everyMs) return;
    reportedMs = now;
    report(`Seeding the world: ${Math.floor((done / all) * 100)} %`);
  };
}
