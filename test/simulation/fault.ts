import type { Buffer } from 'node:buffer';
import type { HostStorage } from '../../sidecar/host/storage/hostStorage.ts';
import type { Clock } from '../../sidecar/platform/clock.ts';
import type { Random } from '../fuzz/random.ts';

/** Something that goes wrong in what is handed in, and that no product may bear: the simulation has to notice it. */
export interface Fault {
  /** A sentence that is true of it. */
  readonly name: string;
  /** What goes on a wire instead of what the host wrote. */
  readonly fromHost?: (chunk: Buffer, random: Random) => readonly Buffer[];
  /** What goes on a wire instead of what a client wrote. */
  readonly fromClient?: (chunk: Buffer, random: Random) => readonly Buffer[];
  /** Changes the storage that the host uses. */
  readonly storage?: (storage: HostStorage, random: Random) => void;
  /** Changes the files that a host left when it crashed. */
  readonly image?: (folder: string, random: Random) => void;
  /** The clock of the clients, instead of one that nobody needs to trust. */
  readonly clientClock?: (clock: Clock, random: Random) => Clock;
}
