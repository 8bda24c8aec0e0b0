/** A value that arrives, or fails to, when the test says so. */
export interface Later<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T | PromiseLike<T>) => void;
  readonly reject: (reason: unknown) => void;
}

export function later<T>(): Later<T> {
  let [resolve, reject]: [Later<T>['resolve'], Later<T>['reject']] = [() => undefined, () => undefined];
  const promise = new Promise<T>((...both) => {
    [resolve, reject] = both;
  });
  return { promise, resolve, reject };
}
