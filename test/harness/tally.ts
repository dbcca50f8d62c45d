// The last line of a test run, plain enough for a machine to read: "N passed, N failed".
import type { Reporter, TestModule } from 'vitest/node';

export const tally: Reporter = {
  onTestRunEnd(modules, unhandledErrors) {
    const states = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state));
    const passed = states.filter((state) => state === 'passed').length;
    const failed =
      states.filter((state) => state === 'failed').length + modules.filter(isBroken).length + unhandledErrors.length;
    process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
  },
};

/** A file that could not be loaded, or whose hooks failed, has no failed test to count. */
function isBroken(module: TestModule): boolean {
  return module.errors().length > 0;
}
