import { say } from '../support/say.ts';
import type { Row } from './measure.ts';
import { activation } from './rows/activation.ts';
import { diskBytes } from './rows/diskBytes.ts';
import { echo } from './rows/echo.ts';
import { history } from './rows/history.ts';
import { hostStart } from './rows/hostStart.ts';

/**
 * `npm run bench [-- --check] [words]`: ratios against a baseline of the same run, medians of alternated runs. With
 * `--check` the exit code is 1 when a limit is missed.
 */
const groups: Readonly<Record<string, () => Promise<readonly Row[]>>> = {
  echo,
  history,
  hostStart,
  diskBytes,
  activation,
};
const words = process.argv.slice(2);
const isCheck = words.includes('--check');
const wanted = words.filter((it) => it in groups);
let missed = 0;

for (const [name, measure] of Object.entries(groups)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  for (const row of await measure()) {
    const isMissed = row.limit !== undefined && !(row.value <= row.limit);
    if (isMissed) missed += 1;
    const limit = row.limit === undefined ? 'no limit' : `limit ${row.limit}${isMissed ? ', MISSED' : ''}`;
    say(`${row.name}: ${row.value.toFixed(2)} ${row.unit} (${limit}; ${row.detail})`);
  }
}
say(missed === 0 ? 'bench: every limit is kept' : `bench: ${missed} missed`);
process.exit(isCheck && missed > 0 ? 1 : 0);
