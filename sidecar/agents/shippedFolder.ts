/** A folder that an agent brings into each of its sessions. */
export interface ShippedFolder {
  /** Absolute; need not exist. */
  readonly path: string;
  readonly name: string;
  readonly contents: 'agent' | 'skill' | 'prompt' | 'rule';
  /** Whether a person may put more there. */
  readonly writable: boolean;
}
