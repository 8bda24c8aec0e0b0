import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../support/cache.ts';
import { say } from '../../support/say.ts';
import { references } from './references.ts';

/** `npm run references`: writes SETTINGS.md and CONFIGURATION.md. */
for (const { file, text } of references()) {
  writeFileSync(join(projectRoot, file), text);
  say(`${file} is written`);
}
