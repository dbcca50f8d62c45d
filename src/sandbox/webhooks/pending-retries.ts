// Of how many messages a subscription's retries are not over: when the last is given up, nothing is being retried any more.

export interface PendingRetries {
  /** A message of this subscription failed for the first time. */
  begin(subscription: string): void;
  /** One arrived or was given up. Answers whether it was the last. */
  end(subscription: string): boolean;
  forgetIf(test: (subscription: string) => boolean): void;
}

export function createPendingRetries(): PendingRetries {
  const messages = new Map<string, number>();
  return {
    begin: (subscription) => void messages.set(subscription, (messages.get(subscription) ?? 0) + 1),
    end(subscription) {
      const left = (messages.get(subscription) ?? 0) - 1;
      if (left > 0) messages.set(subscription, left);
      else messages.delete(subscription);
      return left <= 0;
    },
    forgetIf(test) {
      for (const subscription of messages.keys()) if (test(subscription)) messages.delete(subscription);
    },
  };
}
