import type MarkdownIt from 'markdown-it';
import { t } from './l10n.ts';
import { sanitiseMath } from './sanitise.ts';
import { whenIdle } from './whenIdle.ts';

type Parser = InstanceType<typeof MarkdownIt>;

/** Longer formulas stay as they were written. */
const maxLength = 5_000;

/** `$x$`, `$$x$$`, `\(x\)` and `\[x\]`, as models write formulas. */
export function addMath(md: Parser): void {
  md.inline.ruler.before('escape', 'math', inlineMath);
  md.block.ruler.before('fence', 'math', blockMath, { alt: ['paragraph', 'reference', 'blockquote', 'list'] });
  const { rules } = md.renderer;
  rules['math_inline'] = (tokens, index) =>
    `<code class="math" data-math="inline">${md.utils.escapeHtml(tokens[index]!.content)}</code>`;
  rules['math_block'] = (tokens, index) =>
    `<div class="math-block" tabindex="0"><code class="math" data-math="block">${md.utils.escapeHtml(tokens[index]!.content)}</code></div>`;
}

type InlineRule = Parameters<Parser['inline']['ruler']['before']>[2];
type BlockRule = Parameters<Parser['block']['ruler']['before']>[2];

const inlineMath: InlineRule = (state, silent) => {
  const found = formulaAt(state.src, state.pos);
  if (!found) return false;
  if (!silent) {
    const token = state.push('math_inline', 'code', 0);
    token.content = found.tex;
  }
  state.pos = found.end;
  return true;
};

/** Money and the variables of a shell have a dollar sign too: a formula begins and ends with neither a space nor a word around it. */
function formulaAt(src: string, at: number): { readonly tex: string; readonly end: number } | undefined {
  const opener = src.startsWith('$$', at)
    ? '$$'
    : src[at] === '$'
      ? '$'
      : src.startsWith('\\(', at)
        ? '\\('
        : undefined;
  if (!opener) return undefined;
  const closer = opener === '\\(' ? '\\)' : opener;
  if (opener === '$' && /[\w$\\]/.test(src[at - 1] ?? '')) return undefined;
  const start = at + opener.length;
  for (let end = src.indexOf(closer, start); end >= 0; end = src.indexOf(closer, end + 1)) {
    if (closer !== '\\)' && src[end - 1] === '\\') continue;
    const tex = src.slice(start, end);
    const after = src[end + closer.length] ?? '';
    if (tex.trim() === '' || /\n\s*\n/.test(tex)) return undefined;
    if (opener === '$' && (/^\s|\s$/.test(tex) || /[\w$]/.test(after))) return undefined;
    return { tex: tex.trim(), end: end + closer.length };
  }
  return undefined;
}

const blockMath: BlockRule = (state, startLine, endLine, silent) => {
  const lineAt = (line: number) =>
    state.src.slice(state.bMarks[line]! + state.tShift[line]!, state.eMarks[line]).trim();
  const first = lineAt(startLine);
  const opener = first.startsWith('$$') ? '$$' : first.startsWith('\\[') ? '\\[' : undefined;
  if (!opener || state.sCount[startLine]! - state.blkIndent >= 4) return false;
  const closer = opener === '$$' ? '$$' : '\\]';
  const isWhole = first.length >= 2 * opener.length && first.endsWith(closer);
  let line = startLine;
  if (!isWhole) for (line += 1; line < endLine && lineAt(line) !== '' && !lineAt(line).endsWith(closer); line += 1);
  const isClosed = isWhole || (line < endLine && lineAt(line).endsWith(closer));
  // The rest of a formula that is still being written belongs to it, also where it looks like a list.
  if (!isClosed && first !== opener) return false;
  if (silent) return true;
  const last = isClosed ? line : line - 1;
  const lines = Array.from({ length: last - startLine + 1 }, (_, n) => lineAt(startLine + n)).join('\n');
  const token = state.push('math_block', 'div', 0);
  token.block = true;
  token.content = lines.slice(opener.length, isClosed ? -closer.length : undefined).trim();
  token.map = [startLine, last + 1];
  state.line = last + 1;
  return true;
};

type ToMathml = typeof import('./mathml.ts')['toMathml'];
let loading: Promise<ToMathml> | undefined;

/** Renders the formulas below `root` when the page is idle. The renderer is loaded for the first formula. */
export function typeset(root: ParentNode): void {
  for (const source of root.querySelectorAll<HTMLElement>('code.math')) {
    const tex = source.textContent ?? '';
    if (tex === '' || tex.length > maxLength) continue;
    loading ??= import('./mathml.ts').then((it) => it.toMathml);
    void loading.then((toMathml) =>
      whenIdle(() => {
        if (!source.isConnected) return;
        const mathml = toMathml(tex, source.dataset['math'] === 'block');
        if (mathml === undefined) source.title = t('This formula cannot be displayed.');
        else source.replaceWith(sanitiseMath(mathml));
      }),
    );
  }
}
