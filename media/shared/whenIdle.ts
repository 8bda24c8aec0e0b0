const waiting: (() => void)[] = [];
let isAsked = false;
/** What a person waits for comes before, also where it is other parts of the window that draw it. */
const restMs = 150;

/** Runs `work` after what a person waits for, each piece as a task of its own. */
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
