import { languages } from '../../../sidecar/protocol/words/languages.ts';
import { say } from '../../support/say.ts';
import { gapsOf } from './languages.ts';

/** `npm run translations`: which texts a language lacks, which it has too many, and which do not fit the English ones. */
let count = 0;
for (const { file, missing, leftOver, unequal } of languages.flatMap(gapsOf)) {
  const lines = [
    ...missing.map((it) => `  lacks ${JSON.stringify(it)}`),
    ...leftOver.map((it) => `  no longer used: ${JSON.stringify(it)}`),
    ...unequal.map((it) => `  other placeholders, links, code or line ends: ${JSON.stringify(it)}`),
  ];
  count += lines.length;
  say([`${file}: ${lines.length === 0 ? 'complete' : lines.length}`, ...lines].join('\n'));
}
process.exitCode = count === 0 ? 0 : 1;
