import MarkdownIt from 'markdown-it';
import { fileNamed } from './fileLinks.ts';
import { colour } from './highlight.ts';
import { t } from './l10n.ts';
import { addMath, typeset } from './math.ts';
import { sanitise } from './sanitise.ts';

interface Env {
  /** The text is still being written: no colours yet, and no buttons on code that is not whole. */
  readonly isLive: boolean;
}

const md = new MarkdownIt({ html: false, linkify: true, typographer: false });
addMath(md);
const { rules } = md.renderer;
rules['fence'] = (tokens, index) => {
  const token = tokens[index]!;
  return codeFrame(token.info.trim().split(/\s+/)[0] ?? '', md.utils.escapeHtml(token.content));
};
rules['code_inline'] = (tokens, index) => {
  const { content } = tokens[index]!;
  const code = `<code>${md.utils.escapeHtml(content)}</code>`;
  const before = tokens.slice(0, index);
  const isInLink = before.findLastIndex(isOf('link_open')) > before.findLastIndex(isOf('link_close'));
  const file = isInLink ? undefined : fileNamed(content);
  return file ? `<a class="file-link" href="${md.utils.escapeHtml(file.href)}">${code}</a>` : code;
};
rules['code_block'] = (tokens, index) => codeFrame('', md.utils.escapeHtml(tokens[index]!.content));
// The page's own headings are two levels above those of an answer, which may leave any out.
rules['heading_open'] = (tokens, index) => `<h3 class="heading is-${tokens[index]!.tag}">`;
rules['heading_close'] = () => '</h3>';
rules['table_open'] = () => '<div class="table-scroll" tabindex="0"><table>';
rules['table_close'] = () => '</table></div>';
for (const cell of ['th_open', 'td_open'] as const) {
  rules[cell] = (tokens, index) => {
    const { tag, attrs } = tokens[index]!;
    // The page's policy forbids inline styles, which is how the parser says it.
    const side = /^text-align:(left|center|right)$/.exec(String(attrs?.find(([name]) => name === 'style')?.[1]))?.[1];
    return side ? `<${tag} class="align-${side}">` : `<${tag}>`;
  };
}
// Nothing remote is ever loaded: a picture is shown as a link to it.
rules['image'] = (tokens, index) => {
  const token = tokens[index]!;
  const source = md.utils.escapeHtml(String(token.attrGet('src') ?? ''));
  return `<a href="${source}">${md.utils.escapeHtml(token.content || source)}</a>`;
};

function isOf(type: string) {
  return (token: { readonly type: string }) => token.type === type;
}

/** The one road from an agent's Markdown to the page: parsed without raw HTML, then sanitised. */
export function renderMarkdown(text: string, env: Env = { isLive: false }): DocumentFragment {
  const fragment = sanitise(md.render(text));
  for (const item of fragment.querySelectorAll('li')) drawTask(item);
  if (!env.isLive) {
    colour(fragment);
    typeset(fragment);
  }
  return fragment;
}

/** `- [x] done` as a list of tasks. */
function drawTask(item: HTMLLIElement): void {
  const first = item.firstElementChild?.tagName === 'P' ? item.firstElementChild.firstChild : item.firstChild;
  const mark = first?.nodeType === Node.TEXT_NODE ? /^\s*\[([ xX])\] /.exec(first.textContent ?? '') : null;
  if (!first || !mark) return;
  const isDone = mark[1] !== ' ';
  first.textContent = first.textContent!.slice(mark[0].length);
  const box = document.createElement('span');
  box.className = `codicon codicon-${isDone ? 'pass-filled' : 'circle-large'}`;
  box.setAttribute('role', 'img');
  box.setAttribute('aria-label', isDone ? t('Done') : t('To do'));
  first.before(box);
  item.classList.add('task');
}

/** Offset where the last top-level block of `text` starts; everything before it is finished. */
export function lastBlockStart(text: string): number {
  let line = 0;
  for (const token of md.parse(text, {})) if (token.level === 0 && token.map) line = Math.max(line, token.map[0]);
  let offset = 0;
  for (; line > 0; line--) offset = text.indexOf('\n', offset) + 1;
  return offset;
}

/** The frame of a code block around text that the caller fills in, for code that is still being written. */
export function openCodeFrame(language: string): { readonly frame: DocumentFragment; readonly code: HTMLElement } {
  const frame = sanitise(codeFrame(md.utils.escapeHtml(language), ''));
  return { frame, code: frame.querySelector('code')! };
}

/** Code that a terminal can take. */
const shells: ReadonlySet<string> = new Set([
  ...['bash', 'sh', 'shell', 'shellscript', 'zsh', 'fish', 'powershell', 'pwsh', 'ps1', 'bat', 'cmd'],
]);

function codeFrame(language: string, codeHtml: string): string {
  const name = md.utils.escapeHtml(language);
  // A command line is for a terminal, and other code for a file.
  const isShell = shells.has(language.toLowerCase());
  const actions = [
    ...(isShell ? [] : [codeButton('git-compare', 'data-code="apply"', t('Apply with preview'))]),
    codeButton('insert', 'data-code="insert"', t('Insert at cursor')),
    codeButton('new-file', 'data-code="newFile"', t('New file')),
    ...(isShell ? [codeButton('terminal', 'data-code="run"', t('Run in terminal'))] : []),
    codeButton('copy', 'data-copy="code"', t('Copy code')),
  ];
  return (
    `<div class="code" data-language="${name}"><div class="code-head"><span>${name}</span>` +
    `<div class="code-actions">${actions.join('')}</div></div><pre tabindex="0"><code>${codeHtml}</code></pre></div>`
  );
}

function codeButton(codicon: string, does: string, label: string): string {
  const said = md.utils.escapeHtml(label);
  return `<button type="button" class="icon-button codicon codicon-${codicon}" ${does} aria-label="${said}" title="${said}"></button>`;
}
