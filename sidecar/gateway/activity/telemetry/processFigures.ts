import type { Surface } from '../../routing/route.ts';
import type { GatewayDatabase, PoolStanding } from '../../storage/database/database.ts';
import type { OpenStreams } from './openStreams.ts';

/** What one process of a gateway holds right now. */
export interface ProcessFigures {
  readonly sessions: number;
  readonly connections: number;
  readonly streams: readonly (readonly [Surface, number])[];
  /** Absent for SQLite. */
  readonly pool: PoolStanding | undefined;
  readonly residentBytes: number;
  /** Calls whose request and response were not stored. */
  readonly droppedContents: number;
}

interface Holding {
  readonly mcp: { readonly sessionCount: number };
  readonly connections: { readonly count: number };
  readonly streams: OpenStreams;
  readonly store: { readonly database: Pick<GatewayDatabase, 'pool'> };
  readonly accounting: { readonly contents: { readonly dropped: number } | undefined };
}

/** Those of this process. */
export const figuresOf = ({ mcp, connections, streams, store, accounting }: Holding): ProcessFigures => ({
  sessions: mcp.sessionCount,
  connections: connections.count,
  streams: [...streams.counts()],
  pool: store.database.pool(),
  residentBytes: process.memoryUsage.rss(),
  droppedContents: accounting.contents?.dropped ?? 0,
});

/** Those of all processes of a gateway, added up. */
export function summed(all: readonly ProcessFigures[]): ProcessFigures {
  const sum = (of: (it: ProcessFigures) => number) => all.reduce((so, it) => so + of(it), 0);
  const streams = new Map<Surface, number>();
  for (const it of all)
    for (const [surface, count] of it.streams) streams.set(surface, (streams.get(surface) ?? 0) + count);
  const hasPool = all.some((it) => it.pool);
  return {
    sessions: sum((it) => it.sessions),
    connections: sum((it) => it.connections),
    streams: [...streams],
    pool: hasPool
      ? {
          busy: sum((it) => it.pool?.busy ?? 0),
          idle: sum((it) => it.pool?.idle ?? 0),
          waiting: sum((it) => it.pool?.waiting ?? 0),
        }
      : undefined,
    residentBytes: sum((it) => it.residentBytes),
    droppedContents: sum((it) => it.droppedContents),
  };
}
