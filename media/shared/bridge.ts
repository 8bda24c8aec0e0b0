/** The page's only way out. VS Code hands the api out once, so it is taken here and kept private. */
export interface Bridge<Out, Saved> {
  post(message: Out): void;
  /** What {@link Bridge.save} kept for this page before a reload; it is small and of our own making. */
  saved(): Saved | undefined;
  save(state: Saved): void;
}

declare function acquireVsCodeApi(): {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
};

/** @param receive called for each message of the extension; frames inside the page cannot reach it */
export function connectBridge<In, Out, Saved>(receive: (message: In) => void): Bridge<Out, Saved> {
  const api = acquireVsCodeApi();
  window.addEventListener('message', (event: MessageEvent<In>) => receive(event.data));
  return {
    post: (message) => api.postMessage(message),
    saved: () => api.getState() as Saved | undefined,
    save: (state) => api.setState(state),
  };
}
