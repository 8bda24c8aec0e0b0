import type { ChatMatch } from '../../../src/webviews/contract/chat.ts';
import { post } from '../post.ts';
import type { Scroller } from '../scroller.ts';
import type { Transcript } from '../transcript.ts';
import type { FindPlace } from './find.ts';

/** Marks what was found. The text stays as it is: the browser paints the marks, so that nothing is drawn anew. */
export class FindMarks implements FindPlace {
  readonly #transcript: Transcript;
  readonly #scroller: Scroller;
  readonly #log: HTMLElement;
  /** The place that is looked for in a turn that is not here yet. */
  #wanted: { readonly match: ChatMatch; readonly matches: readonly ChatMatch[]; readonly text: string } | undefined;
  /** Counts what was shown: unfolding takes frames, and in them another place can be asked for. */
  #shown = 0;

  constructor(log: HTMLElement, transcript: Transcript, scroller: Scroller) {
    this.#log = log;
    this.#transcript = transcript;
    this.#scroller = scroller;
  }

  nearest(matches: readonly ChatMatch[]): number {
    const top = this.#log.getBoundingClientRect().top;
    const below = matches.findIndex((it) => {
      const element = this.#transcript.row(it.rowId);
      return element !== undefined && boxOf(element).bottom > top;
    });
    return below >= 0 ? below : matches.length - 1;
  }

  show(match: ChatMatch | undefined, matches: readonly ChatMatch[], text: string): void {
    this.#wanted = undefined;
    this.#shown++;
    CSS.highlights.delete('chat-find');
    CSS.highlights.delete('chat-find-now');
    if (!match) return;
    this.#transcript.drawAll();
    const element = this.#transcript.row(match.rowId);
    if (element) return void this.#mark(element, match, matches, text);
    this.#wanted = { match, matches, text };
    post(this.#log, { type: 'reveal', turnId: match.turnId });
  }

  /** More turns were drawn: what was looked for may be among them. */
  drawn(): void {
    const wanted = this.#wanted;
    if (wanted && this.#transcript.row(wanted.match.rowId)) this.show(wanted.match, wanted.matches, wanted.text);
  }

  async #mark(element: HTMLElement, match: ChatMatch, matches: readonly ChatMatch[], text: string): Promise<void> {
    const shown = this.#shown;
    await this.#unfold(element, match, text);
    if (shown !== this.#shown) return;
    const rows = new Set(matches.map((it) => it.rowId));
    const others = [...rows].flatMap((id) => {
      const row = this.#transcript.row(id);
      return row ? rangesIn(row, text) : [];
    });
    CSS.highlights.set('chat-find', new Highlight(...others));
    const own = rangesIn(element, text);
    // Where the page says it in other words than the model, the row is shown.
    const now = own[Math.min(match.nth, own.length - 1)];
    if (now) CSS.highlights.set('chat-find-now', new Highlight(now));
    this.#scroller.center(() => (now ? now.getBoundingClientRect() : boxOf(element)));
  }

  /** What is folded away is unfolded until the place can be seen. */
  async #unfold(element: HTMLElement, { nth }: ChatMatch, text: string): Promise<void> {
    this.#transcript.folding.open(element);
    for (const it of element.querySelectorAll('details')) it.open = true;
    await new Promise((done) => void requestAnimationFrame(done));
    if (rangesIn(element, text).length > nth) return;
    element.querySelector<HTMLElement>('[aria-expanded="false"]:not([aria-haspopup])')?.click();
    await new Promise((done) => void requestAnimationFrame(done));
  }
}

/** All places of the words below an element, across the pieces that its text is in. */
function rangesIn(element: HTMLElement, text: string): Range[] {
  const wanted = text.toLowerCase();
  if (!wanted) return [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT, {
    acceptNode: (node) =>
      node.parentElement?.closest('.hidden, .row-actions, .code-actions, button')
        ? NodeFilter.FILTER_REJECT
        : NodeFilter.FILTER_ACCEPT,
  });
  const pieces: { readonly node: Text; readonly from: number }[] = [];
  let all = '';
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    pieces.push({ node: node as Text, from: all.length });
    all += (node as Text).data.toLowerCase();
  }
  const ranges: Range[] = [];
  for (let at = all.indexOf(wanted); at >= 0; at = all.indexOf(wanted, at + wanted.length)) {
    const first = pieces.findLast((it) => it.from <= at);
    const last = pieces.findLast((it) => it.from < at + wanted.length);
    if (!first || !last) continue;
    const range = new Range();
    range.setStart(first.node, at - first.from);
    range.setEnd(last.node, at + wanted.length - last.from);
    ranges.push(range);
  }
  return ranges;
}

/** Rows lay out their contents alone: their own box may be empty. */
function boxOf(element: HTMLElement): DOMRect {
  const box = element.getBoundingClientRect();
  return box.height > 0 ? box : (element.firstElementChild ?? element).getBoundingClientRect();
}
