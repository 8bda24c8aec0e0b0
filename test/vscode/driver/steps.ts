import { afterEach, beforeEach } from 'mocha';

interface Shown {
  pictureNow(name: string): Promise<unknown>;
}

/** Saves a screenshot after each test of this suite that fails. */
export function pictureFailures(window: () => Shown | undefined): void {
  afterEach(async function () {
    if (this.currentTest?.state === 'failed')
      await window()?.pictureNow(`failed ${this.currentTest.title.slice(0, 40)}`);
  });
}

/** For a suite whose steps stand on the ones before: after one that failed, with a picture, no other is tried. */
export function inOrder(window: () => Shown | undefined): void {
  let failed: string | undefined;
  beforeEach(() => {
    if (failed !== undefined) throw new Error(`not tried, because an earlier step failed: ${failed}`);
  });
  afterEach(function () {
    if (this.currentTest?.state === 'failed') failed ??= this.currentTest.title;
  });
  pictureFailures(window);
}
