import { lastBlockStart, openCodeFrame, renderMarkdown } from './markdown.ts';

/** A block longer than this is drawn again at most ten times a second while it grows. */
const longBlock = 8_000;

/**
 * Draws Markdown that is still being written. Finished blocks are drawn once and left alone, only the last block is
 * drawn again, and code that is being written only gains text: so appending costs what was appended.
 */
export class StreamedMarkdown {
  readonly #root: HTMLElement;
  readonly #live = document.createElement('div');
  #tail = '';
  #fence: { readonly close: RegExp; readonly code: Text; shown: number } | undefined;
  #later: number | undefined;

  constructor(root: HTMLElement) {
    this.#root = root;
    this.#live.className = 'live-block';
    root.replaceChildren(this.#live);
  }

  append(text: string): void {
    this.#tail += text;
    if (!this.#live.parentNode) this.#root.append(this.#live);
    if (!this.#fence && this.#tail.length > longBlock && text.length < longBlock) {
      this.#later ??= window.setTimeout(() => this.#draw(), 100);
    } else {
      this.#draw();
    }
  }

  /**
   * Draws the last block, including fences that are not closed.
   * @param text the rest of the text, or all of it if nothing was appended before
   */
  finish(text = ''): void {
    window.clearTimeout(this.#later);
    this.#later = undefined;
    this.#fence = undefined;
    this.#tail += text;
    if (this.#tail) this.#settle(this.#tail.length);
    this.#live.remove();
  }

  #draw(): void {
    window.clearTimeout(this.#later);
    this.#later = undefined;
    for (;;) {
      if (this.#fence) {
        if (!this.#continueFence(this.#fence)) return;
        continue;
      }
      const start = lastBlockStart(this.#tail);
      if (start > 0) this.#settle(start);
      if (this.#openFence()) continue;
      this.#live.replaceChildren(renderMarkdown(closeInline(this.#tail), { isLive: true }));
      return;
    }
  }

  #openFence(): boolean {
    const opener = /^ {0,3}(`{3,}|~{3,})([^`\n]*)\n/.exec(this.#tail);
    if (!opener) return false;
    const { frame, code } = openCodeFrame(opener[2]!.trim().split(/\s+/)[0] ?? '');
    const text = document.createTextNode('');
    code.append(text);
    this.#live.replaceChildren(frame);
    const mark = opener[1]!;
    const close = new RegExp(`(?:^|\\n) {0,3}\\${mark[0]}{${mark.length},}[ \\t]*(?=\\n)`, 'g');
    close.lastIndex = opener[0].length - 1;
    this.#fence = { close, code: text, shown: opener[0].length };
    return true;
  }

  /** @returns true when the fence was closed and what follows it is to be drawn */
  #continueFence(fence: { readonly close: RegExp; readonly code: Text; shown: number }): boolean {
    const closing = fence.close.exec(this.#tail);
    if (closing) {
      this.#fence = undefined;
      this.#settle(fence.close.lastIndex || closing.index + closing[0].length);
      return true;
    }
    // The last line may yet turn out to be the closing fence, so it is shown once it is whole.
    const lineEnd = this.#tail.lastIndexOf('\n') + 1;
    if (lineEnd > fence.shown) {
      fence.code.appendData(this.#tail.slice(fence.shown, lineEnd));
      fence.shown = lineEnd;
    }
    fence.close.lastIndex = Math.max(0, lineEnd - 1);
    return false;
  }

  #settle(end: number): void {
    this.#live.before(renderMarkdown(this.#tail.slice(0, end)));
    this.#live.replaceChildren();
    this.#tail = this.#tail.slice(end);
  }
}

/** Closes marks that the next words will close anyway, so that half-written emphasis and links do not flicker. */
export function closeInline(text: string): string {
  const withoutLink = text.replace(/!?\[([^\]\n]*)\]\([^)\n]*$/, '$1');
  if ((withoutLink.match(/`/g)?.length ?? 0) % 2 === 1) return `${withoutLink}\``;
  if ((withoutLink.match(/\*\*/g)?.length ?? 0) % 2 === 1) return `${withoutLink.replace(/\s+$/, '')}**`;
  return withoutLink;
}
