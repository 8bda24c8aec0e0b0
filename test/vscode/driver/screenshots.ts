import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../../support/cache.ts';

const screenshots = join(cacheFolder, 'screenshots');

/** Where the picture of a step goes: `.vscode-test/screenshots/<suite>/<NN step>.png`. */
export function screenshotPath(suite: string, step: string): string {
  const folder = join(screenshots, suite);
  mkdirSync(folder, { recursive: true });
  const number = String(readdirSync(folder).length + 1).padStart(2, '0');
  return join(folder, `${number} ${step.replaceAll(/[^A-Za-z0-9 .-]/g, ' ')}.png`);
}

/** Before a suite takes new ones. */
export function forgetScreenshots(suite: string): void {
  rmSync(join(screenshots, suite), { recursive: true, force: true });
}
