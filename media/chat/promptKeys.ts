/**
 * Alt+Up and Alt+Down go from prompt to prompt, wherever the focus is in the page, and the reader's place goes along. The
 * last step down is the message that is being written.
 *
 * @param show brings a prompt to the top edge @param leave focuses the message that is being written
 */
export function followPromptKeys(log: HTMLElement, show: (bubble: HTMLElement) => void, leave: () => void): void {
  document.addEventListener('keydown', (event) => {
    const isUp = event.key === 'ArrowUp';
    if (!event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || (!isUp && event.key !== 'ArrowDown'))
      return;
    event.preventDefault();
    const bubbles = [...log.querySelectorAll<HTMLElement>('.row-prompt .bubble')];
    const bubble = isUp ? bubbles.findLast((it) => isBeyond(it, true)) : bubbles.find((it) => isBeyond(it, false));
    if (bubble) {
      bubble.tabIndex = -1;
      bubble.focus({ preventScroll: true });
      show(bubble);
    } else if (!isUp) leave();
  });
}

/** Whether a prompt is above or below what has the focus; a message that is being written is below all of them. */
function isBeyond(bubble: HTMLElement, isAbove: boolean): boolean {
  const focused = document.activeElement;
  if (!focused?.closest('#log')) return isAbove;
  if (focused === bubble) return false;
  const place = bubble.compareDocumentPosition(focused);
  return (place & (isAbove ? Node.DOCUMENT_POSITION_FOLLOWING : Node.DOCUMENT_POSITION_PRECEDING)) !== 0;
}
