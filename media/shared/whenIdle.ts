const waiting: (() => void)[] = [];
let isAsked = false;
/** Gives the rest of the window time to draw what a person is waiting for. */
const restMs = 150;

/** Runs `work` when the page is idle. Each piece of work is a separate task. */
export function whenIdle(work: () => void): void {
  waiting.push(work);
  if (isAsked) return;
  isAsked = true;
  setTimeout(ask, restMs);
}

function ask(): void {
  requestIdleCallback(
    (deadline) => {
      try {
        do waiting.shift()?.();
        while (waiting.length > 0 && deadline.timeRemaining() > 4);
      } finally {
        isAsked = waiting.length > 0;
        if (isAsked) ask();
      }
    },
    { timeout: 200 },
  );
}
