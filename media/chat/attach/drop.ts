import type { ChatFromPage } from '../../../src/webviews/contract/chat.ts';
import { canTake, takeDrop } from './intake.ts';

/** Takes what is dropped anywhere on the page. VS Code hands over a drag only while Shift is held. */
export function followDrops(page: HTMLElement, canDrop: () => boolean, post: (message: ChatFromPage) => void): void {
  const isMeant = (event: DragEvent) => canDrop() && event.dataTransfer !== null && canTake(event.dataTransfer);
  const mark = (isOver: boolean) => page.classList.toggle('is-drop', isOver);
  page.addEventListener('dragover', (event) => {
    if (!isMeant(event)) return;
    event.preventDefault();
    event.dataTransfer!.dropEffect = 'copy';
    mark(true);
  });
  page.addEventListener('dragleave', (event) => {
    if (event.relatedTarget === null) mark(false);
  });
  page.addEventListener('drop', (event) => {
    mark(false);
    if (!isMeant(event)) return;
    event.preventDefault();
    takeDrop(event.dataTransfer!, post);
  });
}
