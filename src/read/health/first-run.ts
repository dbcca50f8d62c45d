// What is still to do in a new installation: the settings, the subscriptions, the first copy, the first delivery. Each with its command.
import { join } from 'node:path';
import { installationFolder, pathFrom, slotstream } from '#src/base/command.ts';

/** The process may run in another folder than that of the project. */
const exampleFile = pathFrom(process.cwd(), join(installationFolder, '.env.example'));

const withoutAddress = ` No public address? With API_TOKEN alone, the service is read every 5 minutes. Or try it with an address for now: ${slotstream} start --tunnel`;

export interface FirstStep {
  readonly id: 'settings' | 'bootstrap' | 'backfill' | 'delivery';
  readonly done: boolean;
  readonly sentence: string;
  readonly command?: string;
}

export interface FirstRunInput {
  readonly missingSettings: readonly string[];
  /** There are no webhooks: nothing is registered, and the copy is made unasked. */
  readonly isPolled: boolean;
  readonly hasSubscription: boolean;
  readonly isFilled: boolean;
  readonly hasDelivery: boolean;
  readonly isEmpty: boolean;
}

export function firstRun(input: FirstRunInput) {
  const { missingSettings: missing, isPolled, hasSubscription, isFilled, hasDelivery, isEmpty } = input;
  const names = missing.join(', ').replace(/, (?=[^,]*$)/, ' and ');
  const all: readonly FirstStep[] = [
    {
      id: 'settings',
      done: missing.length === 0,
      sentence:
        missing.length === 0
          ? `The service${isPolled ? ' is' : ' and the public address are'} set.`
          : `Set ${names} in .env, and start again.${missing.includes('PUBLIC_URL') ? withoutAddress : ''}`,
      ...(missing.length > 0 && { command: `test -e .env || install -m 600 ${exampleFile} .env` }),
    },
    {
      id: 'bootstrap',
      done: hasSubscription,
      sentence: hasSubscription ? 'The service sends webhooks here.' : 'Register for webhooks.',
      command: `${slotstream} bootstrap`,
    },
    {
      id: 'backfill',
      done: isFilled,
      sentence: isFilled
        ? 'What the service already had was copied.'
        : `${isPolled ? 'Wait for the copy of' : 'Copy'} what the service already has.`,
      ...(!isPolled && { command: `${slotstream} backfill` }),
    },
    {
      id: 'delivery',
      done: hasDelivery,
      sentence: hasDelivery
        ? 'The first webhook has arrived.'
        : 'Wait for the first webhook, or send a sample yourself.',
      command: `${slotstream} trigger invitee.created`,
    },
  ];
  const steps = isPolled ? all.filter(({ id }) => id === 'settings' || id === 'backfill') : all;
  // Without the API only webhooks are mirrored, which is a choice: then a delivery is all that is needed.
  const isDone = (hasDelivery || isPolled) && (missing.length > 0 || steps.every(({ done }) => done));
  return {
    done: isDone,
    empty: isEmpty,
    steps,
    /** Commands that need no account at the service. */
    tryOut: [
      {
        sentence: 'See everything at work with a simulated service, in a separate folder.',
        command: `${slotstream} demo`,
      },
    ],
  };
}
