import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../support/cache.ts';
import { say } from '../../support/say.ts';
import { references } from './references.ts';

/** `npm run references`: writes the references that are generated. */
for (const [name, text] of Object.entries(references())) {
  writeFileSync(join(projectRoot, name), text);
  say(`references: ${name} has ${text.split('\n').length} lines`);
}
