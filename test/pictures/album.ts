import { copyFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { PathOf } from '../support/editor/schemes.ts';
import { say } from '../support/say.ts';
import { readmePictures } from './list.ts';

/** A window of the editor or a page of the gateway. */
interface Shown {
  pictures(pathOf: PathOf): Promise<void>;
}

/** The pictures of one scene: those of its list, each once. */
export class Album<Name extends string> {
  readonly #folder: string;
  readonly #left: Set<Name>;

  constructor(folder: string, names: readonly Name[]) {
    this.#folder = folder;
    this.#left = new Set(names);
  }

  /** What the list has and nobody took. */
  get left(): readonly Name[] {
    return [...this.#left];
  }

  async take(name: Name, shown: Shown): Promise<void> {
    if (!this.#left.has(name)) throw new Error(`${name} was taken before`);
    await shown.pictures((scheme) => {
      const path = join(this.#folder, `${name}-${scheme}.png`);
      say(basename(path));
      return path;
    });
    this.#left.delete(name);
  }
}

/** Copies the pictures of the README that the folder has new ones of. */
export function renewReadme(folder: string, taken: ReadonlySet<string>, screenshots: string): void {
  for (const [name, subject] of Object.entries(readmePictures)) {
    if (!taken.has(subject)) continue;
    copyFileSync(join(folder, `${subject}-light.png`), join(screenshots, `${name}.png`));
    say(`media/screenshots/${name}.png is ${subject}-light.png`);
  }
}
