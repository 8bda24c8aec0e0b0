import { features } from '../../requirements/features.ts';
import type { Shown } from './countsReporter.ts';

/** Markdown: each feature with how many of its tests passed in this run. A feature without one says why, or counts as missing. */
export function featureTable(shown: Readonly<Record<string, Shown>>): { readonly text: string; readonly line: string } {
  const rows = features.map((it) => {
    const { passed, failed } = shown[it.id] ?? { passed: 0, failed: 0 };
    const state = failed > 0 ? 'failed' : passed > 0 ? 'shown' : it.open === undefined ? 'missing' : 'open';
    return { ...it, passed, failed, state };
  });
  const count = (state: string) => rows.filter((it) => it.state === state).length;
  const cells = rows.map(({ id, name, need, state, passed, failed, open }) => {
    const tests = failed > 0 ? `${passed} passed, ${failed} failed` : passed > 0 ? `${passed} passed` : (open ?? '–');
    return `| ${id} | ${name} | ${need} | ${state} | ${tests} |`;
  });
  const head = ['| id | feature | need | state | tests |', '| --- | --- | --- | --- | --- |'];
  return {
    text: `${[...head, ...cells].join('\n')}\n`,
    line: `features: ${count('shown')} of ${rows.length} shown, ${count('failed')} failed, ${count('missing')} missing, ${count('open')} open`,
  };
}
