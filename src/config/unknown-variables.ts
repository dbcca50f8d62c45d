// Finds variables that are probably misspelt: names that no setting has, with a prefix of ours or close to a name of ours. Only names
// are reported, never values.
import { editDistance, nearestName } from '#src/base/did-you-mean.ts';
import { settingNames } from './setting-names.ts';

/** Other programs have no variables that begin like this. */
const ownPrefixes = /^(ALERTS?|DISK_LOG|FEED|OAUTH|QUEUE|RECONCILE|RETENTION|SIGNATURE|SIGNING|SWEEP)_/;

/** `inFile`: the names in the `.env` file, which are meant for this program, or for the containers beside it. */
export function unknownVariables(names: readonly string[], inFile: readonly string[]): readonly string[] {
  return [...new Set([...names, ...inFile])]
    .filter((name) => !settingNames.includes(name))
    .flatMap((name) => {
      const nearest = ownPrefixes.test(name) ? nearestName(settingNames, name) : misspelt(name, inFile.includes(name));
      if (nearest) return [`${name} is not a setting and has no effect. Did you mean ${nearest}?`];
      return ownPrefixes.test(name) ? [`${name} is not a setting and has no effect; .env.example lists them all.`] : [];
    });
}

/** A slip of the keyboard: the same first letter, and at most two edits. The environment also has names of others: HOME is not HOST. */
const misspelt = (name: string, isInFile: boolean): string | undefined =>
  settingNames.find((each) => {
    const edits = isInFile ? 2 : Math.min(2, Math.floor(each.length / 3));
    return each.startsWith(name.slice(0, 1)) && editDistance(each, name) <= edits;
  });
