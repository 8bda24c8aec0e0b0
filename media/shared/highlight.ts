import { sanitise } from './sanitise.ts';
import { whenIdle } from './whenIdle.ts';

/** Longer code stays plain: colour is not worth a pause while typing. */
const maxLength = 20_000;

type Highlight = typeof import('./grammars.ts')['highlight'];
let loading: Promise<Highlight> | undefined;

/** Colors the code below `root`, block by block, when the page is idle. The grammars are loaded for the first block. */
export function colour(root: ParentNode): void {
  for (const frame of root.querySelectorAll<HTMLElement>('.code')) {
    const language = frame.dataset['language'];
    const code = frame.querySelector('code');
    const text = code?.textContent ?? '';
    if (!language || !code || text === '' || text.length > maxLength) continue;
    loading ??= import('./grammars.ts').then((it) => it.highlight);
    void loading.then((highlight) =>
      whenIdle(() => {
        if (!code.isConnected) return;
        const html = highlight(text, language);
        if (html !== undefined) code.replaceChildren(sanitise(html));
      }),
    );
  }
}
