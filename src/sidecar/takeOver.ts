import type { Relay } from './relay.ts';

export interface TakeOverDeps {
  /** Starts the relay and answers after the handshake. */
  readonly open: () => Promise<Relay>;
  /** Whether what was begun is still wanted. */
  readonly isWanted: () => boolean;
  /** @throws when the host's answer is of no use */
  readonly attach: (relay: Relay) => void;
  /** Nothing came of it; another relay may be started in its place. */
  readonly failed: (error: unknown) => void;
}

/** One try to get a relay. One that nobody wants any more, or whose handshake was of no use, is closed. */
export async function takeOver({ open, isWanted, attach, failed }: TakeOverDeps): Promise<void> {
  let relay: Relay | undefined;
  try {
    relay = await open();
    if (!isWanted()) return await relay.close();
    attach(relay);
  } catch (error) {
    if (!isWanted()) return;
    failed(error);
    await relay?.close();
  }
}
